#include "widgets/models/measured_calls.h"
#include "widgets/models/size_histogram.h"

#include "tests/widgets/sample_content.h"

#include <QTest>

using namespace shardscope;

static double countOf(const std::vector<MessageCount>& counts, Kind kind, Op op, std::int64_t bytes)
{
    const MessageCount* found = findByKey(counts, {kind, op, bytes});
    return found ? found->count : 0.0;
}

// A run of the given ranks in which every rank made `count` calls of one kind.
static std::shared_ptr<MeasuredRun> runOf(std::initializer_list<std::pair<int, int>> ranks_and_counts,
                                          const MeasuredCollective& call)
{
    auto run = std::make_shared<MeasuredRun>();
    for (const auto& [rank, count] : ranks_and_counts) {
        RankMeasurement measured;
        measured.rank = rank;
        measured.collectives = {call};
        measured.collectives[0].count = count;
        run->measurement.ranks.push_back(measured);
    }
    return run;
}

static MeasuredCollective call(Kind kind, Op op, std::int64_t bytes)
{
    MeasuredCollective call;
    call.kind = kind;
    call.op = op;
    call.name = word(op);
    call.message_bytes = bytes;
    call.in_bytes = bytes;
    return call;
}

class TestMessageCounts : public QObject
{
    Q_OBJECT
private slots:
    // Li et al., Table 3: rank 0 sends 680 tensor-parallel messages of 125 MiB.
    void aStageIsOneOfItsRanks()
    {
        const auto predicted = sample::predicted();
        const auto counts = predictedCounts(*predicted, nullptr, RankScope::ofStage(0));
        QCOMPARE(countOf(counts, Kind::tp, Op::all_reduce, 125 * sample::mib), 680.0);
        QCOMPARE(countOf(counts, Kind::pp, Op::send, 125 * sample::mib), 8.0);
    }

    // Stage 0 has 680, the others 672; eight ranks each.
    void theWorldIsAllRanksOfAllStages()
    {
        const auto predicted = sample::predicted();
        const auto counts = predictedCounts(*predicted, nullptr, RankScope::world());
        QCOMPARE(countOf(counts, Kind::tp, Op::all_reduce, 125 * sample::mib), 8.0 * (680 + 3 * 672));
        QCOMPARE(countOf(counts, Kind::mp, Op::all_reduce, 4), 32.0);
    }

    void onlyRanksThatWereReadAreExpected()
    {
        const auto predicted = sample::predicted();
        const auto run = runOf({{0, 1}, {9, 1}}, call(Kind::mp, Op::all_reduce, 4));
        const auto counts = predictedCounts(*predicted, run.get(), RankScope::read());
        QCOMPARE(countOf(counts, Kind::tp, Op::all_reduce, 125 * sample::mib), 680.0 + 672.0);
        QCOMPARE(predictedCounts(*predicted, run.get(), RankScope::ofRank(9)),
                 predictedCounts(*predicted, nullptr, RankScope::ofStage(1)));
    }

    // 112 + 112 of the layers and 8 of the embedding are forward's.
    void ofForwardPassesAloneOnlyTheirMessagesAreExpected()
    {
        const auto predicted = sample::predicted();
        const auto run = runOf({{0, 232}}, call(Kind::tp, Op::all_reduce, 125 * sample::mib));
        run->is_forward_only = true;
        const auto counts = predictedCounts(*predicted, run.get(), RankScope::ofStage(0));
        QCOMPARE(countOf(counts, Kind::tp, Op::all_reduce, 125 * sample::mib), 232.0);
        QCOMPARE(countOf(counts, Kind::pp, Op::send, 125 * sample::mib), 8.0);
        QCOMPARE(countOf(counts, Kind::mp, Op::all_reduce, 4), 0.0);
    }

