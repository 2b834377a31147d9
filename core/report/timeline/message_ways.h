#pragma once

#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/timeline/stage_events.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace shardscope
{

// To whom a send goes, or from whom a receipt comes: a neighbour in the pipeline or in a ring of its group.
enum class PeerSide : std::uint8_t { none, next_stage, previous_stage, next_member, previous_member };

// Of a send or a receipt by itself; none of everything else.
PeerSide peerSideOf(const StageEvent& event, const Scenario& scenario);
std::vector<StageEvent> eventsWithPeer(const std::vector<StageEvent>& events, const Scenario& scenario);

// A rank's neighbour on that side, and whom a reader of the trace takes for their group: the two stages, or
// all members of a ring.
struct MessagePeer {
    std::int64_t rank = 0;
    std::vector<std::int64_t> group;
    std::int64_t place = 0; // of the peer in the group, as PyTorch's profiler tells it
};
MessagePeer peerOf(std::int64_t rank, PeerSide side, const StageEvent& event, const RankLayout& layout);

// An end of the arrow from a send to its receipt.
struct ArrowEnd {
    std::int64_t number = 0; // among the sends of the sender's stage
    std::int64_t at_ns = 0;
};

// Which send of one stage is which receipt of another: of the messages that travel the same way in the same
// phase the n-th is the n-th. There is no arrow where receipts are missing, where one would arrive before it
// left or belong to another micro-batch.
class MessageWays
{
public:
    // The events with a peer of every stage that the trace holds.
    MessageWays(const std::map<int, std::vector<StageEvent>>& stages, const Scenario& scenario);

    // By place among the stage's events; nothing where there is no arrow.
    const std::vector<std::optional<ArrowEnd>>& ofStage(int stage) const { return m_ends.at(stage); }
    // More than any stage sends: makes numbers of several ranks differ.
    std::int64_t numbersPerRank() const { return m_numbers; }

private:
    // What tells messages apart that a stage exchanges with another.
    struct Way {
        Kind kind = Kind::unknown;
        Phase phase = Phase::forward;
        PeerSide sent_to = PeerSide::none; // receipts have that of their sender
        auto operator<=>(const Way&) const = default;
    };
    struct Exchange {
        std::vector<std::size_t> sends; // places, by start
        std::vector<std::size_t> receipts;
    };

    std::map<Way, Exchange> exchangesOf(const std::vector<StageEvent>& events,
                                        const Scenario& scenario) const;

    std::map<int, std::vector<std::optional<ArrowEnd>>> m_ends;
    std::int64_t m_numbers = 1;
};

} // namespace shardscope
