#include <QTest>

#include "core/analysis/calls/layout_kinds.h"
#include "core/analysis/comparison.h"
#include "core/trace/trace_builder.h"
#include "tests/core/analysis/hand_made_comparison.h"

#include <cmath>

using namespace shardscope;

namespace
{

TraceSet tracesOf(const std::vector<std::string>& operators)
{
    TraceBuilder builder;
    const TrackIndex track = builder.addTrack({});
    for (const std::string& name : operators)
        builder.addEvent(track, 0, 10, name, "cpu_op");
    TraceSet traces;
    traces.files.emplace_back();
    traces.files.front().store = builder.finish();
    return traces;
}

} // namespace

// Two tensor-parallel ranks against a prediction made by hand.
class TestComparison : public QObject
{
    Q_OBJECT

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
        QCOMPARE(comparison.measured_iteration_s, 2.0);
    }

    // Li et al.'s formula has a time for all of a kind, and knows bytes alone.
    void messagesOfAKindShareItsTimeByTheirBytes()
    {
        Scenario compared = scenario();
        compared.time_model = TimeModel::li;
        const auto comparison = compare(
            compared,
            prediction({message(Kind::tp, Op::all_reduce, 64, 3), message(Kind::tp, Op::all_reduce, 32, 2)}),
            {}, measurement({}));
        QVERIFY(*comparison.kinds[0].predicted_s > 0.0);
        QCOMPARE(*comparison.rows[1].predicted_s / *comparison.kinds[0].predicted_s, 192.0 / 256.0);
    }

    void timesAreLeftOutWhereCallsAloneAreAskedFor()
    {
        const auto comparison =
            compareCalls(scenario(), prediction({message(Kind::tp, Op::all_reduce, 64, 3)}), {},
                         measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 3, 30'000'000)}));
        QVERIFY(comparison.equal());
        QCOMPARE(comparison.rows[0].measured_s, 0.03);
        QVERIFY(!comparison.rows[0].predicted_s);
        QVERIFY(!comparison.predicted_iteration_s);
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
        QVERIFY(!comparison.predicted_iteration_s);
        QVERIFY(!comparison.predicted_other_s); // of kinds that are not predicted either
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

    // Count and size are not all: a scenario of other degrees may send as much.
    void callsInGroupsOfAnotherSizeAreNotEqual_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("measured");
        QTest::addColumn<bool>("equal");
        QTest::newRow("the same") << static_cast<int>(Kind::tp) << 4 << true;
        QTest::newRow("not known") << static_cast<int>(Kind::tp) << 0 << true;
        QTest::newRow("another") << static_cast<int>(Kind::tp) << 2 << false;
        QTest::newRow("pairs of a pipeline") << static_cast<int>(Kind::pp) << 8 << true;
    }
    void callsInGroupsOfAnotherSizeAreNotEqual()
    {
        QFETCH(int, kind);
        QFETCH(int, measured);
        QFETCH(bool, equal);
        Message predicted = message(static_cast<Kind>(kind), Op::all_reduce, 64, 3);
        predicted.group_size = 4;
        MeasuredCollective row = calls(static_cast<Kind>(kind), "allreduce", Op::all_reduce, 64, 64, 3);
        row.group_size = measured;
        QCOMPARE(compare(scenario(), prediction({predicted}), {}, measurement({row})).equal(), equal);
    }

    // What a profiler sees of the steps before those that it marks: no difference to the scenario.
    void callsOfNoMarkedStepAreLeftOut()
    {
        MeasuredCollective some = calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 4);
        some.outside_count = 1;
        some.sum_ns = 4'000'000'000;
        some.outside_ns = 1'000'000'000;
        MeasuredCollective all = calls(Kind::unknown, "ncclDevKernel_Generic", Op::other, -1, -1, 2);
        all.outside_count = 2;
        const auto comparison = compare(scenario(), prediction({message(Kind::tp, Op::all_reduce, 64, 3)}),
                                        {}, measurement({some, all}));
        QVERIFY(comparison.equal());
        QCOMPARE(comparison.rows.size(), std::size_t{1});
        QCOMPARE(comparison.rows[0].measured_count, std::int64_t{6}); // of two ranks
        QCOMPARE(comparison.rows[0].measured_in_all_s, 3.0);
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
        const auto comparison = compare(scenario(), prediction({}), tracesOf(operators), measurement({}));
        QCOMPARE(comparison.is_forward_only, noted);
        const bool is_noted = std::ranges::any_of(comparison.notes, [](const std::string& note) {
            return note.find("no backward pass") != std::string::npos;
        });
        QCOMPARE(is_noted, noted);
    }

    // Of a training step the same calls are too few, and the gradients' sum is missing.
    void callsOfForwardPassesAreHeldAgainstThoseOfForwardPasses_data()
    {
        QTest::addColumn<std::string>("operation");
        QTest::addColumn<bool>("equal");
        QTest::newRow("forward passes alone") << std::string{"aten::linear"} << true;
        QTest::newRow("a whole step") << std::string{"autograd::engine"} << false;
    }
    void callsOfForwardPassesAreHeldAgainstThoseOfForwardPasses()
    {
        QFETCH(const std::string, operation);
        QFETCH(const bool, equal);
        Message backward = message(Kind::tp, Op::all_reduce, 64, 3);
        backward.phase = Phase::backward;
        Message step = message(Kind::mp, Op::all_reduce, 4, 1);
        step.phase = Phase::step;
        const auto comparison =
            compare(scenario(), prediction({message(Kind::tp, Op::all_reduce, 64, 3), backward, step}),
                    tracesOf({"aten::mm", operation}),
                    measurement({calls(Kind::tp, "allreduce", Op::all_reduce, 64, 64, 3)}));
        QCOMPARE(comparison.equal(), equal);
        QCOMPARE(comparison.rows.size(), std::size_t{equal ? 1U : 2U});
        QCOMPARE(comparison.rows[0].kind, Kind::tp);
        QCOMPARE(comparison.rows[0].predicted_count, std::int64_t{equal ? 6 : 12}); // of two ranks
        QCOMPARE(comparison.kinds.size(), std::size_t{equal ? 1U : 2U});
        // They are no iteration, but have their computing.
        QCOMPARE(comparison.predicted_iteration_s.has_value(), !equal);
        QCOMPARE(comparison.predicted_idle_s.has_value(), !equal);
        QCOMPARE(comparison.predicted_other_s.has_value(), !equal);
        QVERIFY(comparison.predicted_compute_s.has_value());
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
