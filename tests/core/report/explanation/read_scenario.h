#pragma once

#include "core/scenario/scenario_json.h"
#include "tests/core/shipped_presets.h"

#include <QByteArray>

namespace shardscope
{

inline Scenario read(const QByteArray& json)
{
    const auto reading = readScenario(json.toStdString(), shipped());
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value().scenario;
}

// The run that Li et al. 2024 counted the messages of.
inline constexpr const char* li_table_3 =
    R"({"model": {"preset": "gpt-3b"}, "parallel": {"pipeline": 4, "tensor": 2, "data": 4},
        "training": {"global_batch_size": 1024, "micro_batch_size": 32, "precision": "fp16", "recompute": "full"},
        "cluster": {"preset": "rtx3090-pcie-100g-roce"}, "time_model": "li"})";

} // namespace shardscope
