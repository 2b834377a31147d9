#include "bench/accuracy/schedule_ratios.h"

#include "bench/accuracy/residuals.h"
#include "core/scenario/words.h"

#include <array>
#include <cstdio>
#include <map>
#include <tuple>

namespace shardscope
{

std::vector<ScheduleGain> scheduleGains(const std::vector<TruthCase>& cases)
{
    using Configuration = std::tuple<std::string, std::int64_t, std::int64_t>; // model, stages, batch
    std::map<Configuration, std::map<Schedule, const TruthCase*>> runs;
    for (const TruthCase& entry : cases)
        runs[{entry.model, entry.scenario.parallel.pipeline, entry.scenario.training.global_batch_size}]
            [entry.scenario.parallel.schedule] = &entry;
    std::vector<ScheduleGain> gains;
    for (const auto& [configuration, by_schedule] : runs) {
        const auto base = by_schedule.find(Schedule::one_f_one_b);
        if (base == by_schedule.end())
            continue;
        for (const auto& [schedule, entry] : by_schedule)
            if (schedule != Schedule::one_f_one_b)
                gains.push_back({entry, base->second});
    }
    return gains;
}

std::string scheduleSection(const std::vector<TruthCase>& cases)
{
    std::string text =
        "\n## Schedules\n\nThroughput over that of 1F1B at the same configuration, as published by Qi et al. "
        "2024: predicted over measured, less one. Nothing was fitted to these runs; they do not tell their "
        "vocabulary.\n\n| schedule | cases | mean size | bias | largest |\n"
        "| --- | ---: | ---: | ---: | ---: |\n";
    std::map<Schedule, std::vector<double>> by_schedule;
    for (const ScheduleGain& gain : scheduleGains(cases))
        by_schedule[gain.run->scenario.parallel.schedule].push_back(gain.predicted() / gain.measured() - 1.0);
    for (const auto& [schedule, errors] : by_schedule) {
        std::array<char, 128> row{};
        std::snprintf(row.data(), row.size(), "| %s | %zu | %.1f %% | %+.1f %% | %.1f %% |\n",
                      std::string{word(schedule)}.c_str(), errors.size(), 100.0 * meanSize(errors),
                      100.0 * meanOf(errors), 100.0 * sizeBelow(errors, 1.0));
        text += row.data();
    }
    return text;
}

} // namespace shardscope
