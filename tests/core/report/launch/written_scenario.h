#pragma once

#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

#include <QTest>

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

} // namespace shardscope
