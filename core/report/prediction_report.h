#pragma once

#include "core/prediction/prediction.h"
#include "core/scenario/presets.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardscope {

// Which ranks a prediction's report lists: by default all up to 64, above one for each (stage, place) that differs.
struct RankChoice {
    enum class Mode : std::uint8_t { classes, all, none, listed } mode = Mode::classes;
    std::vector<std::int64_t> listed;
};

struct PredictionReportOptions {
    RankChoice ranks;
    bool matrix = false;
    bool timeline = false;
    int indent = 2; // < 0: one compact line
};

// The prediction format, as JSON text and as tables for people.
std::string predictionJson(const Scenario& scenario, const Prediction& prediction,
                           const PredictionReportOptions& options = {});
std::string predictionText(const Scenario& scenario, const Prediction& prediction,
                           const PredictionReportOptions& options = {});

std::string presetsJson(const Presets& presets);
std::string presetsText(const Presets& presets);

} // namespace shardscope
