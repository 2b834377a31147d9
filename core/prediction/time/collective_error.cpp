#include "core/prediction/time/collective_error.h"

#include "core/collectives/link_law.h"

#include <algorithm>
#include <string_view>

namespace shardscope
{

namespace
{

// Up to which size, with constants of the links' own kind and with another kind's.
struct ErrorOfSizes {
    std::int64_t below_bytes = 0;
    double measured = 0.0;
    double carried_over = 0.0;
};

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::array errors{ErrorOfSizes{16 * mebibyte, 0.24, 0.60}, ErrorOfSizes{64 * mebibyte, 0.12, 0.50}};
constexpr ErrorOfSizes error_of_large{0, 0.06, 0.30};

constexpr std::array<std::string_view, 4> kinds_within_nodes{"nvlink3", "nvlink4", "nvlink5", "pcie3"};
constexpr std::array<std::string_view, 2> kinds_across_nodes{"infiniband", "efa"};

// Rings of one law; all_to_all has curves within nodes alone.
bool hasCurve(Op op, bool crosses_nodes)
{
    return op == Op::all_reduce || op == Op::all_gather || op == Op::reduce_scatter
           || (op == Op::all_to_all && !crosses_nodes);
}

// A kind with a published curve, or figures that this cluster's own measurements gave.
bool isMeasured(const Cluster& cluster, bool crosses_nodes)
{
    if (crosses_nodes ? cluster.collectives.inter_inferred : cluster.collectives.intra_inferred)
        return false;
    CollectiveLaw usual;
    if (crosses_nodes) {
        takeInterLink(usual, cluster.inter_node.kind);
        return std::ranges::find(kinds_across_nodes, cluster.inter_node.kind) != kinds_across_nodes.end()
               || usual.inter_efficiency != cluster.collectives.inter_efficiency;
    }
    takeIntraLink(usual, cluster.intra_node.kind);
    return std::ranges::find(kinds_within_nodes, cluster.intra_node.kind) != kinds_within_nodes.end()
           || usual.intra_efficiency != cluster.collectives.intra_efficiency;
}

} // namespace

CollectiveErrors::CollectiveErrors(const Cluster& cluster)
    : m_calibrated{cluster.calibrated},
      m_measured_within_nodes{isMeasured(cluster, false)},
      m_measured_across_nodes{isMeasured(cluster, true)}
{
}

double CollectiveErrors::of(Op op, bool crosses_nodes, double message_bytes) const
{
    if (!m_calibrated)
        return 0.0;
    const auto of_size = std::ranges::find_if(errors, [message_bytes](const ErrorOfSizes& sizes) {
        return message_bytes < static_cast<double>(sizes.below_bytes);
    });
    const ErrorOfSizes& sizes = of_size == errors.end() ? error_of_large : *of_size;
    const bool is_measured = crosses_nodes ? m_measured_across_nodes : m_measured_within_nodes;
    return hasCurve(op, crosses_nodes) && is_measured ? sizes.measured : sizes.carried_over;
}

std::array<double, 2> collectiveErrorBand(const Cluster& cluster, const CollectiveQuestion& question,
                                          std::int64_t message_bytes)
{
    const double error = CollectiveErrors{cluster}.of(question.op, question.ranks > question.per_node,
                                                      static_cast<double>(message_bytes));
    return {0.0 - error, error}; // no -0
}

} // namespace shardscope
