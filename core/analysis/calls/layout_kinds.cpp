#include "core/analysis/calls/layout_kinds.h"

#include "core/analysis/calls/kind_assignment.h"
#include "core/analysis/calls/repeated_calls.h"
#include "core/analysis/calls/shown_message.h"
#include "core/analysis/classification/collective_name.h"
#include "core/analysis/gpu_time/forward_only.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/predict.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/trace/step_mark.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>

namespace shardscope
{

namespace
{

ShownCalls shownAs(const Call& call)
{
    return {call.name, call.dtype, call.op, call.message_bytes, call.in_bytes};
}

// Numbers classes of calls from 0 on; a trace may have tens of thousands of sizes.
class CallClasses
{
public:
    std::size_t numberOf(const Call& call)
    {
        const ShownCalls shown = shownAs(call);
        const auto [row, is_new] = m_rows.try_emplace(
            {shown.name, shown.dtype, shown.op, shown.message_bytes, shown.in_bytes}, m_classes.size());
        if (is_new)
            m_classes.push_back(shown);
        return row->second;
    }

    std::size_t size() const { return m_classes.size(); }
    const ShownCalls& at(std::size_t number) const { return m_classes[number]; }

private:
    using Key = std::tuple<std::string_view, std::string_view, Op, std::int64_t, std::int64_t>;
    std::map<Key, std::size_t> m_rows;
    std::vector<ShownCalls> m_classes;
};

// One file's rank held against what it must send.
class RankKinds
{
public:
    RankKinds(const RankLayout& layout, std::span<const Message> messages, std::int64_t rank,
              std::int64_t iterations, CallList& list, std::span<Call> calls)
        : m_layout{layout},
          m_messages{messages},
          m_rank{rank},
          m_iterations{iterations},
          m_list{list},
          m_calls{calls}
    {
    }

    void findKinds()
    {
        assignPointToPoint();
        assignUnits();
        for (Call& call : m_calls)
            giveGroup(call);
    }

    void addMisfit(LayoutMisfit& misfit) const
    {
        CallClasses classes; // not those of assignUnits(): with its group, a call has got its message's size
        std::map<std::pair<Kind, std::size_t>, std::int64_t> counts;
        for (const Call& call : m_calls) {
            if (call.kind == Kind::unknown)
                misfit.unknown_calls += call.count;
            counts[{call.kind, classes.numberOf(call)}] += call.count;
        }
        misfit.differing_classes += std::ranges::count_if(counts, [&](const auto& one) {
            const auto& [kind, number] = one.first;
            return one.second != predictedCount(kind, classes.at(number));
        });
        misfit.differing_classes += std::ranges::count_if(m_messages, [&](const Message& message) {
            return std::ranges::none_of(counts, [&](const auto& one) {
                const auto& [kind, number] = one.first;
                return kind == message.kind && howShown(message, classes.at(number)) != Shown::no;
            });
        });
    }

private:
    std::vector<Kind> kindsThatSend(const ShownCalls& shown) const
    {
        std::set<Kind> kinds;
        for (const Message& message : m_messages)
            if (howShown(message, shown) != Shown::no)
                kinds.insert(message.kind);
        return {kinds.begin(), kinds.end()};
    }

    std::int64_t predictedCount(Kind kind, const ShownCalls& shown) const
    {
        std::int64_t count = 0;
        for (const Message& message : m_messages)
            if (message.kind == kind && howShown(message, shown) != Shown::no)
                count += message.count * m_iterations;
        return count;
    }

    static void give(Call& call, Kind kind)
    {
        call.kind = kind;
        call.kind_from = "layout";
    }

    // Sends and receives run on the thread that asks for them, so size and operation alone tell.
    void assignPointToPoint()
    {
        for (Call& call : m_calls)
            if (call.kind == Kind::unknown && isPointToPoint(call.op))
                if (const auto kinds = kindsThatSend(shownAs(call)); kinds.size() == 1)
                    give(call, kinds.front());
    }

    // Calls that must be of one kind: of one named group, else of one thread or stream.
    using Units = std::map<std::string, std::vector<Call*>>;
    static std::string unitOf(const Call& call)
    {
        if (!call.group.empty())
            return "group " + std::string{call.group} + ' ' + std::string{call.group_ranks};
        return "track " + std::to_string(static_cast<std::uint32_t>(call.track));
    }

