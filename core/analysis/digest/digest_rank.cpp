#include "core/analysis/digest/digest_rank.h"

#include "core/analysis/digest/digest.h"
#include "core/analysis/digest/digest_figures.h"
#include "core/analysis/gpu_time/breakdown.h"
#include "core/analysis/gpu_time/kernel_table.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

bool addDigest(const TraceDigest& digest, std::optional<std::int64_t> step, std::span<Call> calls,
               RankMeasurement& rank)
{
    std::optional<DigestFigures> figures = decodeFigures(digest.figures);
    if (!figures)
        return false;
    if (!step) {
        addTimes(figures->times, rank);
        addKernels(rank.kernels, figures->kernels);
    }
    std::vector<StepMeasurement> steps;
    for (StepFigures& of_step : figures->steps) {
        if (of_step.measured.number == step) {
            addTimes(of_step.measured.times, rank);
            addKernels(rank.kernels, of_step.kernels);
        }
        steps.push_back(std::move(of_step.measured));
    }
    addSteps(rank.steps, std::move(steps));
    for (Call& call : calls) {
        const auto known = std::ranges::lower_bound(digest.calls, call.event, {}, &DigestedCall::event);
        if (call.is_timed && known != digest.calls.end() && known->event == call.event)
            call.exposed_ns = step ? known->step_exposed_ns : known->exposed_ns;
    }
    return true;
}

void noteDigests(const TraceSet& traces, const AnalysisOptions& options, std::vector<std::string>& notes)
{
    const auto others = std::ranges::count_if(
        traces.files, [mark = rulesMark(options.rulesOrShipped())](const TraceFile& file) {
            return file.digest && file.status != FileStatus::rejected && file.digest->rules != mark;
        });
    if (others > 0)
        notes.push_back("the breakdown and the kernels of " + std::to_string(others)
                        + (others == 1 ? " digest" : " digests")
                        + " follow other rules of what is communication than those in use; make the digests "
                          "again to have them follow these");
}

} // namespace shardscope