    void measuredCallsAreAddedUpOverTheScope()
    {
        const auto predicted = sample::predicted();
        const MeasuredCalls calls{runOf({{0, 3}, {1, 5}, {8, 7}}, call(Kind::tp, Op::all_reduce, 1024))};
        const auto world = calls.counts(predicted.get(), RankScope::world());
        QCOMPARE(world.size(), std::size_t{1});
        QCOMPARE(world[0].count, 15.0);
        const auto stage = calls.counts(predicted.get(), RankScope::ofStage(0));
        QCOMPARE(stage[0].low, 3.0);
        QCOMPARE(stage[0].high, 5.0);
        QCOMPARE(calls.counts(predicted.get(), RankScope::ofRank(8))[0].count, 7.0);
        QCOMPARE(calls.ranksIn(predicted.get(), RankScope::ofStage(3)), std::size_t{0});
    }

    // What was measured is shown whatever the scenario is; nothing is expected of such a rank.
    void ranksOutsideTheScenarioAreOfNoStage()
    {
        const auto predicted = sample::predicted();
        const auto run = runOf({{0, 3}, {32, 5}}, call(Kind::tp, Op::all_reduce, 1024));
        const MeasuredCalls calls{run};
        const auto sum = [&](const RankScope& scope) {
            const auto counts = calls.counts(predicted.get(), scope);
            return counts.empty() ? 0.0 : counts[0].count;
        };
        QCOMPARE(sum(RankScope::world()), 8.0);
        QCOMPARE(sum(RankScope::ofRank(32)), 5.0);
        QCOMPARE(sum(RankScope::ofStage(0)), 3.0);
        QCOMPARE(predictedCounts(*predicted, run.get(), RankScope::ofRank(32)), std::vector<MessageCount>{});
    }

    // gloo has no reduce_scatter; see core/analysis/calls/shown_message.h.
    void anAllToAllOfGlooIsTheReduceScatterThatItShows()
    {
        auto predicted = sample::predicted();
        predicted->prediction.stages[0].messages = {
            sample::message(Kind::dp, Op::reduce_scatter, Phase::step, "gradients", 4, 4096, 1)};
        MeasuredCollective shown = call(Kind::dp, Op::all_to_all, 4096);
        shown.name = "gloo:all_to_all";
        const MeasuredCalls calls{runOf({{0, 1}}, shown)};
        const auto counts = calls.counts(predicted.get(), RankScope::ofStage(0));
        QCOMPARE(counts[0].key.op, Op::reduce_scatter);
        QCOMPARE(counts[0].shown, Shown::as_all_to_all);
        QCOMPARE(calls.counts(nullptr, RankScope::world())[0].key.op, Op::all_to_all);
    }

    void sizesFallIntoPowersOfTwo()
    {
        const auto bins = sizeBins({{{Kind::tp, Op::all_reduce, 1023}, 2.0},
                                    {{Kind::tp, Op::all_reduce, 1024}, 3.0},
                                    {{Kind::dp, Op::all_reduce, 2047}, 1.0},
                                    {{Kind::dp, Op::barrier, 0}, 1.0},
                                    {{Kind::unknown, Op::other, -1}, 9.0}});
        QCOMPARE(bins.size(), std::size_t{3});
        QCOMPARE(bins[0].exponent, 0);
        QCOMPARE(bins[1].exponent, 9);
        QCOMPARE(bins[2].exponent, 10);
        QCOMPARE(bins[2].height(HistogramHeight::count), 4.0);
        QCOMPARE(bins[2].height(HistogramHeight::bytes, Kind::tp), 3.0 * 1024);
        QCOMPARE(bins[2].height(HistogramHeight::bytes), 3.0 * 1024 + 2047);
        QCOMPARE(bins[2].messages.size(), std::size_t{2});
        QCOMPARE(countOfUnknownSize({{{Kind::unknown, Op::other, -1}, 9.0}}), 9.0);
    }
};

QTEST_APPLESS_MAIN(TestMessageCounts)
#include "tst_message_counts.moc"