    void assignUnits()
    {
        KindAssignment assignment;
        Units units;
        CallClasses classes;
        const auto classOf = [&](const Call& call) {
            const std::size_t known = classes.size();
            const std::size_t number = classes.numberOf(call);
            const int row = static_cast<int>(number);
            if (number == known) // the first of its class
                for (const Kind kind : kindsThatSend(classes.at(number)))
                    assignment.expect(kind, row, predictedCount(kind, classes.at(number)));
            return row;
        };
        for (Call& call : m_calls) {
            if (isPointToPoint(call.op))
                continue;
            const int row = classOf(call);
            if (call.kind != Kind::unknown)
                assignment.alreadyGiven(call.kind, row, call.count);
            else
                units[unitOf(call)].push_back(&call);
        }
        for (const auto& [name, calls] : units) {
            KindAssignment::Unit unit;
            for (const Call* call : calls)
                unit.counts[classOf(*call)] += call->count;
            unit.excluded = kindsOfOtherGroups(*calls.front());
            assignment.addUnit(std::move(unit));
        }
        giveKinds(units, assignment.solve());
    }

    void giveKinds(const Units& units, const std::vector<Kind>& kinds)
    {
        auto kind = kinds.begin();
        for (const auto& [name, calls] : units) {
            if (*kind != Kind::unknown)
                for (Call* call : calls)
                    give(*call, *kind);
            ++kind;
        }
    }

    // Where the members are known, a kind whose group has others is out.
    std::vector<Kind> kindsOfOtherGroups(const Call& call) const
    {
        std::vector<Kind> others;
        if (call.members < 0)
            return others;
        auto members = m_list.groups[static_cast<std::size_t>(call.members)];
        std::sort(members.begin(), members.end());
        for (int k = 0; k < kind_count; ++k) {
            const Kind kind = static_cast<Kind>(k);
            auto group = membersOf(kind);
            std::sort(group.begin(), group.end());
            if (kind != Kind::unknown && !group.empty() && group != members)
                others.push_back(kind);
        }
        return others;
    }

    // The group of that kind, empty where the stage sends nothing of it.
    std::vector<std::int64_t> membersOf(Kind kind) const
    {
        const auto message = std::find_if(m_messages.begin(), m_messages.end(),
                                          [&](const Message& m) { return m.kind == kind; });
        if (message == m_messages.end())
            return {};
        auto members = m_layout.group(kind, m_rank);
        // A message of a pipeline is between two of its stages.
        assert(kind == Kind::pp || members.size() == static_cast<std::size_t>(message->group_size));
        return members;
    }

    void giveGroup(Call& call)
    {
        if (call.kind == Kind::unknown || call.members >= 0 || (call.kind == Kind::pp && call.peer >= 0))
            return;
        const auto members = membersOf(call.kind);
        if (members.empty())
            return;
        call.members = m_list.addGroup(members);
        if (isPointToPoint(call.op) && members.size() == 2)
            call.peer = members[0] == m_rank ? members[1] : members[0];
        if (call.group_size == 0)
            call.group_size = static_cast<std::int64_t>(members.size());
        if (call.message_bytes < 0)
            call.message_bytes = messageBytes(call.op, call.in_bytes, call.out_bytes, call.group_size);
    }

    const RankLayout& m_layout;
    std::span<const Message> m_messages; // that it must send
    std::int64_t m_rank;
    std::int64_t m_iterations;
    CallList& m_list;
    std::span<Call> m_calls;
};

LayoutMisfit explainsNothing(const CallList& list)
{
    LayoutMisfit misfit;
    for (const Call& call : list.calls)
        if (call.kind == Kind::unknown)
            misfit.unknown_calls += call.count;
    misfit.differing_classes = std::numeric_limits<std::int64_t>::max();
    return misfit;
}

// A scenario's layout, held against one file after the other.
class LayoutOfRun
{
public:
    LayoutOfRun(const TraceSet& traces, const Scenario& scenario, const Prediction& prediction,
                std::optional<std::int64_t> iterations)
        : m_traces{traces},
          m_prediction{prediction},
          m_iterations{iterations},
          m_layout{scenario.parallel},
          m_parts{scenario},
          m_is_forward_only{isForwardOnly(traces)}
    {
    }

