#include <QTest>

#include "core/analysis/calls/layout_kinds.h"
#include "core/analysis/comparison.h"
#include "core/trace/trace_builder.h"

#include <cmath>

using namespace shardscope;

// Two tensor-parallel ranks against a prediction made by hand.
class TestComparison : public QObject
{
    Q_OBJECT

    static Scenario scenario()
    {
        Scenario scenario;
        scenario.parallel.tensor = 2;
        return scenario;
    }

    static Message message(Kind kind, Op op, std::int64_t bytes, std::int64_t count,
                           Dtype dtype = Dtype::fp32)
    {
        Message message;
        message.kind = kind;
        message.op = op;
        message.dtype = dtype;
        message.group_size = 2;
        message.message_bytes = bytes;
        message.count = count;
        message.total_bytes = bytes * count;
        message.wire_bytes = wireBytes(op, 2, bytes) * static_cast<double>(count);
        return message;
    }

    static Prediction prediction(std::vector<Message> messages)
    {
        Prediction prediction;
        prediction.world_size = 2;
        prediction.time.tp_s = 0.3;
        prediction.time.iteration_s = 1.0;
        prediction.stages = {StagePrediction{0, {0}, 10, 10, std::move(messages)}};
        return prediction;
    }

    static MeasuredCollective calls(Kind kind, const char* name, Op op, std::int64_t in, std::int64_t bytes,
                                    std::int64_t count, std::int64_t sum_ns = 0)
    {
        MeasuredCollective row;
        row.kind = kind;
        row.name = name;
        row.op = op;
        row.in_bytes = in;
        row.message_bytes = bytes;
        row.count = count;
        row.sum_ns = sum_ns;
        row.exposed_ns = sum_ns;
        return row;
    }

    static Measurement measurement(const std::vector<MeasuredCollective>& rows)
    {
        Measurement measurement;
        for (const std::int64_t rank : {0, 1}) {
            RankMeasurement one;
            one.rank = rank;
            one.has_timeline = true;
            one.window_ns = 2'000'000'000;
            one.collectives = rows;
            exposeKinds(one);
            measurement.ranks.push_back(one);
        }
        return measurement;
    }

