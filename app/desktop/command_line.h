#pragma once

#include "widgets/main_window/appearance.h"

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>
#include <variant>

namespace shardscope
{

// What the program was asked to do.
struct CommandLine {
    QStringList paths;
    QString screenshot; // where the picture goes; empty: an ordinary window
    QString panel;      // the picture of one panel alone
    QSize size{1600, 1000};
    std::optional<Appearance> theme;
};

// The program only says something and ends.
struct Farewell {
    int status = 0;
    QString text;
};

std::variant<CommandLine, Farewell> parseCommandLine(const QStringList& arguments);

} // namespace shardscope
