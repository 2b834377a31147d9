#include <QTest>

#include "core/analysis/calls/call_kinds.h"
#include "core/analysis/calls/cross_rank.h"
#include "tests/core/analysis/hand_made_run.h"

Q_DECLARE_METATYPE(std::vector<std::int64_t>)

using namespace shardscope;

class TestCrossRank : public QObject
{
    Q_OBJECT

    static CrossRank measured(const TraceSet& traces, std::vector<std::string>* notes = nullptr)
    {
        std::vector<std::string> said;
        const CallList list = callsOf(traces);
        std::vector<std::int64_t> ranks;
        for (const TraceFile& file : traces.files)
            ranks.push_back(file.rank);
        const CrossRank across = measureAcrossRanks(matchCalls(traces, list, said), ranks);
        if (notes)
            *notes = said;
        return across;
    }

private slots:
    // Rank 1 starts the first call 30 later and the second 5 earlier; all end together.
    void theFirstToComeWaitsForTheLast()
    {
        const auto across =
            measured({{handMadeFile(0, {{100, 50, "allreduce", 8}, {200, 20, "allreduce", 8}}),
                       handMadeFile(1, {{130, 20, "allreduce", 8}, {195, 25, "allreduce", 8}})}});
        QCOMPARE(across.matched, std::int64_t{2});
        QCOMPARE(across.transfer_ns, std::int64_t{20 + 20});
        QCOMPARE(across.wait_ns, (std::map<std::int64_t, std::int64_t>{{0, 30}, {1, 5}}));
        QCOMPARE(across.last_starter, (std::map<std::int64_t, std::int64_t>{{0, 1}, {1, 1}}));
        QCOMPARE(across.clock_offset_ns, (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 0}}));
        QCOMPARE(across.delay_caused_ns, (std::map<std::int64_t, std::int64_t>{{0, 5}, {1, 30}}));
        QVERIFY(across.alignment_trusted);

        QCOMPARE(across.stragglers.size(), std::size_t{2});
        const Straggler& worst = across.stragglers[0];
        QCOMPARE(worst.rank, std::int64_t{1});
        QCOMPARE(worst.calls, std::int64_t{2});
        QCOMPARE(worst.last, std::int64_t{1});
        QCOMPARE(worst.delay_ns, std::int64_t{30});
        QCOMPARE(worst.longest_delay_ns, std::int64_t{30});
        QCOMPARE(worst.longest_call, std::string{"allreduce"});
        QCOMPARE(across.stragglers[1].delay_ns, std::int64_t{5});
        // Nothing tells the group: bytes by time, and nothing of the bus.
        QCOMPARE(across.group_transfers.size(), std::size_t{1});
        QCOMPARE(across.group_transfers[0].count, std::int64_t{2});
        QCOMPARE(across.group_transfers[0].wait_ns, std::int64_t{35});
        QCOMPARE(across.group_transfers[0].algbw_GBps, 8.0 / 20.0);
        QCOMPARE(across.group_transfers[0].busbw_GBps, 0.0);
    }

    // 8000 bytes among four in 20, 10 and 30 ns once all are there: 400 GB/s in the median, 3/2 of it on the
    // bus.
    void transfersHaveABandwidth()
    {
        const auto call = [](TraceTime start, std::int64_t duration) {
            return HandMadeCall{start, duration, "allreduce", 8000, 8000, "1", "[0, 1, 2, 3]"};
        };
        const auto across = measured({{handMadeFile(0, {call(0, 20), call(100, 10), call(200, 35)}),
                                       handMadeFile(1, {call(0, 25), call(105, 10), call(205, 30)})}});
        QCOMPARE(across.transfers.size(), std::size_t{1});
        QCOMPARE(across.transfers[0].count, std::int64_t{3});
        QCOMPARE(across.transfers[0].median_ns, std::int64_t{20});
        QCOMPARE(across.transfers[0].algbw_GBps, 400.0);
        QCOMPARE(across.transfers[0].busbw_GBps, 600.0);
        QCOMPARE(across.transfers[0].min_ns, std::int64_t{10});
        QCOMPARE(across.transfers[0].max_ns, std::int64_t{30});
        QCOMPARE(across.transfers[0].busbw_min_GBps, 400.0);
        QCOMPARE(across.transfers[0].busbw_max_GBps, 1200.0);
        QCOMPARE(across.group_transfers.size(), std::size_t{1});
        QCOMPARE(across.group_transfers[0].group, std::string{"1"});
        QCOMPARE(across.group_transfers[0].ranks, (std::vector<std::int64_t>{0, 1})); // of four
        QCOMPARE(across.group_transfers[0].busbw_GBps, 600.0);
        QCOMPARE(across.group_transfers[0].wait_ns, std::int64_t{10});
    }

    void ofSeveralThatStartLastTheLowestCounts()
    {
        const auto across = measured(
            {{handMadeFile(0, {{10, 10, "allreduce", 8}}), handMadeFile(1, {{15, 5, "allreduce", 8}}),
              handMadeFile(2, {{15, 5, "allreduce", 8}})}});
        QCOMPARE(across.last_starter, (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 1}, {2, 0}}));
    }

    // Two groups of two: each is matched for itself, whatever runs in between.
    void groupsAreMatchedApart()
    {
        const auto call = [](TraceTime start, std::int64_t duration, const char* group, const char* ranks) {
            return HandMadeCall{start, duration, "allreduce", 8, 8, group, ranks};
        };
        const auto across =
            measured({{handMadeFile(0, {call(0, 10, "5", "[0, 1]"), call(20, 10, "7", "[0, 2]")}),
                       handMadeFile(1, {call(5, 5, "5", "[0, 1]"), call(50, 9, "8", "[1, 3]")}),
                       handMadeFile(2, {call(22, 8, "7", "[0, 2]")})}});
        QCOMPARE(across.matched, std::int64_t{2}); // rank 3 was not read
        QCOMPARE(across.wait_ns, (std::map<std::int64_t, std::int64_t>{{0, 5 + 2}, {1, 0}, {2, 0}}));
    }

    void sequenceNumbersGoBeforeOrder()
    {
        const auto call = [](TraceTime start, std::int64_t duration, std::int64_t sequence) {
            return HandMadeCall{start, duration, "allreduce", 8, 8, "5", "[0, 1]", -1, sequence};
        };
        // The trace of rank 1 begins one call later.
        const auto across = measured({{handMadeFile(0, {call(0, 10, 1), call(20, 12, 2), call(40, 10, 3)}),
                                       handMadeFile(1, {call(25, 7, 2), call(40, 10, 3)})}});
        QCOMPARE(across.matched, std::int64_t{2});
        QCOMPARE(across.wait_ns, (std::map<std::int64_t, std::int64_t>{{0, 5}, {1, 0}}));
    }

    void offsetsAreTakenOutWhereTheyExplainTheEnds_data()
    {
        QTest::addColumn<bool>("trusted");
        QTest::addColumn<qint64>("spread_ns"); // of ends that lie 1000 apart as recorded
        QTest::addColumn<bool>("taken_out");
        QTest::newRow("all of it") << true << qint64{0} << true;
        QTest::newRow("half of it") << true << qint64{500} << true;
        QTest::newRow("less than half is no better than the clocks") << true << qint64{501} << false;
        QTest::newRow("ends that cannot be trusted") << false << qint64{0} << false;
    }
    void offsetsAreTakenOutWhereTheyExplainTheEnds()
    {
        QFETCH(bool, trusted);
        QFETCH(qint64, spread_ns);
        QFETCH(bool, taken_out);
        CrossRank across;
        across.clock_offset_ns = {{0, 0}, {1, 900}};
        across.alignment_median_ns = 1000;
        across.alignment_spread_ns = spread_ns;
        across.alignment_trusted = trusted;
        QCOMPARE(offsetsToTakeOut(across), taken_out ? across.clock_offset_ns : ClockOffsets{});
    }

    // Rank 1's clock is 1000 ahead; rank 2 is reached through rank 1 alone and is 400 behind it.
    void clocksAreFollowedFromGroupToGroup()
    {
        const auto call = [](TraceTime end, const char* group, const char* ranks) {
            return HandMadeCall{end - 10, 10, "allreduce", 8, 8, group, ranks};
        };
        const auto across = measured(
            {{handMadeFile(0, {call(100, "1", "[0, 1]"), call(200, "1", "[0, 1]"), call(300, "1", "[0, 1]")}),
              handMadeFile(1, {call(1100, "1", "[0, 1]"), call(1201, "1", "[0, 1]"),
                               call(1299, "1", "[0, 1]"), call(2000, "2", "[1, 2]")}),
              handMadeFile(2, {call(1600, "2", "[1, 2]")})}});
        QCOMPARE(across.clock_offset_ns, (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 1000}, {2, 600}}));
        QCOMPARE(across.alignment_median_ns, std::int64_t{(999 + 1000) / 2}); // of 400, 999, 1000, 1001
        QCOMPARE(across.alignment_spread_ns, std::int64_t{0});                // of 0, 0, 1, 1
    }

    void endsThatStayFarApartAreNotTrusted()
    {
        const auto across = measured(
            {{handMadeFile(0, {{0, 1000, "allreduce", 8}, {100'000'000, 1000, "allreduce", 8}}),
              handMadeFile(1, {{30'000'000, 1000, "allreduce", 8}, {90'000'000, 1000, "allreduce", 8}})}});
        QCOMPARE(across.matched, std::int64_t{2});
        QVERIFY(!across.alignment_trusted);
    }

    // Rank 0 comes 100 later than rank 1, whose clock is 5000 ahead.
    void aClockThatIsAheadMakesNoStraggler()
    {
        const auto across =
            measured({{handMadeFile(0, {{100, 10, "allreduce", 8}, {600, 10, "allreduce", 8}}),
                       handMadeFile(1, {{5000, 110, "allreduce", 8}, {5500, 110, "allreduce", 8}})}});
        QVERIFY(across.alignment_trusted);
        QCOMPARE(across.last_starter, (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 2}})); // as recorded
        QCOMPARE(across.delay_caused_ns, (std::map<std::int64_t, std::int64_t>{{0, 200}, {1, 0}}));
        QCOMPARE(across.stragglers[0].rank, std::int64_t{0});
        QCOMPARE(across.stragglers[0].last, std::int64_t{2});
    }

    // The trace of rank 1 has lost what its times count from.
    void clocksAYearApartAreSaidAndNotTrusted()
    {
        const TraceTime in_2023 = 1'700'000'000'000'000'000;
        const auto file = [](std::int64_t rank, TraceTime from) {
            return handMadeFile(rank, {{from, 10, "allreduce", 8}, {from + 20, 10, "allreduce", 8}});
        };
        const CrossRank across = measured({{file(0, in_2023), file(1, 0)}});
        QCOMPARE(across.clock_offset_ns.at(1), -in_2023);
        QVERIFY(!across.alignment_trusted);
        std::vector<std::string> notes;
        noteImpossibleClocks(across, notes);
        QCOMPARE(notes.size(), std::size_t{1});

        // A day: clocks that count from when their machine was started.
        const TraceTime day_ns = TraceTime{24} * 3600 * 1'000'000'000;
        const CrossRank monotonic = measured({{file(0, day_ns), file(1, 0)}});
        QVERIFY(monotonic.alignment_trusted);
        noteImpossibleClocks(monotonic, notes);
        QCOMPARE(notes.size(), std::size_t{1});
    }

    // The trace of rank 1 begins one call later, and nothing numbers the calls.
    void callsThatDifferAreSaidAndNotTrusted()
    {
        const auto call = [](TraceTime start, const char* name, std::int64_t bytes) {
            return HandMadeCall{start, 10, name, bytes, bytes, "1", "[0, 1]"};
        };
        std::vector<std::string> notes;
        const auto across =
            measured({{handMadeFile(0, {call(0, "allreduce", 8), call(20, "allreduce", 16),
                                        call(40, "broadcast", 16), call(60, "all_to_allv", 4)}),
                       handMadeFile(1, {call(20, "allreduce", 16), call(40, "allreduce", 16),
                                        call(45, "broadcast", 16), call(60, "all_to_allv", 6)})}},
                     &notes);
        QCOMPARE(across.matched, std::int64_t{4});
        QVERIFY(!across.alignment_trusted);
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY2(notes[0].find("1 differ") != std::string::npos, notes[0].c_str());
    }

    // The profiler of rank 0 lost the second of four equal calls; all run every 100.
    void ranksOfWhichOneLostACallAreSaidAndNotTrusted()
    {
        const auto call = [](TraceTime start) {
            return HandMadeCall{start, 10, "allreduce", 8, 8, "1", "[0, 1]"};
        };
        std::vector<std::string> notes;
        const auto across = measured({{handMadeFile(0, {call(0), call(200), call(300)}),
                                       handMadeFile(1, {call(0), call(100), call(200), call(300)})}},
                                     &notes);
        QCOMPARE(across.matched, std::int64_t{3});
        QVERIFY(!across.alignment_trusted);
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY2(notes[0].find("3 belong to groups whose ranks recorded different numbers")
                     != std::string::npos,
                 notes[0].c_str());
    }

    void sequenceNumbersMakeUpForLostCalls()
    {
        const auto call = [](TraceTime start, std::int64_t sequence) {
            return HandMadeCall{start, 10, "allreduce", 8, 8, "1", "[0, 1]", -1, sequence};
        };
        std::vector<std::string> notes;
        const auto across =
            measured({{handMadeFile(0, {call(0, 1), call(200, 3), call(300, 4)}),
                       handMadeFile(1, {call(0, 1), call(100, 2), call(200, 3), call(300, 4)})}},
                     &notes);
        QCOMPARE(across.matched, std::int64_t{3});
        QVERIFY(across.alignment_trusted);
        QCOMPARE(notes.size(), std::size_t{0});
    }

    // PyTorch numbers a rank's sends and receives of a group, whoever the peer is: the middle one of three
    // ranks counts those to both sides.
    void sendsNumberedByEachRankAreMatchedInOrder()
    {
        const auto call = [](TraceTime start, const char* name, std::int32_t peer, std::int64_t sequence) {
            return HandMadeCall{start, 10, name, 8, 8, "9", "[0, 1, 2]", peer, sequence};
        };
        const auto across = measured(
            {{handMadeFile(0, {call(0, "send", 1, 1), call(100, "send", 1, 2), call(200, "send", 1, 3)}),
              handMadeFile(1, {call(0, "recv", 0, 1), call(50, "send", 2, 2), call(100, "recv", 0, 3),
                               call(150, "send", 2, 4), call(200, "recv", 0, 5), call(250, "send", 2, 6)}),
              handMadeFile(2, {call(50, "recv", 1, 1), call(150, "recv", 1, 2), call(250, "recv", 1, 3)})}});
        QCOMPARE(across.matched, std::int64_t{6});
        QCOMPARE(across.clock_offset_ns, (std::map<std::int64_t, std::int64_t>{{0, 0}, {1, 0}, {2, 0}}));
        QVERIFY(across.alignment_trusted);
    }

    // Four ranks, two groups of two of one name, and nothing tells who is in which.
    void moreRanksThanAGroupHasAreNotMatched()
    {
        const HandMadeCall call{0, 10, "allreduce", 8, 8, "1", "[]", -1, -1, "", "", 2};
        std::vector<std::string> notes;
        const auto across = measured({{handMadeFile(0, {call}), handMadeFile(1, {call}),
                                       handMadeFile(2, {call}), handMadeFile(3, {call})}},
                                     &notes);
        QCOMPARE(across.matched, std::int64_t{0});
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY2(notes[0].find("several groups have one name") != std::string::npos, notes[0].c_str());
    }

    // Rank 4's clock is 3 ms ahead.
    void messagesTellHowFarClocksAreApartWhereThereIsNothingElse()
    {
        const HandMadeCall send{0, 10, "send", 64, 64, "9", "[0, 4]", 1};
        const HandMadeCall recv{3'000'002, 8, "recv", 64, 64, "9", "[0, 4]", 0};
        const auto across = measured({{handMadeFile(0, {send}), handMadeFile(4, {recv})}});
        QCOMPARE(across.alignment_median_ns, std::int64_t{3'000'000});
        QCOMPARE(across.alignment_spread_ns, std::int64_t{0});
    }

    // PyTorch writes the peer's place within the group: 1 in [0, 4] is rank 4.
    void aMessageIsMatchedWithItsReceipt()
    {
        const HandMadeCall send{0, 10, "send", 64, 64, "9", "[0, 4]", 1};
        const HandMadeCall recv{2, 8, "recv", 64, 64, "9", "[0, 4]", 0};
        const auto across = measured({{handMadeFile(0, {send}), handMadeFile(4, {recv})}});
        QCOMPARE(across.matched, std::int64_t{1});
        QCOMPARE(across.wait_ns, (std::map<std::int64_t, std::int64_t>{{0, 2}, {4, 0}}));
    }

    // Of four ranks two know what the call is; the others' are no group of two.
    void whatSomeRanksKnowIsNotMatchedAmongTheOthers()
    {
        TraceSet traces;
        for (const std::int64_t rank : {0, 1, 2, 3})
            traces.files.push_back(handMadeFile(rank, {{10 * rank, 100, "allreduce", 8}}));
        CallList list = callsOf(traces);
        list.calls[1].kind = list.calls[3].kind = Kind::tp;
        std::vector<std::string> notes;
        QVERIFY(matchCalls(traces, list, notes).empty());
        QCOMPARE(notes.size(), std::size_t{1});
    }

    void dataParallelismAloneIsOfAllRanks()
    {
        TraceSet traces;
        for (const std::int64_t rank : {0, 1, 2, 3})
            traces.files.push_back(handMadeFile(rank, {{10 * rank, 100, "allreduce", 8}}));
        for (const Kind kind : {Kind::dp, Kind::tp}) { // of tensor groups there may be several
            CallList list = callsOf(traces);
            for (Call& call : list.calls)
                call.kind = kind;
            std::vector<std::string> notes;
            findGroupOfAllRanks(traces, list, notes);
            const auto matched = matchCalls(traces, list, notes);
            QCOMPARE(matched.size(), std::size_t{kind == Kind::dp});
            QCOMPARE(list.calls[0].group_size, std::int64_t{kind == Kind::dp ? 4 : 0});
            QCOMPARE(notes.size(), std::size_t{1});
        }
    }

    void aGroupOfUnknownSizeIsNotMadeUp_data()
    {
        using Numbers = std::vector<std::int64_t>;
        QTest::addColumn<Numbers>("ranks");
        QTest::addColumn<qint64>("world_size");
        QTest::addColumn<qint64>("group_size");
        QTest::newRow("from 0 on") << Numbers{0, 1, 2} << qint64{0} << qint64{3};
        QTest::newRow("told") << Numbers{1, 2} << qint64{4} << qint64{4};
        QTest::newRow("the first is missing") << Numbers{1, 2} << qint64{0} << qint64{0};
        QTest::newRow("one in between is missing") << Numbers{0, 2} << qint64{0} << qint64{0};
        QTest::newRow("told, and cannot be") << Numbers{0, 4} << qint64{4} << qint64{0};
    }
    void aGroupOfUnknownSizeIsNotMadeUp()
    {
        QFETCH(std::vector<std::int64_t>, ranks);
        QFETCH(qint64, world_size);
        TraceSet traces;
        for (const std::int64_t rank : ranks) {
            traces.files.push_back(handMadeFile(rank, {{10 * rank, 100, "allreduce", 8}}));
            traces.files.back().world_size = world_size;
        }
        CallList list = callsOf(traces);
        for (Call& call : list.calls)
            call.kind = Kind::dp;
        std::vector<std::string> notes;
        findGroupOfAllRanks(traces, list, notes);
        QTEST(qint64{list.calls[0].group_size}, "group_size");
    }

    void ranksThatDoDifferentThingsInUnknownGroupsAreNotMatched()
    {
        std::vector<std::string> notes;
        const auto across = measured(
            {{handMadeFile(0, {{0, 10, "allreduce", 8}}), handMadeFile(1, {{0, 10, "broadcast", 8}})}},
            &notes);
        QCOMPARE(across.matched, std::int64_t{0});
        QCOMPARE(notes.size(), std::size_t{1});
    }
};

QTEST_APPLESS_MAIN(TestCrossRank)
#include "tst_cross_rank.moc"
