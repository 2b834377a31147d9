#pragma once

#include "core/analysis/measurement.h"
#include "core/prediction/traffic_matrix.h"
#include "widgets/plots/traffic_grid.h"

#include <memory>

namespace shardscope
{

// The predicted matrix, row by row as it is asked for.
class PredictedTraffic : public TrafficRows
{
public:
    explicit PredictedTraffic(TrafficMatrix matrix) : m_matrix{std::move(matrix)} {}
    std::int64_t ranks() const override { return m_matrix.worldSize(); }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;
    const TrafficMatrix& matrix() const { return m_matrix; }

private:
    TrafficMatrix m_matrix;
};

// The measured matrix. `ranks` is at least what the cells name.
class MeasuredTraffic : public TrafficRows
{
public:
    MeasuredTraffic(std::vector<MeasuredCell> cells, std::int64_t ranks);
    std::int64_t ranks() const override { return m_ranks; }
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;

private:
    std::vector<MeasuredCell> m_cells; // by sender
    std::int64_t m_ranks = 0;
};

// What the first sends more than the second, for each pair and kind. Differences that are only rounding are
// 0.
class TrafficDifference : public TrafficRows
{
public:
    TrafficDifference(std::shared_ptr<const TrafficRows> first, std::shared_ptr<const TrafficRows> second);
    std::int64_t ranks() const override;
    void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const override;

private:
    std::shared_ptr<const TrafficRows> m_first;
    std::shared_ptr<const TrafficRows> m_second;
};

} // namespace shardscope
