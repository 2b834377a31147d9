#pragma once

#include "core/scenario/scenario.h"

#include <QDateTime>
#include <QList>
#include <QString>

namespace shardscope
{

// Scenarios without a file that gave way to another one, or were on screen when the window closed. They lie
// in the program's own folder, so that nothing is lost that nobody was asked about.
class UnsavedScenarios
{
public:
    static constexpr int capacity = 5;

    struct Kept {
        QString file;
        QDateTime time;
    };

    // Newest first.
    static QList<Kept> all();
    // Best effort: nothing of it is to hold up the user. The file it lies in; empty: it could not be kept.
    // What is kept already becomes the newest.
    static QString keep(const Scenario& scenario);
};

} // namespace shardscope
