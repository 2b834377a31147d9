#include "core/analysis/calls/exposed_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

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

// A call begins or ends.
struct Edge {
    TraceTime at = 0;
    std::size_t kind = 0;
    int calls = 0;        // 1 or -1
    double exposed = 0.0; // share of the call's time
};

// Moment by moment: which kinds run, and how much of it is exposed. What is hidden takes nothing from what is
// not.
class Moments
{
public:
    void go(const Edge& edge)
    {
        addUntil(edge.at);
        Running& kind = m_running[edge.kind];
        kind.calls += edge.calls;
        kind.exposed = kind.calls == 0 ? 0.0 : kind.exposed + edge.calls * edge.exposed;
    }
    std::int64_t exposedOf(std::size_t kind) const { return std::llround(m_exposed_ns[kind]); }

private:
    struct Running {
        int calls = 0;
        double exposed = 0.0; // their shares

        double mean() const { return calls > 0 ? exposed / calls : 0.0; }
    };

    void addUntil(TraceTime at)
    {
        const auto passed = static_cast<double>(at - std::exchange(m_at, at));
        double most = 0.0;
        double sum = 0.0;
        for (const Running& kind : m_running) {
            most = std::max(most, kind.mean());
            sum += kind.mean();
        }
        for (std::size_t kind = 0; sum > 0.0 && kind < m_running.size(); ++kind)
            m_exposed_ns[kind] += passed * most * m_running[kind].mean() / sum;
    }

    TraceTime m_at = 0;
    std::array<Running, kind_count> m_running{};
    std::array<double, kind_count> m_exposed_ns{};
};

} // namespace

void addExposedKinds(std::span<const Call> calls, RankMeasurement& rank)
{
    std::vector<Edge> edges;
    for (const Call& call : calls)
        if (call.is_timed && call.is_of_step && call.duration_ns > 0) {
            const double exposed =
                static_cast<double>(call.exposed_ns) / static_cast<double>(call.duration_ns);
            const auto kind = static_cast<std::size_t>(call.kind);
            edges.push_back({call.start, kind, 1, exposed});
            edges.push_back({call.start + call.duration_ns, kind, -1, exposed});
        }
    std::ranges::sort(edges, {}, &Edge::at);
    Moments moments;
    for (const Edge& edge : edges)
        moments.go(edge);
    for (std::size_t kind = 0; kind < rank.exposed_of_kind_ns.size(); ++kind)
        rank.exposed_of_kind_ns[kind] += moments.exposedOf(kind);
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
