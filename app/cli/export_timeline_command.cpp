#include "app/cli/export_timeline_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/standard_input.h"
#include "app/cli/trace_arguments.h"
#include "core/prediction/predict.h"
#include "core/report/rank_choice.h"
#include "core/report/timeline/timeline_trace.h"

#include <cstdio>

namespace shardscope
{

namespace
{

// Every rank unless the command line chooses some.
Result<std::vector<std::int64_t>> ranksOf(const RankChoice& choice, const Scenario& scenario)
{
    return chosenRanks(choice, RankLayout{scenario.parallel}, RankParts{scenario});
}

// Into the file or folder, or, as plain text, to standard output.
Result<bool> write(const std::string& out, const Scenario& scenario, const PredictedTimeline& timeline,
                   TimelineDetail detail, const std::vector<std::int64_t>& ranks)
{
    if (out != "-")
        return saveTimelineTrace(out, scenario, timeline, detail, ranks);
    if (const auto problem = whyNoTimelineTrace(timeline, detail, ranks.size()))
        return Error{"standard output: " + *problem};
    writeTimelineTrace(scenario, timeline, detail, ranks, [](std::string_view text) {
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    });
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        return Error{"the timeline cannot be written to standard output"};
    return true;
}

} // namespace

int exportTimelineCommand(const Arguments& arguments)
{
    const std::string usage = "; usage: " + usageOf(*commandNamed("export-timeline"));
    if (arguments.paths.size() != 1)
        return fail(exit_wrong_usage, "export-timeline needs one scenario" + usage);
    if (!arguments.has("-o"))
        return fail(exit_wrong_usage, "export-timeline needs -o with the file to write" + usage);
    const std::string word = arguments.has("--ranks") ? arguments.valueOf("--ranks") : "all";
    const auto choice = rankChoiceFromWord(word);
    if (!choice)
        return fail(exit_wrong_usage, "export-timeline: --ranks: " + choice.error().sentence);
    if (word == "none")
        return fail(exit_wrong_usage,
                    "export-timeline: --ranks: a timeline of no rank is empty; name ranks or all");

    const std::string& file = arguments.paths.front();
    const auto scenario = scenarioOf(file, arguments);
    if (!scenario)
        return fail(exit_bad_input, scenario.error().sentence);
    const auto prediction = predict(scenario.value());
    if (!prediction)
        return fail(exit_bad_input, inputName(file) + ": " + prediction.error().sentence);
    const auto ranks = ranksOf(choice.value(), scenario.value());
    if (!ranks)
        return fail(exit_bad_input, inputName(file) + ": " + ranks.error().sentence);
    const PredictedTimeline timeline = predictTimeline(scenario.value(), prediction.value());
    if (arguments.has("--layers") && timeline.passes.empty())
        warn(inputName(file)
             + ": --layers changes nothing: Li et al.'s formula and lists of tensors have no operators and "
               "no calls of their own; the detailed time model has them");
    const TimelineDetail detail = arguments.has("--layers") ? TimelineDetail::layers : TimelineDetail::passes;
    const auto saved = write(arguments.valueOf("-o"), scenario.value(), timeline, detail, ranks.value());
    return saved ? exit_done : fail(exit_bad_input, saved.error().sentence);
}

} // namespace shardscope
