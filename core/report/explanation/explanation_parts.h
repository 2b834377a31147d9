#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/stage_layout.h"
#include "core/report/explanation/explanation.h"

#include <string>
#include <vector>

namespace shardscope
{

// What every explanation draws on. Pre: `prediction` is predict(scenario).
struct ExplainedRun {
    ExplainedRun(const Scenario& run_scenario, const Prediction& run_prediction)
        : scenario{run_scenario},
          prediction{run_prediction},
          figures{run_scenario},
          shapes{layOutStages(figures)}
    {
    }

    const Scenario& scenario;
    const Prediction& prediction;
    IterationFigures figures;
    std::vector<StageShape> shapes;
};

// Where times of the detailed model are from.
inline constexpr const char* detailed_time_source =
    "detailed time model; Help > Accuracy of predictions tells how far it can be trusted";

// "expression = value"
inline std::string worked(const std::string& expression, const std::string& value)
{
    return expression + " = " + value;
}

// Parameters, operations, ranks and micro-batches.
Explanation explainCount(Figure figure, const ExplainedRun& run);
// Operations of an iteration, the parts down to the model's own figures; `hardware`: with those repeated.
Explanation explainFlops(const ExplainedRun& run, bool hardware);
Explanation explainMemory(Figure figure, const ExplainedRun& run, int stage);
// `memory` is that of the shape's stage.
Explanation explainActivations(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory);
Explanation explainTime(Figure figure, const ExplainedRun& run);
// compute, tp, cp, ep, pp, dp or bubble, where Li et al.'s model made them.
Explanation explainLiTime(Figure figure, const ExplainedRun& run);
// The same where operators, calls and the schedule were timed one by one.
Explanation explainDetailedTime(Figure figure, const ExplainedRun& run);
// "a call takes 502 us, bus bandwidth 167 GB/s; all of them 0.578 s"; empty with Li et al.'s formula.
std::string explainMessageTime(const Message& message, const ExplainedRun& run, int stage);
Explanation explainMessage(const Message& message, const ExplainedRun& run, int stage);

} // namespace shardscope
