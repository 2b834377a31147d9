#include "core/report/timeline/message_ways.h"

#include "core/prediction/messages/message_contents.h"
#include "core/prediction/model/pipeline_chain.h"

#include <algorithm>
#include <iterator>

namespace shardscope
{

namespace
{

PeerSide oppositeOf(PeerSide side)
{
    switch (side) {
    case PeerSide::next_stage:
        return PeerSide::previous_stage;
    case PeerSide::previous_stage:
        return PeerSide::next_stage;
    case PeerSide::next_member:
        return PeerSide::previous_member;
    case PeerSide::previous_member:
        return PeerSide::next_member;
    case PeerSide::none:
        break;
    }
    return PeerSide::none;
}

// Whether the micro-batch goes from the last stage to the first there.
bool goesBack(const StageEvent& event, const Scenario& scenario)
{
    if (event.message)
        return contents::isReversed(event.message->what);
    return event.span->reversed != PipelineChain{scenario.parallel}.goesBack(event.span->chunk);
}

// Of sends and receipts: where the message goes, as its sender sees it.
PeerSide wayOf(const StageEvent& event, const Scenario& scenario)
{
    if (event.kind() != Kind::pp)
        return PeerSide::next_member;
    const bool is_back = (event.phase() == Phase::backward) != goesBack(event, scenario);
    return is_back ? PeerSide::previous_stage : PeerSide::next_stage;
}

// An arrow begins where its send does and ends within the receipt, as late as it can.
std::optional<std::pair<std::int64_t, std::int64_t>> timesOf(const StageEvent& send,
                                                             const StageEvent& receipt)
{
    const std::int64_t end_ns = std::max(receipt.start_ns, receipt.end_ns - 1);
    if (end_ns < send.start_ns || send.micro_batch != receipt.micro_batch)
        return std::nullopt;
    return std::pair{send.start_ns, end_ns};
}

} // namespace

PeerSide peerSideOf(const StageEvent& event, const Scenario& scenario)
{
    if (!event.isCommunication() || !event.is_counted || (event.op != Op::send && event.op != Op::recv))
        return PeerSide::none;
    const PeerSide way = wayOf(event, scenario);
    return event.op == Op::send ? way : oppositeOf(way);
}

std::vector<StageEvent> eventsWithPeer(const std::vector<StageEvent>& events, const Scenario& scenario)
{
    std::vector<StageEvent> messages;
    std::ranges::copy_if(events, std::back_inserter(messages), [&](const StageEvent& event) {
        return peerSideOf(event, scenario) != PeerSide::none;
    });
    return messages;
}

MessagePeer peerOf(std::int64_t rank, PeerSide side, const StageEvent& event, const RankLayout& layout)
{
    MessagePeer peer;
    if (side == PeerSide::next_stage || side == PeerSide::previous_stage) {
        peer.rank = side == PeerSide::next_stage ? layout.nextStage(rank) : layout.previousStage(rank);
        peer.group = {std::min(rank, peer.rank), std::max(rank, peer.rank)};
    } else {
        peer.group = layout.group(event.kind(), rank);
        const auto own = std::ranges::find(peer.group, rank) - peer.group.begin();
        const auto size = static_cast<std::ptrdiff_t>(peer.group.size());
        const auto place = (own + (side == PeerSide::next_member ? 1 : size - 1)) % size;
        peer.rank = peer.group[static_cast<std::size_t>(place)];
    }
    peer.place = std::ranges::find(peer.group, peer.rank) - peer.group.begin();
    return peer;
}

std::map<MessageWays::Way, MessageWays::Exchange>
MessageWays::exchangesOf(const std::vector<StageEvent>& events, const Scenario& scenario) const
{
    std::map<Way, Exchange> exchanges;
    for (std::size_t place = 0; place < events.size(); ++place) {
        const StageEvent& event = events[place];
        Exchange& exchange = exchanges[{event.kind(), event.phase(), wayOf(event, scenario)}];
        (event.op == Op::send ? exchange.sends : exchange.receipts).push_back(place);
    }
    const auto start = [&events](std::size_t place) { return events[place].start_ns; };
    for (auto& [way, exchange] : exchanges) {
        std::ranges::stable_sort(exchange.sends, {}, start);
        std::ranges::stable_sort(exchange.receipts, {}, start);
    }
    return exchanges;
}

MessageWays::MessageWays(const std::map<int, std::vector<StageEvent>>& stages, const Scenario& scenario)
{
    std::map<int, std::map<Way, Exchange>> exchanges;
    for (const auto& [stage, events] : stages) {
        m_ends[stage].resize(events.size());
        exchanges[stage] = exchangesOf(events, scenario);
    }
    const auto pipeline = static_cast<int>(scenario.parallel.pipeline);
    for (const auto& [sender, ways] : exchanges) {
        std::int64_t number = 0;
        for (const auto& [way, exchange] : ways) {
            const int step = way.sent_to == PeerSide::next_stage       ? 1
                             : way.sent_to == PeerSide::previous_stage ? pipeline - 1
                                                                       : 0;
            const int receiver = (sender + step) % pipeline;
            const auto of_receiver = exchanges.find(receiver);
            if (of_receiver == exchanges.end() || !of_receiver->second.contains(way))
                continue;
            const std::vector<std::size_t>& receipts = of_receiver->second.at(way).receipts;
            if (exchange.sends.size() != receipts.size())
                continue;
            for (std::size_t i = 0; i < receipts.size(); ++i)
                if (const auto times =
                        timesOf(stages.at(sender)[exchange.sends[i]], stages.at(receiver)[receipts[i]])) {
                    m_ends[sender][exchange.sends[i]] = ArrowEnd{number, times->first};
                    m_ends[receiver][receipts[i]] = ArrowEnd{number++, times->second};
                }
        }
        m_numbers = std::max(m_numbers, number);
    }
}

} // namespace shardscope
