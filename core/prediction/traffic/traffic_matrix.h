#pragma once

#include "core/prediction/messages/forwarded_rows.h"
#include "core/prediction/prediction.h"
#include "core/prediction/ranks/rank_layout.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// What one rank sends to one other.
struct TrafficCell {
    std::int64_t sender = 0;
    std::int64_t receiver = 0;
    double bytes = 0.0;
};

// Who sends how many bytes to whom in one iteration, by kind, under the ring convention: to the next member
// in group order; broadcast along the chain; all_to_all straight to the receiver, or by the ways of
// ForwardedRows; send to its peer. A closed
// form: a row is computed when it is asked for, so a world of 131,072 ranks costs nothing until it is drawn.
class TrafficMatrix
{
public:
    TrafficMatrix(const Scenario& scenario, const Prediction& prediction);

    std::int64_t worldSize() const { return m_layout.worldSize(); }
    const RankLayout& layout() const { return m_layout; }
    // Kinds with any traffic, in the order of the enumeration.
    const std::vector<Kind>& kinds() const { return m_kinds; }
    // Appends the non-zero cells of one sender, one cell a receiver.
    void appendRow(Kind kind, std::int64_t sender, std::vector<TrafficCell>& cells) const;
    // Stages that begin to send otherwise than the one before them.
    std::vector<std::int64_t> stageBorders(Kind kind) const;
    // Each member of a group sends to every other one, by all_to_all.
    bool spreads(Kind kind) const;
    // What ranks send follows what their own experts receive.
    bool followsLoads(Kind kind) const;
    // Every non-zero cell of a kind, by sender, then receiver. For reports and small worlds.
    std::vector<TrafficCell> cells(Kind kind) const;

private:
    // Bytes that a rank of one stage sends, by the way they go.
    struct Flow {
        double ring_bytes = 0.0;        // to the next member
        double chain_bytes = 0.0;       // to the next member, but not from the last one
        double spread_bytes = 0.0;      // put into all_to_all, as much for each member
        double by_load_bytes = 0.0;     // put into all_to_all for the experts of each member
        double ring_loaded_bytes = 0.0; // to the next member, for a mean load of the rank's experts
        double spread_loaded_bytes = 0.0;
        double to_next_bytes = 0.0;     // stage, around the pipeline
        double to_previous_bytes = 0.0; // stage
        bool operator==(const Flow&) const = default;
    };
    using StageFlows = std::array<Flow, kind_count>;

    static void add(const Scenario& scenario, const Message& message, Flow& flow);
    double load(std::size_t expert_place) const;
    void appendSpread(Kind kind, std::int64_t sender, const Flow& flow, std::vector<TrafficCell>& cells,
                      std::size_t row) const;

    void appendForwarded(std::int64_t sender, const Flow& flow, std::vector<TrafficCell>& cells,
                         std::size_t row) const;

    RankLayout m_layout;
    std::vector<double> m_loads;              // of the places of an expert group; empty: even
    std::optional<ForwardedRows> m_forwarded; // rows of expert groups
    std::vector<Kind> m_kinds;
    std::vector<StageFlows> m_flows; // by stage
};

} // namespace shardscope
