#include "core/analysis/calls/expert_traffic.h"
#include "core/trace/trace_builder.h"

#include <QTest>

using namespace shardscope;

namespace
{

struct Exchange {
    std::int64_t in_bytes = 0;
    std::int64_t out_bytes = 0;
};

// A rank with a dispatch and a combination in each of the steps 5, 6, ...
void addRank(TraceSet& traces, Measurement& measurement, const std::vector<Exchange>& dispatches)
{
    TraceBuilder builder;
    const TrackIndex thread = builder.addTrack("1", "1");
    const TrackIndex stream = builder.addTrack("0", "7", true);
    const NameId name = builder.intern("alltoall");
    TraceTime now = 0;
    const std::size_t file = traces.files.size();
    for (std::size_t step = 0; step < dispatches.size(); ++step, now += 1000) {
        builder.addEvent(thread, now, 1000, "ProfilerStep#" + std::to_string(5 + step), "user_annotation");
        const Exchange there = dispatches[step];
        TraceTime start = now + 100;
        for (const Exchange& one : {there, Exchange{there.out_bytes, there.in_bytes}}) {
            CollectiveCall call;
            call.event = builder.addEvent(stream, start, 50, "ncclDevKernel_SendRecv", "kernel");
            start += 200;
            call.name = name;
            call.in_bytes = one.in_bytes;
            call.out_bytes = one.out_bytes;
            builder.addCollective(call);
        }
    }
    TraceFile trace;
    trace.rank = static_cast<std::int64_t>(file);
    trace.store = builder.finish();
    for (const CollectiveCall& call : trace.store->collectives()) {
        MeasuredCall measured;
        measured.file = file;
        measured.event = call.event;
        measured.kind = Kind::ep;
        measured.op = Op::all_to_all;
        measurement.calls.push_back(measured);
    }
    traces.files.push_back(std::move(trace));
}

} // namespace

class TestExpertTraffic : public QObject
{
    Q_OBJECT
private slots:
    // Both ranks have 100 tokens. In step 5 the experts of rank 0 receive 150 of them, those of rank 1 50; in
    // step 6 it is even.
    void loadsFollowWhatRanksReceive()
    {
        TraceSet traces;
        Measurement measurement;
        addRank(traces, measurement, {{100, 150}, {100, 100}});
        addRank(traces, measurement, {{100, 50}, {100, 100}});
        const auto of = [&](std::optional<std::int64_t> step) {
            QList<double> loads;
            for (const MeasuredExpertLoad& load : measuredExpertLoads(traces, measurement, step))
                loads << load.load;
            return loads;
        };
        QCOMPARE(of(5), (QList<double>{1.5, 0.5}));
        QCOMPARE(of(6), (QList<double>{1.0, 1.0}));
        QCOMPARE(of(std::nullopt), (QList<double>{1.25, 0.75}));
        QCOMPARE(of(7), QList<double>{});
    }

    void otherCallsTellNothing()
    {
        TraceSet traces;
        Measurement measurement;
        addRank(traces, measurement, {{100, 150}});
        measurement.calls[0].kind = Kind::cp; // Ulysses exchanges heads
        measurement.calls[1].op = Op::all_gather;
        QVERIFY(measuredExpertLoads(traces, measurement).empty());
    }
};

QTEST_APPLESS_MAIN(TestExpertTraffic)
#include "tst_expert_traffic.moc"
