#include <QTest>

#include "core/analysis/operator_scaling.h"

#include <cmath>

using namespace shardscope;

namespace
{

KernelRow kernel(const char* name, std::int64_t sum_ns)
{
    KernelRow row;
    row.name = name;
    row.of = EventClass::compute;
    row.count = 1;
    row.sum_ns = sum_ns;
    return row;
}

MeasuredCollective call(Kind kind, std::int64_t sum_ns, std::int64_t exposed_ns)
{
    MeasuredCollective collective;
    collective.kind = kind;
    collective.sum_ns = sum_ns;
    collective.exposed_ns = exposed_ns;
    return collective;
}

// Two iterations: 8 s of products, 2 s of norms, 2 s of tp in sight, 4 s of dp beneath compute.
RankMeasurement twoIterations()
{
    RankMeasurement rank;
    rank.kernels = {kernel("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_tn", 8'000'000'000),
                    kernel("void at::native::vectorized_layer_norm_kernel<float>", 2'000'000'000)};
    rank.collectives = {call(Kind::tp, 2'000'000'000, 2'000'000'000), call(Kind::dp, 4'000'000'000, 0)};
    return rank;
}

bool isNear(double a, double b)
{
    return std::fabs(a - b) < 1e-9;
}

} // namespace

class TestOperatorScaling : public QObject
{
    Q_OBJECT
private slots:
    // Half as many micro-batches of twice the size are as much work.
    void sizesOfAScenarioAreToldAgainstThoseOfTheRun()
    {
        Scenario of_run;
        of_run.training.global_batch_size = 64;
        of_run.training.micro_batch_size = 2;
        Scenario scenario = of_run;
        scenario.model.hidden_size *= 3;
        scenario.model.sequence_length *= 2;
        scenario.training.micro_batch_size = 4;
        Resizing times = resizingOf(scenario, of_run);
        QCOMPARE(times.hidden, 3.0);
        QCOMPARE(times.sequence, 2.0);
        QCOMPARE(times.batch, 1.0);
        scenario.training.global_batch_size = 256;
        times = resizingOf(scenario, of_run);
        QCOMPARE(times.batch, 4.0);
    }

    void growthIsThePapers_data()
    {
        QTest::addColumn<int>("growth");
        QTest::addColumn<double>("hidden");
        QTest::addColumn<double>("sequence");
        QTest::addColumn<double>("batch");
        const auto row = [](const char* name, Growth growth, double h, double s, double b) {
            QTest::newRow(name) << static_cast<int>(growth) << h << s << b;
        };
        // GEMMs linear in s and quadratic in h, LayerNorm linear.
        row("products", Growth::matrix, 4.0, 2.0, 2.0);
        row("fused attention", Growth::attention, 2.0, 4.0, 2.0);
        row("norms", Growth::elementwise, 2.0, 2.0, 2.0);
        row("the optimizer", Growth::step, 4.0, 1.0, 1.0);
        row("activations", Growth::activations, 2.0, 2.0, 2.0);
        row("gradients", Growth::gradients, 4.0, 1.0, 1.0);
        row("unknown", Growth::other, 1.0, 1.0, 1.0);
    }
    void growthIsThePapers()
    {
        QFETCH(int, growth);
        QFETCH(double, hidden);
        QFETCH(double, sequence);
        QFETCH(double, batch);
        const auto of = static_cast<Growth>(growth);
        QCOMPARE(growthFactor(of, {2.0, 1.0, 1.0}), hidden);
        QCOMPARE(growthFactor(of, {1.0, 2.0, 1.0}), sequence);
        QCOMPARE(growthFactor(of, {1.0, 1.0, 2.0}), batch);
    }

    void anIterationIsDividedByWhatGrowsAlike()
    {
        const OperatorSeconds one = operatorSeconds(twoIterations(), 2);
        QVERIFY(isNear(one.seconds[static_cast<std::size_t>(Growth::matrix)], 4.0));
        QVERIFY(isNear(one.seconds[static_cast<std::size_t>(Growth::elementwise)], 1.0));
        QVERIFY(isNear(one.exposed_s(Growth::activations), 1.0));
        QVERIFY(isNear(one.exposed_s(Growth::gradients), 0.0));
        QVERIFY(isNear(one.total_s(), 6.0));
    }

    void theOptimizerIsNoneOfTheOtherPasses()
    {
        RankMeasurement rank;
        rank.kernels = {kernel("multi_tensor_apply_kernel<FusedAdamMathFunctor>", 1'000'000'000)};
        const OperatorSeconds one = operatorSeconds(rank, 1);
        QVERIFY(isNear(one.seconds[static_cast<std::size_t>(Growth::step)], 1.0));
        QVERIFY(isNear(one.compute_s(), 1.0));
    }

    // Operators of a processor stand within each other: together they take no longer than it worked.
    void whatRunsAtOnceSharesTheTime()
    {
        RankMeasurement rank = twoIterations();
        rank.compute_ns = 5'000'000'000;
        rank.exposed_communication_ns = 1'000'000'000;
        const OperatorSeconds one = operatorSeconds(rank, 2);
        QVERIFY(isNear(one.compute_s(), 2.5));
        QVERIFY(isNear(one.seconds[static_cast<std::size_t>(Growth::matrix)], 2.0));
        QVERIFY(isNear(one.exposed_s(Growth::activations), 0.5));
        QVERIFY(isNear(one.total_s(), 3.0));
    }

    void theSameSizeIsTheSameTime()
    {
        const OperatorSeconds one = operatorSeconds(twoIterations(), 2);
        QVERIFY(isNear(resized(one, {}).total_s(), one.total_s()));
    }

    void twiceTheHiddenSize()
    {
        const OperatorSeconds wide = resized(operatorSeconds(twoIterations(), 2), {2.0, 1.0, 1.0});
        QVERIFY(isNear(wide.compute_s(), 4.0 * 4.0 + 2.0 * 1.0));
        QVERIFY(isNear(wide.exposed_s(Growth::activations), 2.0));
        // 2 s of gradients become 8; 18 / 5 of what hid 2 hides 7.2.
        QVERIFY(isNear(wide.exposed_s(Growth::gradients), 0.8));
    }

    void halfTheBatchUncoversGradients()
    {
        const OperatorSeconds small = resized(operatorSeconds(twoIterations(), 2), {1.0, 1.0, 0.5});
        QVERIFY(isNear(small.exposed_s(Growth::gradients), 1.0));
        QVERIFY(isNear(small.total_s(), 2.5 + 0.5 + 1.0));
    }

    // Of attention that is not fused, softmax can be told by its name, products of scores cannot.
    void softmaxOverScoresGrowsWithTheSquareOfTheSequence()
    {
        RankMeasurement rank = twoIterations();
        QVERIFY(!operatorSeconds(rank, 2).has_scores);
        rank.kernels.push_back(kernel("scaled_upper_triang_masked_softmax_warp_forward", 1'000'000'000));
        const OperatorSeconds measured = operatorSeconds(rank, 1);
        QVERIFY(measured.has_scores);
        const auto attention = static_cast<std::size_t>(Growth::attention);
        QVERIFY(isNear(measured.seconds[attention], 1.0));
        QVERIFY(isNear(resized(measured, {1.0, 2.0, 1.0}).seconds[attention], 4.0));
    }
};

QTEST_APPLESS_MAIN(TestOperatorScaling)
#include "tst_operator_scaling.moc"
