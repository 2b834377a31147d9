#include <QTest>

#include "core/analysis/calibration/calibration.h"
#include "tests/core/analysis/calibration/measured_points.h"

using namespace shardscope;

// What a fit is worth: its bands, and its errors by the sort of what was measured.
class TestFitJudgement : public QObject
{
    Q_OBJECT
private slots:
    void theErrorBandIsThatOfTheFit()
    {
        Cluster own;
        own.compute.time_error = own.compute.time_error_small = 0.1;
        own.compute.time_error_fp8 = 0.3;
        // Exact times: repeated runs differ by as much all the same.
        const Calibration exact = calibrate(own, iterationsOn(own, 6)).value();
        QCOMPARE(exact.cluster.compute.time_error, 0.03);
        QCOMPARE(exact.cluster.compute.time_error_fp8, 0.3); // none was in 8 bits
        // Every second one takes half as long again: no constants explain both.
        std::vector<CalibrationPoint> erratic = iterationsOn(own, 6);
        for (std::size_t i = 0; i < erratic.size(); i += 2)
            erratic[i].measured_s *= 1.5;
        const Calibration wide = calibrate(own, erratic).value();
        QVERIFY2(wide.cluster.compute.time_error > 0.2 && wide.cluster.compute.time_error < 0.7,
                 qPrintable(QString::number(wide.cluster.compute.time_error)));
        QCOMPARE(wide.cluster.compute.time_error_small, wide.cluster.compute.time_error);
        // Collectives tell nothing of iterations.
        QCOMPARE(calibrate(own, measuredOn(own, Op::all_reduce, 8)).value().cluster.compute.time_error, 0.1);
    }

    // Constants of one time model say nothing of the other's.
    void theBandOfTheFitIsThatOfTheTimeModelThatWasFitted()
    {
        Cluster own;
        own.compute.time_error = own.compute.time_error_small = 0.1;
        own.compute.time_error_li = own.compute.time_error_li_small = 0.8;
        const Cluster by_li = calibrate(own, iterationsByMu(0.2)).value().cluster;
        QVERIFY(by_li.hasFittedMu() && !by_li.compute.fitted);
        QCOMPARE(by_li.compute.time_error_li, 0.03);
        QVERIFY2(by_li.compute.time_error > 0.3, qPrintable(QString::number(by_li.compute.time_error)));
        const Cluster by_operators = calibrate(own, iterationsOn(own, 6)).value().cluster;
        QVERIFY(by_operators.compute.fitted && !by_operators.hasFittedMu());
        QCOMPARE(by_operators.compute.time_error, 0.03);
        QVERIFY(by_operators.compute.time_error_li >= 0.8);
        const Cluster by_calls = calibrate(own, measuredOn(own, Op::all_reduce, 8)).value().cluster;
        QVERIFY(!by_calls.compute.fitted && !by_calls.hasFittedMu());
    }

    void iterationsAndCollectivesHaveMeansOfTheirOwn()
    {
        Calibration calibration;
        calibration.rows = {{"slow", true, 1.0, 2.0, 1.2, 1.5},
                            {"slower", true, 1.0, 3.0, 0.6, std::nullopt},
                            {"call", false, 1e-6, 2e-6, 1e-6, std::nullopt}};
        const MeanError iterations = meanError(calibration, true);
        QCOMPARE(iterations.rows, 2);
        QCOMPARE(iterations.before, 1.5);
        QCOMPARE(iterations.fitted, 0.3);
        QCOMPARE(*iterations.left_out, 0.5);
        const MeanError collectives = meanError(calibration, false);
        QCOMPARE(collectives.rows, 1);
        QCOMPARE(collectives.before, 1.0);
        QVERIFY(!collectives.left_out);
    }
};

QTEST_APPLESS_MAIN(TestFitJudgement)
#include "tst_fit_judgement.moc"
