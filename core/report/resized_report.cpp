#include "core/report/resized_report.h"

#include "core/analysis/iteration_times.h"
#include "core/base/format.h"
#include "core/report/text_table.h"

#include <algorithm>

namespace shardscope
{

std::vector<ResizedRank> resizedRanks(const TraceSet& traces, const Measurement& measurement,
                                      const Resizing& resizing)
{
    std::vector<ResizedRank> ranks;
    for (const RankMeasurement& rank : measurement.ranks) {
        if (!rank.has_timeline)
            continue;
        const OperatorSeconds measured = operatorSeconds(rank, iterationsOf(traces, measurement, rank.rank));
        ranks.push_back({rank.rank, measured, resized(measured, resizing)});
    }
    return ranks;
}

std::string resizedText(const std::vector<ResizedRank>& ranks, const Resizing& resizing)
{
    if (ranks.empty())
        return {};
    TextTable table{
        {">rank", ">measured", ">compute", ">communication", ">resized", ">compute", ">communication"}};
    for (const ResizedRank& rank : ranks) {
        std::vector<std::string> row{std::to_string(rank.rank)};
        for (const OperatorSeconds* each : {&rank.measured, &rank.resized})
            for (const double seconds :
                 {each->total_s(), each->compute_s(), each->total_s() - each->compute_s()})
                row.push_back(formatSeconds(seconds));
        table.addRow(row);
    }
    const bool has_scores =
        std::ranges::any_of(ranks, [](const ResizedRank& rank) { return rank.measured.has_scores; });
    return "\nAn iteration at " + formatPlain(resizing.hidden, 4) + " h, " + formatPlain(resizing.sequence, 4)
           + " s and " + formatPlain(resizing.batch, 4) + " b"
           + ": products of matrices grow as s b h^2, attention as s^2 b h, norms and messages of "
             "activations "
             "as s b h, optimizer and gradients as h^2 (Pati et al. 2023); idle time is left out, "
             "communication "
             "is what nothing hides\n"
           + (has_scores
                  ? "Attention is not fused here: its products of scores grow as s^2 b h, and count as "
                    "s b h^2: longer sequences come out too short, wider models too long\n"
                  : "")
           + table.text();
}

} // namespace shardscope
