#include "core/report/resized_report.h"

#include "core/analysis/calls/layout_kinds.h"
#include "core/base/format.h"
#include "core/report/text_table.h"

#include <array>
#include <cstdio>

namespace shardscope
{

std::vector<ResizedRank> resizedRanks(const TraceSet& traces, const Measurement& measurement,
                                      const Resizing& resizing)
{
    std::vector<ResizedRank> ranks;
    for (const RankMeasurement& rank : measurement.ranks) {
        if (!rank.has_timeline)
            continue;
        const OperatorSeconds measured = operatorSeconds(rank, recordedIterations(traces, rank.rank));
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
    std::array<char, 96> times{};
    std::snprintf(times.data(), times.size(), "%.4g h, %.4g s and %.4g b", resizing.hidden, resizing.sequence,
                  resizing.batch);
    return std::string{"\nAn iteration at "} + times.data()
           + ": products of matrices grow as s b h^2, fused attention as s^2 b h, norms and messages of "
             "activations as s b h, optimizer and gradients as h^2 (Pati et al. 2023); idle time is left "
             "out, "
             "communication is what nothing hides\n"
           + table.text();
}

} // namespace shardscope
