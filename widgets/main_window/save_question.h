#pragma once

#include <QString>
#include <QStringList>

class QWidget;

namespace shardscope
{

// What a file dialog for saving offers.
struct SaveQuestion {
    QString title;
    QString proposal;    // path
    QStringList endings; // ".json.gz"; a name that has none of them gets the first
    QString filters;     // as QFileDialog has them
};

// The name with one of the endings. Dots of its own are part of it: "llama-3.1".
QString withEnding(const QString& file, const QStringList& endings);

// Where to save; empty: nowhere. What already lies under the name that the file gets is replaced only if the
// user says so. `chosen` is the filter, before and after.
QString askWhereToSave(QWidget* parent, SaveQuestion question, QString* chosen = nullptr);

} // namespace shardscope