    // The file that is none of such a layout's, if there is one.
    const TraceFile* fileOfOtherWorld(const CallList& list) const
    {
        const auto call = std::ranges::find_if(list.calls, [&](const Call& each) {
            const TraceFile& file = m_traces.files[each.file];
            return (file.world_size > 0 && file.world_size != m_layout.worldSize())
                   || file.rank >= m_layout.worldSize();
        });
        return call == list.calls.end() ? nullptr : &m_traces.files[call->file];
    }

    // `calls`: those of one file, in the list.
    void findKinds(CallList& list, std::span<Call> calls, LayoutMisfit& misfit) const
    {
        const TraceFile& file = m_traces.files[calls.front().file];
        std::vector<Message> messages =
            m_parts.messages(m_prediction, m_parts.part(m_layout.coordinates(file.rank)));
        if (m_is_forward_only)
            std::erase_if(messages, [](const Message& message) { return message.phase != Phase::forward; });
        const std::int64_t iterations = m_iterations.value_or(recordedIterations(file));
        RankKinds rank{m_layout, messages, file.rank, iterations, list, calls};
        rank.findKinds();
        rank.addMisfit(misfit);
    }

    std::int64_t worldSize() const { return m_layout.worldSize(); }

private:
    const TraceSet& m_traces;
    const Prediction& m_prediction;
    std::optional<std::int64_t> m_iterations;
    RankLayout m_layout;
    RankParts m_parts;
    bool m_is_forward_only;
};

template<typename Calls>
auto endOfFile(Calls first, Calls end)
{
    return std::find_if(first, end, [file = first->file](const Call& call) { return call.file != file; });
}

} // namespace

std::int64_t recordedIterations(const TraceFile& file)
{
    if (!file.store)
        return 1;
    std::int64_t steps = 0;
    const NameTable& names = file.store->names();
    for (std::size_t i = 0; i < names.size(); ++i)
        steps += isStepMark(names.text(NameId{static_cast<std::uint32_t>(i)}));
    return std::max<std::int64_t>(steps, 1);
}

std::int64_t recordedIterations(const TraceSet& traces, std::int64_t rank)
{
    std::int64_t iterations = 0;
    for (const TraceFile& file : traces.files)
        if (file.rank == rank && file.status != FileStatus::rejected && hasTimeline(file))
            iterations += recordedIterations(file);
    return std::max<std::int64_t>(1, iterations);
}

LayoutMisfit findKindsByLayout(const TraceSet& traces, const Scenario& scenario, CallList& list,
                               std::vector<std::string>& notes, std::optional<std::int64_t> iterations)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction) {
        notes.push_back(
            std::string{"the scenario's layout does not tell kinds: "}.append(prediction.error().sentence));
        return explainsNothing(list);
    }
    const LayoutOfRun layout{traces, scenario, prediction.value(), iterations};
    if (const TraceFile* file = layout.fileOfOtherWorld(list)) {
        notes.push_back("the trace is of " + std::to_string(std::max(file->world_size, file->rank + 1))
                        + " ranks and the scenario of " + std::to_string(layout.worldSize())
                        + ": its layout does not tell kinds");
        return explainsNothing(list);
    }
    LayoutMisfit misfit;
    for (auto first = list.calls.begin(); first != list.calls.end();) {
        const auto last = endOfFile(first, list.calls.end());
        layout.findKinds(list, {first, last}, misfit);
        first = last;
    }
    return misfit;
}

std::optional<LayoutMisfit> misfitOfLayout(const TraceSet& traces, const Scenario& scenario,
                                           const CallList& list, const LayoutMisfit& most,
                                           std::optional<std::int64_t> iterations)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return std::nullopt;
    const LayoutOfRun layout{traces, scenario, prediction.value(), iterations};
    if (layout.fileOfOtherWorld(list) != nullptr)
        return std::nullopt;
    LayoutMisfit misfit;
    for (auto first = list.calls.begin(); first != list.calls.end();) {
        const auto last = endOfFile(first, list.calls.end());
        CallList of_file{{first, last}, list.groups, {}};
        layout.findKinds(of_file, of_file.calls, misfit);
        if (misfit.exceeds(most))
            return std::nullopt;
        first = last;
    }
    return misfit;
}

} // namespace shardscope
