#include "core/analysis/calls/exposed_kinds.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace shardscope
{

namespace
{

// `part` of `whole` of `amount`, rounded down.
std::int64_t partOf(std::int64_t amount, std::int64_t part, std::int64_t whole)
{
    const double share = static_cast<double>(part) / static_cast<double>(whole);
    return part == whole ? amount : static_cast<std::int64_t>(static_cast<double>(amount) * share);
}

} // namespace

void addExposedKinds(std::span<const Call> calls, RankMeasurement& rank)
{
    std::array<TraceTime, kind_count> covered_until{};
    covered_until.fill(std::numeric_limits<TraceTime>::min());
    for (const Call& call : calls) {
        if (!call.is_timed || call.duration_ns <= 0)
            continue;
        const auto kind = static_cast<std::size_t>(call.kind);
        const TraceTime end = call.start + call.duration_ns;
        const std::int64_t uncovered =
            std::max<std::int64_t>(0, end - std::max(call.start, covered_until[kind]));
        rank.exposed_of_kind_ns[kind] += partOf(call.exposed_ns, uncovered, call.duration_ns);
        covered_until[kind] = std::max(covered_until[kind], end);
    }
}

void shareExposedKinds(RankMeasurement& rank)
{
    auto& kinds = rank.exposed_of_kind_ns;
    const std::int64_t sum = std::accumulate(kinds.begin(), kinds.end(), std::int64_t{0});
    if (sum == 0)
        kinds[static_cast<std::size_t>(Kind::unknown)] = rank.exposed_communication_ns;
    for (std::int64_t& kind : kinds)
        if (sum > 0)
            kind = partOf(rank.exposed_communication_ns, kind, sum);
}

ExposedParts::ExposedParts(const RankMeasurement& rank) : m_rank{rank}
{
    for (const MeasuredCollective& calls : rank.collectives)
        m_sum_ns[static_cast<std::size_t>(calls.kind)] += static_cast<double>(calls.exposed_ns);
}

double ExposedParts::of(const MeasuredCollective& calls) const
{
    if (!m_rank.has_timeline)
        return 1e-9 * static_cast<double>(calls.sum_ns);
    const auto kind = static_cast<std::size_t>(calls.kind);
    const auto of_kind = static_cast<double>(m_rank.exposed_of_kind_ns[kind]);
    return m_sum_ns[kind] > 0.0 ? 1e-9 * of_kind * static_cast<double>(calls.exposed_ns) / m_sum_ns[kind]
                                : 0.0;
}

} // namespace shardscope
