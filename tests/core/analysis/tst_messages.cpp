#include <QTest>

#include "core/analysis/analyze.h"
#include "core/analysis/calls/call_kinds.h"
#include "core/analysis/calls/measured_matrix.h"
#include "core/analysis/calls/message_rows.h"
#include "core/analysis/calls/traffic_rate.h"
#include "tests/core/analysis/hand_made_run.h"

#include <numeric>

using namespace shardscope;

class TestMessages : public QObject
{
    Q_OBJECT

    static CallList kindsFound(const TraceSet& traces)
    {
        std::vector<EventClasses> classes;
        for (const TraceFile& file : traces.files)
            classes.emplace_back(*file.store, ClassificationRules::shipped());
        CallList list = communicationCalls(traces, classes);
        findToldKinds(traces, classes, ClassificationRules::shipped(), list);
        findKindsOfOnlyGroup(traces, list);
        return list;
    }

    static HandMadeCall inGroup(const char* name, std::int64_t in, std::int64_t out, const char* ranks,
                                int peer = -1, const char* description = "TENSOR_MODEL_PARALLEL_GROUP")
    {
        return {0, 10, name, in, out, ranks, ranks, peer, -1, description};
    }

    static QString cells(const std::vector<MeasuredCell>& matrix)
    {
        QStringList text;
        for (const MeasuredCell& cell : matrix)
            text += QStringLiteral("%1->%2: %3").arg(cell.sender).arg(cell.receiver).arg(cell.bytes);
        return text.join(", ");
    }

private slots:
    void equalCallsMakeOneRow()
    {
        const TraceSet traces{{handMadeFile(3, {{0, 10, "allreduce", 64, 64},
                                                {20, 40, "allreduce", 64, 64},
                                                {70, 13, "allreduce", 64, 64},
                                                {90, 20, "allreduce", 64, 64},
                                                {120, 5, "allreduce", 32, 32}})}};
        const auto rows = collectiveRows(callsOf(traces), 3);
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0].message_bytes, std::int64_t{32});
        QCOMPARE(rows[1].count, std::int64_t{4});
        QCOMPARE(rows[1].sum_ns, std::int64_t{83});
        QCOMPARE(rows[1].min_ns, std::int64_t{10});
        QCOMPARE(rows[1].median_ns, std::int64_t{16}); // of 10, 13, 20, 40
        QCOMPARE(rows[1].max_ns, std::int64_t{40});
        QCOMPARE(collectiveRows(callsOf(traces), 0).size(), std::size_t{0});
    }

    void callsThatTwoFilesTellCountOnce()
    {
        TraceFile graph = handMadeFile(0, {}); // an execution trace beside the timeline of its run
        graph.format = "pytorch_et";
        SizedCall told;
        told.name = "allreduce";
        told.in_bytes = 64;
        told.count = 2;
        graph.calls = {told};
        TraceFile alone = graph;
        alone.rank = 1;
        TraceFile log = alone; // tells less of rank 1 than the execution trace
        log.format = "nccl_log";
        const TraceSet traces{{handMadeFile(0, {{0, 10, "allreduce", 64, 64}, {20, 40, "allreduce", 64, 64}}),
                               graph, alone, log}};
        const CallList list = callsOf(traces);
        QCOMPARE(list.is_repeated, (std::vector<bool>{false, true, false, true}));
        std::vector<std::string> notes;
        QCOMPARE(messageHistogram(list, notes)[0].count, std::int64_t{4});
        const Measurement measured = analyze(traces);
        QCOMPARE(measured.ranks[0].collectives[0].count, std::int64_t{2});
        QVERIFY(measured.ranks[0].has_timeline);
        QVERIFY(std::ranges::any_of(measured.notes, [](const std::string& note) {
            return note.find("pytorch_et are not counted") != std::string::npos;
        }));
        QVERIFY(std::ranges::none_of(
            measured.notes, [](const std::string& note) { return note.find("claim") != std::string::npos; }));
    }

    void theHistogramAddsRanksUp()
    {
        const TraceSet traces{
            {handMadeFile(0, {{0, 1, "_allgather_base", 8, 64}, {2, 1, "allreduce", 64, 64}}),
             handMadeFile(1, {{0, 1, "nccl:all_gather", 8, 64}, {5, 1, "allreduce", -1, -1}})}};
        std::vector<std::string> notes;
        const auto histogram = messageHistogram(callsOf(traces), notes);
        QCOMPARE(histogram.size(), std::size_t{2});
        QCOMPARE(histogram[0].op, Op::all_reduce);
        QCOMPARE(histogram[0].count, std::int64_t{1});
        QCOMPARE(histogram[1].op, Op::all_gather);
        QCOMPARE(histogram[1].bytes, std::int64_t{64});
        QCOMPARE(histogram[1].count, std::int64_t{2});
        QCOMPARE(notes.size(), std::size_t{1}); // one call tells no size
    }

    // Ring convention with n = 4 and S = 64: 2*3/4*64 = 96 for all_reduce, 48 for all_gather and
    // reduce_scatter, 64 a hop for broadcast, 16 to each for all_to_all.
    void whatARankSendsInItsGroup_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<qint64>("in");
        QTest::addColumn<qint64>("out");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QString>("sent");
        QTest::newRow("all_reduce") << "allreduce" << qint64{64} << qint64{64} << 2 << "2->6: 96";
        QTest::newRow("last to first") << "allreduce" << qint64{64} << qint64{64} << 6 << "6->0: 96";
        QTest::newRow("all_gather") << "_allgather_base" << qint64{16} << qint64{64} << 0 << "0->4: 48";
        QTest::newRow("reduce_scatter")
            << "_reduce_scatter_base" << qint64{64} << qint64{16} << 4 << "4->2: 48";
        QTest::newRow("broadcast") << "broadcast" << qint64{64} << qint64{64} << 4 << "4->2: 64";
        QTest::newRow("broadcast's end") << "broadcast" << qint64{64} << qint64{64} << 6 << "";
        QTest::newRow("all_to_all") << "all_to_all" << qint64{64} << qint64{64} << 4
                                    << "4->0: 16, 4->2: 16, 4->6: 16";
        QTest::newRow("barrier") << "barrier" << qint64{4} << qint64{4} << 4 << "";
    }
    void whatARankSendsInItsGroup()
    {
        QFETCH(QString, name);
        QFETCH(qint64, in);
        QFETCH(qint64, out);
        QFETCH(int, rank);
        const auto call = inGroup("", in, out, "[0, 4, 2, 6]");
        HandMadeCall named = call;
        named.name = name.toStdString();
        std::vector<std::string> notes;
        const TraceSet traces{{handMadeFile(rank, {named})}};
        const auto matrix = measuredMatrix(traces, kindsFound(traces), nullptr, notes);
        QTEST(cells(matrix), "sent");
        QVERIFY(notes.empty());
        for (const MeasuredCell& cell : matrix)
            QCOMPARE(cell.kind, Kind::tp);
    }

    // Whatever they count: rows of 8 bytes here.
    void splitsTellWhatEachMemberGets()
    {
        std::vector<std::string> notes;
        const TraceSet traces{
            {handMadeFile(2, {{0, 10, "all_to_allv", 80, 48, "1", "[0, 2, 5]", -1, -1, "", "[7, 2, 1]"},
                              {20, 10, "all_to_allv", 0, 48, "1", "[0, 2, 5]", -1, -1, "", "[0, 0, 0]"}})}};
        QCOMPARE(cells(measuredMatrix(traces, kindsFound(traces), nullptr, notes)),
                 QStringLiteral("2->0: 56, 2->5: 8"));
        QVERIFY(notes.empty());
    }

    void splitsThatAreNotWholeAreSaid_data()
    {
        QTest::addColumn<QString>("splits");
        QTest::newRow("cut") << "[24, ...]";
        QTest::newRow("of another group") << "[24, 24, 16]";
    }
    void splitsThatAreNotWholeAreSaid()
    {
        QFETCH(QString, splits);
        std::vector<std::string> notes;
        const TraceSet traces{{handMadeFile(
            0, {{0, 10, "all_to_allv", 64, 64, "1", "[0, 1]", -1, -1, "", splits.toStdString()}})}};
        QCOMPARE(cells(measuredMatrix(traces, kindsFound(traces), nullptr, notes)),
                 QStringLiteral("0->1: 32"));
        QCOMPARE(notes.size(), std::size_t{1});
    }

    void unevenAllToAllsAreSaid()
    {
        std::vector<std::string> notes;
        const TraceSet even{{handMadeFile(0, {{0, 10, "all_to_allv", 64, 64, "1", "[0, 1]"}})}};
        QCOMPARE(cells(measuredMatrix(even, kindsFound(even), nullptr, notes)), QStringLiteral("0->1: 32"));
        QVERIFY(notes.empty());
        const TraceSet uneven{{handMadeFile(0, {{0, 10, "all_to_allv", 64, 48, "1", "[0, 1]"}})}};
        QCOMPARE(cells(measuredMatrix(uneven, kindsFound(uneven), nullptr, notes)),
                 QStringLiteral("0->1: 32"));
        QCOMPARE(notes.size(), std::size_t{1});
    }

    // What others send is not known, whatever the matrix holds of it.
    void ranksOfFilesThatWereReadAreRecorded()
    {
        TraceSet traces{{handMadeFile(0, {}), handMadeFile(4, {}), handMadeFile(5, {})}};
        traces.files[1].status = FileStatus::rejected;
        QCOMPARE(recordedRanks(traces), (std::set<std::int64_t>{0, 5}));
    }

    void aMessageCountsAtItsSender()
    {
        const char* pipeline = "PIPELINE_MODEL_PARALLEL_GROUP";
        const TraceSet traces{
            {handMadeFile(0, {inGroup("send", 100, 100, "[0, 4, 8]", 1, pipeline)}),
             handMadeFile(4, {inGroup("recv", 100, 100, "[0, 4, 8]", 0, pipeline),
                              inGroup("recv", 30, 30, "[0, 4, 8]", 2, pipeline)})}}; // rank 8 was not read
        std::vector<std::string> notes;
        const auto matrix = measuredMatrix(traces, kindsFound(traces), nullptr, notes);
        QCOMPARE(cells(matrix), QStringLiteral("0->4: 100, 8->4: 30"));
        QCOMPARE(matrix.front().kind, Kind::pp);
    }

    // Three ranks with two stages each: of the last rank's first stage activations go round to the first
    // rank.
    void stagesThatNameNoPeerSendBothWays_data()
    {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("virtual_stages");
        QTest::addColumn<QString>("sent");
        const QString there_and_back = "0->4: 120, 4->0: 60, 4->8: 60, 8->4: 120";
        QTest::newRow("no layout") << 0 << 0 << there_and_back;
        QTest::newRow("one stage each") << 3 << 1 << there_and_back;
        QTest::newRow("two stages each")
            << 3 << 2 << "0->4: 80, 0->8: 40, 4->0: 60, 4->8: 60, 8->0: 40, 8->4: 80";
        QTest::newRow("the layout of another run") << 4 << 2 << there_and_back;
    }
    void stagesThatNameNoPeerSendBothWays()
    {
        QFETCH(int, pipeline);
        QFETCH(int, virtual_stages);
        TraceSet traces;
        for (const int rank : {0, 4, 8})
            traces.files.push_back(handMadeFile(
                rank, {inGroup("send", 120, 120, "[0, 4, 8]", -1, "PIPELINE_MODEL_PARALLEL_GROUP")}));
        Parallel layout;
        layout.pipeline = pipeline;
        layout.virtual_stages = virtual_stages;
        std::vector<std::string> notes;
        QTEST(cells(measuredMatrix(traces, kindsFound(traces), pipeline > 0 ? &layout : nullptr, notes)),
              "sent");
    }

    // 4 is no place in a group of three, so this writer gives ranks of the world.
    void peersMayBeRanksOfTheWorld()
    {
        const TraceSet traces{{handMadeFile(0, {inGroup("send", 100, 100, "[0, 4, 8]", 4)}),
                               handMadeFile(8, {inGroup("send", 7, 7, "[0, 4, 8]", 0)})}};
        std::vector<std::string> notes;
        QCOMPARE(cells(measuredMatrix(traces, kindsFound(traces), nullptr, notes)),
                 QStringLiteral("0->4: 100, 8->0: 7"));
    }

    void callsOfUnknownGroupsAreCounted()
    {
        const TraceSet traces{
            {handMadeFile(0, {{0, 10, "allreduce", 64, 64}, {20, 10, "allreduce", 64, 64}})}};
        std::vector<std::string> notes;
        QVERIFY(measuredMatrix(traces, callsOf(traces), nullptr, notes).empty());
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY(notes.front().starts_with("2 calls"));
    }

    void theDefaultGroupIsDataParallelWhereItIsTheOnlyOne()
    {
        TraceFile alone = handMadeFile(0, {inGroup("allreduce", 64, 64, "[0, 1]", -1, "default_pg"),
                                           inGroup("all_to_all", 64, 64, "[0, 1]", -1, "default_pg")});
        alone.groups = {{"0", "default_pg", {0, 1}, 2}};
        TraceFile beside_others = alone;
        beside_others.groups.push_back({"1", "TENSOR_MODEL_PARALLEL_GROUP", {0, 1}, 2});
        const TraceSet alone_set{{alone}};
        const TraceSet other_set{{beside_others}};
        const CallList told = kindsFound(alone_set);
        QCOMPARE(told.calls[0].kind, Kind::dp);
        QCOMPARE(told.calls[0].kind_from, std::string_view{"only group"});
        QCOMPARE(told.calls[1].kind, Kind::unknown);
        QCOMPARE(kindsFound(other_set).calls[0].kind, Kind::unknown);
    }

    // 60 bytes over [0, 30), then 20 over [30, 40): an all_reduce of two sends what it is given.
    void trafficIsSpreadOverACallsTime()
    {
        const TraceSet traces{{handMadeFile(0, {{1000, 30, "allreduce", 60, 60, "1", "[0, 1]"},
                                                {1030, 9, "allreduce", 20, 20, "1", "[0, 1]"}})}};
        const TrafficRate rate = trafficRate(callsOf(traces), 4);
        QCOMPARE(rate.of, TrafficOf::bytes_sent);
        QCOMPARE(rate.start_ns, TraceTime{1000});
        QCOMPARE(rate.bin_ns, TraceTime{10});
        QCOMPARE(rate.amounts, (std::vector<double>{20.0, 20.0, 20.0, 20.0}));
    }

    // Rank 1 sends at the same time, by a clock that is 500 ahead.
    void trafficOfOneClockHasThatTakenOut()
    {
        const TraceSet traces{{handMadeFile(0, {{1000, 40, "allreduce", 80, 80, "1", "[0, 1]"}}),
                               handMadeFile(1, {{1500, 40, "allreduce", 80, 80, "1", "[0, 1]"}})}};
        const CallList list = callsOf(traces);
        std::vector<MeasuredCall> calls;
        for (std::size_t file = 0; file < 2; ++file) {
            MeasuredCall& call = calls.emplace_back();
            call.file = file;
            call.event = list.calls[file].event;
            call.op = Op::all_reduce;
            call.message_bytes = 80;
            call.group_size = 2;
        }
        const TrafficRate rate = trafficRate(calls, traces, {{0, 0}, {1, 500}}, 4);
        QCOMPARE(rate.start_ns, TraceTime{1000});
        QCOMPARE(std::accumulate(rate.amounts.begin(), rate.amounts.end(), 0.0), 160.0);
        QVERIFY(rate.amounts.size() <= 4);
        QCOMPARE(rate.sized_calls, std::int64_t{2});
        const TrafficRate recorded = trafficRate(calls, traces, {}, 4);
        QCOMPARE(recorded.amounts, trafficRate(list, 4).amounts);
        QVERIFY(recorded.bin_ns > 10 * rate.bin_ns);
    }

    void withoutSizesTheTimeIsShown()
    {
        const TraceSet traces{{handMadeFile(0, {{0, 10, "allreduce"}, {15, 4, "allreduce"}})}};
        const TrafficRate rate = trafficRate(callsOf(traces), 2);
        QCOMPARE(rate.of, TrafficOf::communication_ns);
        QCOMPARE(rate.unsized_calls, std::int64_t{2});
        QCOMPARE(rate.amounts, (std::vector<double>{10.0, 4.0}));
    }

    // As much of it as the rank communicates, on however many streams or GPUs.
    void aRankIsNeverMoreThanOneThatIsBusy()
    {
        const auto busyOf = [](std::int64_t second_rank) {
            const TraceSet traces{{handMadeFile(0, {{0, 10, "allreduce"}}),
                                   handMadeFile(static_cast<int>(second_rank), {{5, 10, "allreduce"}})}};
            const TrafficRate rate = trafficRate(callsOf(traces), 3);
            return std::accumulate(rate.amounts.begin(), rate.amounts.end(), 0.0);
        };
        QCOMPARE(busyOf(0), 15.0);
        QCOMPARE(busyOf(1), 20.0);
    }
};

QTEST_APPLESS_MAIN(TestMessages)
#include "tst_messages.moc"
