#pragma once

#include "core/base/result.h"
#include "core/prediction/timeline/stage_events.h"
#include "core/scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace shardscope
{

// The predicted timeline as a Chrome trace, as Perfetto and this program's own importer read it: a process
// for each rank, in it a lane each for compute, communication, waiting, communication that runs beneath the
// others, gradients and parameters of replicas, and what travels between stages, and a mark of the step, as
// PyTorch's profiler sets it, so that readers know when the iteration begins and ends. Times are microseconds
// with three decimals, so that nothing below a nanosecond is made up; a span ends where the next one begins.
// Messages name their peer, and lead to it by an arrow where it is one of the ranks.
// `write` gets the text in pieces, one for each rank; false ends it.
void writeTimelineTrace(const Scenario& scenario, const PredictedTimeline& timeline, TimelineDetail detail,
                        std::span<const std::int64_t> ranks,
                        const std::function<bool(std::string_view)>& write);

// Why so many ranks are too many for any viewer, in a sentence that says what to do; nothing: they are not.
std::optional<std::string> whyNoTimelineTrace(const PredictedTimeline& timeline, TimelineDetail detail,
                                              std::size_t ranks);

// The same in a file, compressed where its name ends with .gz. A folder gets a file for each rank, as the
// ranks of a measured run have. `goOn`, where given, is told the share of the ranks that are written; false
// ends it without a file, of a folder with those of the ranks before. Error: the sentence names the file;
// more than a viewer could take is refused.
Result<bool> saveTimelineTrace(const std::filesystem::path& file, const Scenario& scenario,
                               const PredictedTimeline& timeline, TimelineDetail detail,
                               std::span<const std::int64_t> ranks,
                               const std::function<bool(double)>& goOn = {});

} // namespace shardscope
