#pragma once

#include "core/prediction/messages/forwarded_rows.h"
#include "core/prediction/prediction.h"
#include "core/prediction/ranks/rank_layout.h"

#include <optional>
#include <vector>

namespace shardscope
{

// The different parts that ranks play. Ranks of a stage do the same but for two things: the last of a
// broadcast's chain hands nothing on, and with uneven routing sizes follow what the rank's own experts
// receive.
class RankParts
{
public:
    // Keeps a reference: the scenario must live as long.
    explicit RankParts(const Scenario& scenario);
    RankParts(Scenario&&) = delete;

    // At least one for each stage.
    std::size_t size() const { return m_stages * m_places * m_chain_places; }
    std::size_t part(const RankCoordinates& place) const;
    // The lowest place that plays this part. Where tensor ranks hold whole experts, no rank may play one that
    // is of uneven loads and of the end of a tensor group's chain: then part() of the answer is another.
    RankCoordinates firstPlace(std::size_t part) const;
    // What its experts receive, over the mean.
    double load(std::size_t part) const;
    bool isUneven() const { return !m_loads.empty(); }
    double leastLoad() const;
    double greatestLoad() const;
    // Pre: `prediction` is predict() of the same scenario.
    std::vector<Message> messages(const Prediction& prediction, std::size_t part) const;
    // One of its stage's, as ranks of this part send it; of 0 bytes where it is none.
    Message message(Message of_stage, std::size_t part) const;

private:
    // Pre: rows are forwarded.
    void forward(Message& message, std::size_t part) const;

    const Scenario& m_scenario;
    RankLayout m_layout;
    std::vector<double> m_loads; // of the places of an expert group; empty: even
    std::optional<ForwardedRows> m_forwarded;
    std::size_t m_stages;
    std::size_t m_places;
    std::size_t m_chain_places; // 2 where the end of the chain is a part of its own
};

} // namespace shardscope
