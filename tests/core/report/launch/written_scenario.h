#pragma once

#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

#include <QString>
#include <QStringList>
#include <QTest>

#include <string>

namespace shardscope
{

// A scenario as a file would have it. Fails the test where it is none.
inline Scenario scenarioOf(const char* text)
{
    const auto reading = readScenario(text, shipped());
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value().scenario;
}

// Of an export, without their indent and continuation.
inline QStringList linesOf(const Result<std::string>& text)
{
    if (!text)
        qFatal("%s", text.error().sentence.c_str());
    QStringList lines;
    for (QString line : QString::fromStdString(text.value()).split('\n', Qt::SkipEmptyParts)) {
        line.remove(" \\");
        lines << line.trimmed();
    }
    return lines;
}

} // namespace shardscope