    // One call after the other, each as it is.
    static void exposeKinds(RankMeasurement& rank)
    {
        rank.exposed_of_kind_ns = {};
        for (const MeasuredCollective& row : rank.collectives)
            rank.exposed_of_kind_ns[static_cast<std::size_t>(row.kind)] += row.exposed_ns;
    }

private slots:
    void equalCountsAndSizesAreEqual()
    {
        const auto comparison = compare(
            scenario(),
            prediction({message(Kind::tp, Op::all_reduce, 64, 3), message(Kind::tp, Op::all_reduce, 32, 2)}),
            {},
            measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 3, 30'000'000),
                         calls(Kind::tp, "allreduce", Op::all_reduce, 32, 32, 2, 10'000'000)}));
        QVERIFY(comparison.equal());
        QCOMPARE(comparison.rows.size(), std::size_t{2});
        QCOMPARE(comparison.rows[0].message_bytes, std::int64_t{32});
        QCOMPARE(comparison.rows[1].predicted_count, std::int64_t{6}); // of two ranks
        QCOMPARE(comparison.rows[1].measured_count, std::int64_t{6});
        QCOMPARE(comparison.rows[1].measured_s, 0.03); // of one rank
        QCOMPARE(comparison.kinds.size(), std::size_t{1});
        QCOMPARE(*comparison.kinds[0].predicted_s, 0.3);
        QCOMPARE(comparison.measured_iteration_s, 2.0);
    }

    // Of so small messages each call takes the same, whatever its size: the detailed model knows, Li et al.'s
    // formula has bytes alone.
    void messagesOfAKindShareItsTimeAsTheModelHasIt_data()
    {
        QTest::addColumn<int>("model");
        QTest::addColumn<double>("share"); // of three calls of 64 bytes, beside two of 32
        QTest::newRow("Li et al.") << static_cast<int>(TimeModel::li) << 192.0 / 256.0;
        QTest::newRow("detailed") << static_cast<int>(TimeModel::detailed) << 3.0 / 5.0;
    }
    void messagesOfAKindShareItsTimeAsTheModelHasIt()
    {
        QFETCH(int, model);
        QFETCH(double, share);
        Scenario compared = scenario();
        compared.time_model = static_cast<TimeModel>(model);
        const auto comparison = compare(
            compared,
            prediction({message(Kind::tp, Op::all_reduce, 64, 3), message(Kind::tp, Op::all_reduce, 32, 2)}),
            {}, measurement({}));
        const double told = *comparison.rows[1].predicted_s / 0.3;
        QVERIFY2(std::abs(told - share) < 0.005, qPrintable(QString::number(told)));
    }

    void differencesAreRowsOfTheirOwn()
    {
        const auto comparison =
            compare(scenario(), prediction({message(Kind::tp, Op::all_reduce, 64, 3)}), {},
                    measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 60, 60, 3),
                                 calls(Kind::unknown, "x", Op::other, -1, -1, 1)}));
        QVERIFY(!comparison.equal());
        QCOMPARE(comparison.rows.size(), std::size_t{3});
        QCOMPARE(comparison.equal_rows, std::int64_t{0});
        QCOMPARE(comparison.rows[0].measured_count, std::int64_t{6}); // 60 bytes
        QCOMPARE(comparison.rows[0].predicted_count, std::int64_t{0});
        QCOMPARE(comparison.rows[1].predicted_count, std::int64_t{6}); // 64 bytes
        QCOMPARE(comparison.rows[2].kind, Kind::unknown);
    }

    // What gloo shows instead: all_to_all for reduce_scatter, an all_gather's part, fp32 for bf16.
    void whatGlooShowsDifferentlyIsMatchedAndNoted_data()
    {
        QTest::addColumn<int>("predicted_op");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("measured_op");
        QTest::addColumn<qint64>("in");
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<bool>("equal");
        const auto row = [](const char* what, Op predicted, const char* name, Op measured, qint64 in,
                            qint64 bytes, bool equal) {
            QTest::newRow(what) << static_cast<int>(predicted) << name << static_cast<int>(measured) << in
                                << bytes << equal;
        };
        row("reduce_scatter", Op::reduce_scatter, "gloo:all_to_all", Op::all_to_all, 64, 64, true);
        row("reduce_scatter of another size", Op::reduce_scatter, "gloo:all_to_all", Op::all_to_all, 32, 32,
            false);
        row("all_gather by its part", Op::all_gather, "gloo:all_gather", Op::all_gather, 32, -1, true);
        row("sum of bf16", Op::all_reduce, "gloo:all_reduce", Op::all_reduce, 128, 128, true);
        row("NCCL has a reduce_scatter", Op::reduce_scatter, "all_to_all", Op::all_to_all, 64, 64, false);
        row("NCCL sums bf16", Op::all_reduce, "allreduce", Op::all_reduce, 128, 128, false);
    }
    void whatGlooShowsDifferentlyIsMatchedAndNoted()
    {
        QFETCH(int, predicted_op);
        QFETCH(QString, name);
        QFETCH(int, measured_op);
        QFETCH(qint64, in);
        QFETCH(qint64, bytes);
        QFETCH(bool, equal);
        const auto comparison =
            compare(scenario(),
                    prediction({message(Kind::tp, static_cast<Op>(predicted_op), 64, 3, Dtype::bf16)}), {},
                    measurement({calls(Kind::tp, name.toUtf8().constData(), static_cast<Op>(measured_op), in,
                                       bytes, 3)}));
        QCOMPARE(comparison.equal(), equal);
        QCOMPARE(comparison.notes.size(), std::size_t{equal});
        if (equal) {
            QCOMPARE(static_cast<int>(comparison.rows.front().op), predicted_op);
            QVERIFY(!comparison.rows.front().shown_as.empty());
        }
    }

    void timesOfAClusterThatIsNotCalibratedAreNotCompared()
    {
        Scenario uncalibrated = scenario();
        uncalibrated.cluster.calibrated = false;
        const auto comparison =
            compare(uncalibrated, prediction({message(Kind::tp, Op::all_reduce, 64, 3)}), {},
                    measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 3, 9)}));
        QVERIFY(comparison.equal());
        QVERIFY(!comparison.rows.front().predicted_s);
        QVERIFY(!comparison.kinds.front().predicted_s);
        QCOMPARE(comparison.notes.size(), std::size_t{1});
    }

    // An execution trace of the same rank lists again what the timeline has.
    void whatOnlyListsCallsIsNoIterationOfItsOwn()
    {
        TraceSet traces;
        TraceFile timeline;
        timeline.store = TraceBuilder().finish();
        TraceFile listed = timeline;
        listed.calls.push_back({});
        traces.files = {timeline, listed};
        QCOMPARE(recordedIterations(traces, 0), std::int64_t{1});
        traces.files = {timeline, timeline}; // recorded one after the other
        QCOMPARE(recordedIterations(traces, 0), std::int64_t{2});
    }

    // The predicted iteration is that of the slowest stage; a mean of all would be shorter.
    void timesAreThoseOfTheStageThatTakesLongest()
    {
        Scenario two_stages = scenario();
        two_stages.parallel.tensor = 1;
        two_stages.parallel.pipeline = 2;
        Measurement measured = measurement({});
        measured.ranks[0].compute_ns = 1'200'000'000;
        measured.ranks[0].collectives = {
            calls(Kind::emb, "allreduce", Op::all_reduce, 64, 64, 1, 30'000'000)};
        exposeKinds(measured.ranks[0]);
        measured.ranks[1].compute_ns = 800'000'000;
        measured.ranks[1].window_ns = 1'500'000'000;
        Prediction predicted = prediction({message(Kind::emb, Op::all_reduce, 64, 1)});
        predicted.time.emb_s = 0.03;
        predicted.stages.push_back(StagePrediction{1, {1}, 10, 10, {}});
        const auto comparison = compare(two_stages, predicted, {}, measured);
        QCOMPARE(comparison.measured_iteration_s, 2.0);
        QCOMPARE(comparison.measured_compute_s, 1.2);
        QCOMPARE(comparison.kinds[0].measured_s, 0.03); // of the one rank that has such calls
        QCOMPARE(*comparison.kinds[0].predicted_s, 0.03);
    }

    // Of an even number the mean of the two in the middle.
    void aStageTakesTheMedianOfItsRanksWindows()
    {
        Measurement measured = measurement({});
        measured.ranks[1].window_ns = 1'000'000'000;
        QCOMPARE(compare(scenario(), prediction({}), {}, measured).measured_iteration_s, 1.5);
    }

    // Half of the time of both is hidden, and half of the calls of one stand beside the other's.
    void whatComputingHidesIsNotCompared()
    {
        Measurement measured =
            measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 3, 30'000'000),
                         calls(Kind::tp, "allreduce", Op::all_reduce, 32, 32, 2, 10'000'000)});
        for (RankMeasurement& rank : measured.ranks) {
            rank.collectives[0].exposed_ns = 15'000'000;
            rank.collectives[1].exposed_ns = 5'000'000;
            rank.exposed_of_kind_ns[static_cast<std::size_t>(Kind::tp)] = 16'000'000;
        }
        const auto comparison = compare(
            scenario(),
            prediction({message(Kind::tp, Op::all_reduce, 64, 3), message(Kind::tp, Op::all_reduce, 32, 2)}),
            {}, measured);
        QCOMPARE(comparison.rows[0].measured_s, 0.004);
        QCOMPARE(comparison.rows[0].measured_in_all_s, 0.01);
        QCOMPARE(comparison.kinds[0].measured_s, 0.016);
        QCOMPARE(comparison.kinds[0].measured_in_all_s, 0.04);
    }

    // By Li et al.'s formula, which has bytes alone.
    void replicasShareTheirTimeWithThoseOfExperts()
    {
        Scenario li = scenario();
        li.time_model = TimeModel::li;
        Prediction predicted =
            prediction({message(Kind::dp, Op::all_reduce, 96, 1), message(Kind::edp, Op::all_reduce, 32, 1)});
        predicted.time.dp_s = 0.4;
        const auto comparison = compare(li, predicted, {}, measurement({}));
        QCOMPARE(comparison.kinds.size(), std::size_t{2});
        QCOMPARE(comparison.kinds[0].kind, Kind::dp);
        QCOMPARE(*comparison.kinds[0].predicted_s, 0.3);
        QCOMPARE(*comparison.kinds[1].predicted_s, 0.1);
    }

    // What lies before the first mark and behind the last is none of an iteration's.
    void stepsTellHowLongAnIterationTakes()
    {
        Measurement measured = measurement({});
        for (RankMeasurement& rank : measured.ranks)
            for (const std::int64_t number : {7, 8}) {
                StepMeasurement step;
                step.number = number;
                step.start_ns = number * 300'000'000;
                step.duration_ns = 300'000'000;
                step.times.compute_ns = 200'000'000;
                rank.steps.push_back(step);
            }
        const auto comparison = compare(scenario(), prediction({}), {}, measured);
        QCOMPARE(comparison.measured_iteration_s, 0.3);
        QCOMPARE(comparison.measured_compute_s, 0.2);
        // Steps 9 to 19 were not recorded.
        for (RankMeasurement& rank : measured.ranks) {
            StepMeasurement later = rank.steps.back();
            later.number = 20;
            later.start_ns = 20 * 300'000'000LL;
            rank.steps.push_back(later);
        }
        QCOMPARE(compare(scenario(), prediction({}), {}, measured).measured_iteration_s, 0.3);
    }

    // What a profiler sees of the steps before those that it marks: no difference to the scenario.
    void callsOfNoMarkedStepAreLeftOut()
    {
        MeasuredCollective some = calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 4);
        some.outside_count = 1;
        MeasuredCollective all = calls(Kind::unknown, "ncclDevKernel_Generic", Op::other, -1, -1, 2);
        all.outside_count = 2;
        const auto comparison = compare(scenario(), prediction({message(Kind::tp, Op::all_reduce, 64, 3)}),
                                        {}, measurement({some, all}));
        QVERIFY(comparison.equal());
        QCOMPARE(comparison.rows.size(), std::size_t{1});
        QCOMPARE(comparison.rows[0].measured_count, std::int64_t{6}); // of two ranks
        QCOMPARE(comparison.notes.back(), std::string{"6 calls belong to no marked step and are left out"});
    }

    // The predicted iteration sends 3 and 2.
    void callsWithoutMarksMayBeOfSeveralIterations_data()
    {
        QTest::addColumn<qint64>("first");
        QTest::addColumn<qint64>("second");
        QTest::addColumn<bool>("is_marked");
        QTest::addColumn<qint64>("iterations");
        QTest::newRow("three times all") << qint64{9} << qint64{6} << false << qint64{3};
        QTest::newRow("as often as predicted") << qint64{3} << qint64{2} << false << qint64{1};
        QTest::newRow("not all alike") << qint64{9} << qint64{4} << false << qint64{1};
        QTest::newRow("a part of an iteration") << qint64{9} << qint64{7} << false << qint64{1};
        QTest::newRow("one marked step") << qint64{9} << qint64{6} << true << qint64{1};
    }
    void callsWithoutMarksMayBeOfSeveralIterations()
    {
        QFETCH(const qint64, first);
        QFETCH(const qint64, second);
        QFETCH(const bool, is_marked);
        QFETCH(const qint64, iterations);
        Measurement measured =
            measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, first, 90'000'000),
                         calls(Kind::tp, "allreduce", Op::all_reduce, 32, 32, second)});
        for (RankMeasurement& rank : measured.ranks)
            if (is_marked)
                rank.steps.push_back({.number = 1, .start_ns = 0, .duration_ns = 2'000'000'000, .times = {}});
        const auto comparison = compare(
            scenario(),
            prediction({message(Kind::tp, Op::all_reduce, 64, 3), message(Kind::tp, Op::all_reduce, 32, 2)}),
            {}, measured);
        QCOMPARE(comparison.iterations, iterations);
        QCOMPARE(comparison.rows[1].predicted_count, 2 * 3 * iterations); // of two ranks
        QCOMPARE(comparison.rows[1].measured_s, 0.09 / double(iterations));
        QCOMPARE(comparison.measured_iteration_s, 2.0 / double(iterations));
        QCOMPARE(comparison.notes.size(), std::size_t{iterations > 1});
    }

    void aLogTellsHowLongAnIterationTakes()
    {
        Measurement measured;
        measured.timers = {{std::string{iteration_timer}, 12, 0.25}, {"forward", 12, 0.1}};
        const auto comparison = compare(scenario(), prediction({}), {}, measured);
        QCOMPARE(comparison.measured_iteration_s, 0.25);
        QVERIFY(comparison.notes.front().find("12 lines") != std::string::npos);
    }

    void aRecordingOfForwardPassesAloneIsNoted_data()
    {
        QTest::addColumn<std::vector<std::string>>("operators");
        QTest::addColumn<bool>("noted");
        using Names = std::vector<std::string>;
        QTest::newRow("an evaluation") << Names{"aten::linear", "aten::layer_norm"} << true;
        QTest::newRow("autograd's") << Names{"aten::linear",
                                             "autograd::engine::evaluate_function: MmBackward0"}
                                    << false;
        QTest::newRow("a fused one") << Names{"aten::linear", "FlashAttnFuncBackward"} << false;
        QTest::newRow("of the GPU alone") << Names{"gemm"} << false;
    }
    void aRecordingOfForwardPassesAloneIsNoted()
    {
        QFETCH(std::vector<std::string>, operators);
        QFETCH(bool, noted);
        TraceBuilder builder;
        const TrackIndex track = builder.addTrack({});
        for (const std::string& name : operators)
            builder.addEvent(track, 0, 10, name, "cpu_op");
        TraceSet traces;
        traces.files.emplace_back();
        traces.files.front().store = builder.finish();
        const auto comparison = compare(scenario(), prediction({}), traces, measurement({}));
        const bool is_noted = std::ranges::any_of(comparison.notes, [](const std::string& note) {
            return note.find("no backward pass") != std::string::npos;
        });
        QCOMPARE(is_noted, noted);
    }

    void ranksBeyondTheScenarioAreLeftOut()
    {
        Measurement measured = measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 3)});
        measured.ranks[1].rank = 2;
        const auto comparison =
            compare(scenario(), prediction({message(Kind::tp, Op::all_reduce, 64, 3)}), {}, measured);
        QCOMPARE(comparison.ranks, std::int64_t{1});
        QCOMPARE(comparison.rows.front().predicted_count, std::int64_t{3});
        QVERIFY(comparison.equal());
        QCOMPARE(comparison.notes.at(0), "rank 2 is not one of the scenario's 2: it is left out");
        measured.ranks[0].rank = 3; // one note for all of them
        QCOMPARE(compare(scenario(), prediction({}), {}, measured).notes.at(0),
                 "rank 3 and 1 other are none of the scenario's 2: they are left out");
    }
};

QTEST_APPLESS_MAIN(TestComparison)
#include "tst_comparison.moc"
