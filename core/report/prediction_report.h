#pragma once

#include "core/prediction/prediction.h"
#include "core/report/rank_choice.h"
#include "core/scenario/scenario.h"

#include <array>
#include <string>

namespace shardscope
{

class JsonWriter;

struct PredictionReportOptions {
    RankChoice ranks;
    bool matrix = false;
    bool timeline = false;
    int indent = 2; // < 0: one compact line
};

// The prediction format, as JSON text and as tables for people. Pre: `prediction` is predict(scenario), and
// the ranks that the options list exist (chosenRanks() tells); others are left out.
std::string predictionJson(const Scenario& scenario, const Prediction& prediction,
                           const PredictionReportOptions& options = {});
std::string predictionText(const Scenario& scenario, const Prediction& prediction,
                           const PredictionReportOptions& options = {});

// "± 10 %", "-44 % to +79 %": of any predicted time, in a table; empty: nothing is known.
std::string timeBandWords(const std::array<double, 2>& band);

// The same for programs: [-0.44, 0.79].
void writeBand(const std::array<double, 2>& band, JsonWriter& json);

// The stage that waits longest in its pipeline, where that is notably longer than time.bubble_s, which is of
// the slowest stage; else null.
const StagePrediction* stageOfLongestBubble(const Prediction& prediction);

// How far the iteration's time can be trusted: "± 10 %: 900 ms to 1.1 s", or for Li et al.'s formula with
// bandwidths that nobody measured "not calibrated, 550 ms to 1.8 s"; empty: nothing is known.
std::string timeBandText(const Scenario& scenario, const TimePrediction& time);

} // namespace shardscope
