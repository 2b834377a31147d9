#pragma once

#include "core/analysis/measurement.h"
#include "core/prediction/traffic/traffic_families.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "widgets/plots/heatmap/traffic_grid.h"

#include <memory>
#include <set>

namespace shardscope
{

// Traffic in a closed form: nothing depends on the number of ranks.
class FamilyTraffic : public TrafficRows
{
public:
    explicit FamilyTraffic(TrafficFamilies families) : m_families{std::move(families)} {}
    std::int64_t ranks() const override { return m_families.worldSize(); }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;
    void fill(TrafficGrid& grid, std::optional<Kind> kind) const override;
    TrafficSummary summary(std::int64_t gpus_per_node) const override;
    std::int64_t fillCost(std::int64_t span, int bins) const override;
    std::int64_t summaryCost() const override;
    TrafficEnds endsOf(std::int64_t rank) const override;
    std::shared_ptr<const TrafficRows> byNode(std::int64_t gpus_per_node, NodeShare share) const override;
    std::int64_t byNodeCost(std::int64_t gpus_per_node) const override;
    const TrafficFamilies& families() const { return m_families; }

private:
    TrafficFamilies m_families;
};

// The predicted matrix.
class PredictedTraffic : public FamilyTraffic
{
public:
    explicit PredictedTraffic(TrafficMatrix matrix)
        : FamilyTraffic{TrafficFamilies{matrix}}, m_matrix{std::move(matrix)}
    {
    }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;

private:
    TrafficMatrix m_matrix;
};

// The measured matrix. `ranks` is at least what the cells name; of those that were not recorded it is not
// known what they sent, but for what recorded ones received.
class MeasuredTraffic : public TrafficRows
{
public:
    MeasuredTraffic(std::vector<MeasuredCell> cells, std::int64_t ranks, std::set<std::int64_t> recorded);
    std::int64_t ranks() const override { return m_ranks; }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;
    bool knows(std::int64_t sender) const override { return m_recorded.contains(sender); }
    std::int64_t knownSenders() const override;
    const std::vector<MeasuredCell>& cells() const { return m_cells; } // by sender

private:
    std::vector<MeasuredCell> m_cells;
    std::int64_t m_ranks = 0;
    std::set<std::int64_t> m_recorded;
};

// What the first sends more than the second, for each pair and kind. Differences that are only rounding are
// 0. A sender that one of them does not know has none.
class TrafficDifference : public TrafficRows
{
public:
    TrafficDifference(std::shared_ptr<const TrafficRows> first, std::shared_ptr<const TrafficRows> second);
    std::int64_t ranks() const override;
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;
    TrafficEnds endsOf(std::int64_t rank) const override;
    bool knows(std::int64_t sender) const override
    {
        return m_first->knows(sender) && m_second->knows(sender);
    }
    std::int64_t knownSenders() const override { return m_known_senders; }
    std::shared_ptr<const TrafficRows> byNode(std::int64_t gpus_per_node, NodeShare share) const override;
    std::int64_t byNodeCost(std::int64_t gpus_per_node) const override;

private:
    std::shared_ptr<const TrafficRows> m_first;
    std::shared_ptr<const TrafficRows> m_second;
    std::int64_t m_known_senders = 0;
};

} // namespace shardscope
