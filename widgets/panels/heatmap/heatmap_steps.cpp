#include "widgets/panels/heatmap/expert_view.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/step_strip.h"
#include "widgets/panels/heatmap/traffic_sources.h"

#include "core/analysis/analyze.h"
#include "core/analysis/calls/measured_matrix.h"
#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/analysis/iteration_times.h"

#include <algorithm>

// The steps of a measured run in the heatmap: each is analysed when it is shown first.

namespace shardscope
{

namespace
{

std::int64_t ranksOf(const MeasuredRun& run)
{
    std::int64_t ranks = 0;
    for (const TraceFile& file : run.traces.files)
        ranks = std::max({ranks, file.rank + 1, file.world_size});
    return ranks;
}

std::shared_ptr<const MeasuredTraffic> trafficOfCells(const std::vector<MeasuredCell>& cells,
                                                      const MeasuredRun& run)
{
    return cells.empty() ? nullptr
                         : std::make_shared<MeasuredTraffic>(cells, ranksOf(run), recordedRanks(run.traces));
}

// Steps that each rank recorded.
std::map<std::int64_t, std::int64_t> recordedSteps(const MeasuredRun& run)
{
    std::map<std::int64_t, std::int64_t> steps;
    for (const RankMeasurement& rank : run.measurement.ranks)
        steps[rank.rank] = iterationsOf(run.traces, run.measurement, rank.rank);
    return steps;
}

// A run's matrix adds up all that was recorded; a prediction is of one iteration. A cell was told by its
// sender, or by its receiver where the sender was not read.
std::vector<MeasuredCell> cellsOfMeanStep(const MeasuredRun& run)
{
    const std::map<std::int64_t, std::int64_t> steps = recordedSteps(run);
    std::vector<MeasuredCell> cells = run.measurement.matrix;
    for (MeasuredCell& cell : cells) {
        auto teller = steps.find(cell.sender);
        if (teller == steps.end())
            teller = steps.find(cell.receiver);
        if (teller != steps.end())
            cell.bytes /= static_cast<double>(teller->second);
    }
    return cells;
}

std::int64_t mostSteps(const MeasuredRun& run)
{
    std::int64_t most = 1;
    for (const auto& [rank, steps] : recordedSteps(run))
        most = std::max(most, steps);
    return most;
}

} // namespace

void HeatmapPanel::readMeasured()
{
    if (m_content.measured != m_measured_source) {
        m_measured_source = m_content.measured;
        m_of_step.clear();
        m_stepping.forget();
        m_steps->setWaiting(false);
        const bool has_traffic = m_measured_source && !m_measured_source->measurement.matrix.empty();
        const bool is_of_a_step = m_measured_source && m_measured_source->measurement.step;
        const std::vector<std::int64_t> steps = has_traffic && !is_of_a_step
                                                    ? stepNumbers(m_measured_source->traces)
                                                    : std::vector<std::int64_t>{};
        m_has_marks = is_of_a_step || !steps.empty();
        m_steps->setSteps(steps);
        m_mean =
            has_traffic ? trafficOfCells(cellsOfMeanStep(*m_measured_source), *m_measured_source) : nullptr;
        m_mean_of_steps = has_traffic ? mostSteps(*m_measured_source) : 1;
        m_mean_s =
            has_traffic ? iterationLength_s(m_measured_source->traces, m_measured_source->measurement) : 0.0;
    }
    const std::optional<std::int64_t> step = m_steps->step();
    const auto known = step ? m_of_step.find(*step) : m_of_step.end();
    if (known != m_of_step.end())
        m_loads = known->second.loads;
    else
        m_loads = m_measured_source
                      ? measuredExpertLoads(m_measured_source->traces, m_measured_source->measurement,
                                            m_measured_source->measurement.step)
                      : std::vector<MeasuredExpertLoad>{};
    m_experts->setMeasured(m_loads);
    m_measured = known != m_of_step.end() ? known->second.rows : m_mean;
    m_measured_s = known != m_of_step.end() ? known->second.iteration_s : m_mean_s;
    m_shown_step = known != m_of_step.end() ? step : std::nullopt;
}

QString HeatmapPanel::measuredSteps() const
{
    if (m_measured_source && m_measured_source->measurement.step)
        return QStringLiteral("step %1").arg(*m_measured_source->measurement.step);
    if (m_shown_step)
        return QStringLiteral("step %1").arg(*m_shown_step);
    if (m_mean_of_steps > 1)
        return QStringLiteral("mean of %1 steps").arg(m_mean_of_steps);
    return isWholeRun() ? QStringLiteral("all that was recorded") : QString{};
}

bool HeatmapPanel::isWholeRun() const
{
    return !m_has_marks && m_mean_of_steps == 1;
}

// Until the step is analysed the old picture stays.
void HeatmapPanel::showStep(const std::optional<std::int64_t>& step)
{
    if (!step || m_of_step.contains(*step)) {
        m_stepping.forget();
        m_steps->setWaiting(false);
        readMeasured();
        chooseSquares();
        return;
    }
    m_steps->setWaiting(true);
    const std::shared_ptr<const PredictedScenario> predicted = m_content.predicted;
    m_stepping.start([run = m_measured_source, step = *step, predicted] {
        AnalysisOptions options;
        options.layout = predicted ? &predicted->scenario : nullptr;
        options.known_layout = run->layout.get();
        options.rules = run->rules.get();
        options.step = step;
        const Measurement measured = analyze(run->traces, options);
        return StepTraffic{step, trafficOfCells(measured.matrix, *run),
                           measuredExpertLoads(run->traces, measured, step),
                           iterationLength_s(run->traces, measured)};
    });
}

void HeatmapPanel::takeStep(const StepTraffic& of_step)
{
    m_of_step[of_step.step] = of_step;
    m_steps->setWaiting(false);
    readMeasured();
    chooseSquares();
}

} // namespace shardscope
