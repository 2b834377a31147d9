#include "core/inference/inference_notes.h"

#include "core/analysis/gpu_time/forward_only.h"
#include "core/inference/infer.h"
#include "core/inference/rank_shapes.h"

#include <algorithm>
#include <iterator>

namespace shardscope
{

bool agrees(const Comparison& comparison)
{
    return comparison.equal() && !comparison.rows.empty();
}

std::string messagesAgreeing(const Comparison& comparison)
{
    const std::size_t classes = comparison.rows.size();
    if (classes == 0)
        return "no messages were recorded";
    if (comparison.equal())
        return "all " + std::to_string(classes) + " classes of messages are as predicted";
    return std::to_string(comparison.equal_rows) + " of " + std::to_string(classes)
           + " classes of messages are as predicted";
}

std::string agreementOf(const Inference& inference)
{
    const std::string counted = sentence(inference.parameters);
    if (counted.empty())
        return messagesAgreeing(inference.comparison);
    return inference.comparison.rows.empty() ? counted
                                             : messagesAgreeing(inference.comparison) + ", and " + counted;
}

std::vector<std::string> notesOfFiles(const TraceSet& traces)
{
    std::vector<std::string> notes;
    for (const TraceFile& file : traces.files)
        if (file.status == FileStatus::recovered)
            notes.push_back(file.path
                            + " was repaired or ends too early: what is counted may be too little.");
    for (const ImportWarning& warning : traces.warnings)
        notes.push_back(warning.sentence);
    return notes;
}

std::vector<std::string> inferenceNotes(const TraceSet& traces, std::size_t ranks_read,
                                        const RankPlaces& places, const Comparison& comparison)
{
    std::vector<std::string> notes;
    if (!comparison.equal())
        notes.push_back("Encoders, latent attention and schedules other than 1F1B and interleaved are not "
                        "inferred; context parallelism is known only by the description of its groups.");
    if (!places.all_ranks_read)
        notes.push_back("The layers of " + std::to_string(ranks_read) + " of "
                        + std::to_string(ranksOfRun(traces))
                        + " ranks were read; the others are taken to be like them."
                        + (places.knowsStages() ? "" : " How many stages there are, they would tell."));
    if (isForwardOnly(traces))
        notes.push_back("No backward pass was recorded: the scenario is the training step that these "
                        "forward passes would belong to.");
    std::ranges::copy(notesOfFiles(traces), std::back_inserter(notes));
    return notes;
}

} // namespace shardscope
