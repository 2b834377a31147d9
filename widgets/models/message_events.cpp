#include "widgets/models/message_events.h"

#include <utility>

namespace shardscope
{

namespace
{

bool isOf(const MessageRow& row, const MeasuredCall& call, const TraceStore& store)
{
    if (call.kind != row.message.kind)
        return false;
    if (MessageKey{call.kind, call.op, call.message_bytes} == row.key())
        return true;
    ShownCalls calls;
    calls.op = call.op;
    calls.message_bytes = call.message_bytes;
    if (const CollectiveCall* told = store.collective(call.event)) {
        calls.name = store.names().text(told->name);
        calls.in_bytes = told->in_bytes;
    }
    return row.is_predicted && howShown(row.message, calls) != Shown::no;
}

} // namespace

EventWalk walkOf(const MessageRow& row, const RankScope& scope, const Content& content)
{
    EventWalk walk{content.measured, {}, {}};
    if (row.is_predicted)
        walk.predicted = {row.message, row.stage};
    if (!content.measured)
        return walk;
    const TraceSet& traces = content.measured->traces;
    const RunPlaces places{content.predicted.get(), *content.measured};
    for (const MeasuredCall& call : content.measured->measurement.calls) {
        const TraceFile& file = traces.files[call.file];
        if (places.isIn(scope, file.rank) && isOf(row, call, *file.store))
            walk.events.push_back({call.file, call.event, 0, file.store->duration(call.event)});
    }
    walk.events = heaviest(std::move(walk.events));
    walk.what = QStringLiteral("calls of the row, longest first");
    return walk;
}

} // namespace shardscope
