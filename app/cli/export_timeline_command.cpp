#include "app/cli/export_timeline_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/standard_input.h"
#include "app/cli/trace_arguments.h"
#include "app/cli/whole_key.h"
#include "core/prediction/predict.h"
#include "core/report/rank_choice.h"
#include "core/report/timeline/timeline_trace.h"

#include <cerrno>
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

// As plain text.
int printTimeline(const Scenario& scenario, const PredictedTimeline& timeline, TimelineDetail detail,
                  const std::vector<std::int64_t>& ranks)
{
    if (const auto problem = whyNoTimelineTrace(timeline, detail, ranks.size()))
        return fail(exit_bad_input, "standard output: " + *problem);
    errno = 0;
    bool is_written = true;
    writeTimelineTrace(scenario, timeline, detail, ranks, [&](std::string_view text) {
        return is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    });
    return endOfAnswer(is_written && std::fflush(stdout) == 0);
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
        return fail(exit_bad_input,
                    inputName(file) + ": " + withWholeKey(prediction.error().sentence, scenario.value()));
    const auto ranks = ranksOf(choice.value(), scenario.value());
    if (!ranks)
        return fail(exit_bad_input, inputName(file) + ": " + ranks.error().sentence);
    const PredictedTimeline timeline = predictTimeline(scenario.value(), prediction.value());
    if (arguments.has("--layers") && timeline.passes.empty())
        warn(inputName(file)
             + ": --layers changes nothing: Li et al.'s formula and lists of tensors have no operators and "
               "no calls of their own; the detailed time model has them");
    const TimelineDetail detail = arguments.has("--layers") ? TimelineDetail::layers : TimelineDetail::passes;
    if (arguments.valueOf("-o") == "-")
        return printTimeline(scenario.value(), timeline, detail, ranks.value());
    const auto saved =
        saveTimelineTrace(arguments.valueOf("-o"), scenario.value(), timeline, detail, ranks.value());
    return saved ? exit_done : fail(exit_bad_input, saved.error().sentence);
}

} // namespace shardscope
