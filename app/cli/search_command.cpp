#include "app/cli/search_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/number_list.h"
#include "app/cli/progress_line.h"
#include "app/cli/standard_input.h"
#include "app/cli/trace_arguments.h"
#include "core/report/search_report.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace shardscope
{

namespace
{

constexpr std::int64_t most_layouts = 1'000;
constexpr std::size_t usual_top = 10;

Result<LayoutSearch> search(const Scenario& scenario, std::int64_t gpus, std::size_t top)
{
    std::atomic<double> share{0.0};
    const std::jthread watching{[&share](const std::stop_token& stop) {
        ProgressLine line;
        while (line.isSeen() && !stop.stop_requested()) {
            line.show(std::to_string(static_cast<int>(100.0 * share.load())) + " % of the layouts tried");
            std::this_thread::sleep_for(std::chrono::milliseconds{50});
        }
    }};
    return searchLayouts(scenario, gpus,
                         {std::max(1U, std::thread::hardware_concurrency()), top, nullptr, &share});
}

} // namespace

int searchCommand(const Arguments& arguments)
{
    const std::string usage = "; usage: " + usageOf(*commandNamed("search"));
    if (arguments.paths.size() != 1)
        return fail(exit_wrong_usage, "search needs one scenario" + usage);
    if (!arguments.has("--gpus"))
        return fail(exit_wrong_usage, "search needs --gpus with their number" + usage);
    const auto gpus = parseCount(arguments.valueOf("--gpus"), most_searched_gpus);
    if (!gpus)
        return fail(exit_wrong_usage, "search: --gpus: " + gpus.error().sentence);
    std::size_t top = usual_top;
    if (arguments.has("--top")) {
        const auto count = parseCount(arguments.valueOf("--top"), most_layouts);
        if (!count)
            return fail(exit_wrong_usage, "search: --top: " + count.error().sentence);
        top = static_cast<std::size_t>(count.value());
    }
    const std::string& file = arguments.paths.front();
    const auto scenario = scenarioOf(file, arguments);
    if (!scenario)
        return fail(exit_bad_input, scenario.error().sentence);
    const auto answer = search(scenario.value(), gpus.value(), top);
    if (!answer)
        return fail(exit_bad_input, inputName(file) + ": " + answer.error().sentence);
    if (arguments.has("-o") && answer.value().found.empty())
        return fail(exit_bad_input, inputName(file) + ": none of " + std::to_string(answer.value().possible)
                                        + " layouts fits into memory, so that nothing is written to "
                                        + arguments.valueOf("-o")
                                        + "; give more GPUs, or GPUs with more memory");
    if (arguments.has("-o")) {
        const Scenario best = foundScenario(scenario.value(), answer.value().found.front().layout);
        if (const auto saved = savePortable(arguments.valueOf("-o"), best); !saved)
            return fail(exit_bad_input, saved.error().sentence);
    }
    return print(arguments.has("--json") ? searchJson(answer.value(), scenario.value(), top) + "\n"
                                         : searchText(answer.value(), scenario.value(), top));
}

} // namespace shardscope
