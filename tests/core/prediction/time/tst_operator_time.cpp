#include <QTest>

#include "core/prediction/time/operator_time.h"
#include "tests/core/prediction/small_gpt.h"

using namespace shardscope;

namespace
{

OperatorTime a100()
{
    return OperatorTime{Machine{presets().cluster("dgx-a100")->cluster}, Precision::bf16};
}

} // namespace

class TestOperatorTime : public QObject
{
    Q_OBJECT
private slots:
    // 1,024 tokens for each of 32 experts of 2,048: alone they do not fill the GPU, and four at a time do.
    void productsOfExpertsRunAFewAtATime()
    {
        const OperatorTime operators = a100();
        const Gemm one{1024, 4096, 7168};
        const double alone = operators.gemm(one).value();
        const double grouped = operators.gemm(one, 32.0).value();
        const double joined = operators.gemm({32.0 * 1024, 4096, 7168}).value();
        QVERIFY(grouped < 32.0 * alone);
        QVERIFY(grouped > joined);
    }

    void fourProductsAreOneOfFourTimesTheRows()
    {
        const OperatorTime operators = a100();
        QCOMPARE(operators.gemm({1024, 4096, 7168}, 4.0).value(), operators.gemm({4096, 4096, 7168}).value());
    }

    // m x k by k x n forward: m x n by n x k gives the input's gradient, k x m by m x n the weight's.
    void gradientsAreProductsOfTheOtherShapes()
    {
        const OperatorTime operators = a100();
        const Gemm forward{4096, 512, 9216};
        QCOMPARE(operators.inputGradient(forward).value(), operators.gemm({4096, 9216, 512}).value());
        QCOMPARE(operators.weightGradient(forward).value(), operators.gemm({512, 9216, 4096}).value());
        QVERIFY(operators.inputGradient(forward) != operators.weightGradient(forward));
    }

    // Four at a time: eight products are two starts, three are one.
    void kernelsOfExpertsStartTogether()
    {
        Cluster cluster = presets().cluster("dgx-a100")->cluster;
        const auto starts = [&](double count) {
            cluster.compute.kernel_us = 0.0;
            const Seconds without = OperatorTime{Machine{cluster}, Precision::bf16}.gemm({64, 64, 64}, count);
            cluster.compute.kernel_us = 1.0;
            const Seconds with = OperatorTime{Machine{cluster}, Precision::bf16}.gemm({64, 64, 64}, count);
            return qRound((with - without).value() * 1e6);
        };
        QCOMPARE(starts(1.0), 1);
        QCOMPARE(starts(3.0), 1);
        QCOMPARE(starts(8.0), 2);
    }

    void aProductThatHasToFetchItsMatricesIsBoundByMemory()
    {
        const OperatorTime operators = a100();
        const double thin = operators.gemm({8, 8192, 8192}).value();
        const double fetched = operators.stream(Bytes{2.0 * 8192 * 8192}).value();
        QVERIFY(thin > fetched);
        QVERIFY(thin < 1.3 * fetched);
    }
};

QTEST_APPLESS_MAIN(TestOperatorTime)
#include "tst_operator_time.moc"
