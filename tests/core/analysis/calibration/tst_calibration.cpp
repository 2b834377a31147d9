#include <QTest>

#include "core/analysis/calibration/calibration.h"
#include "core/analysis/calibration/fit_constants.h"
#include "core/base/resources.h"
#include "core/prediction/predict.h"
#include "core/scenario/presets.h"
#include "tests/core/analysis/calibration/measured_points.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

using namespace shardscope;

namespace
{

bool near(double a, double b, double within)
{
    return std::abs(a / b - 1) < within;
}

double fitted(const Calibration& calibration, const std::string& key)
{
    for (const FittedConstant& constant : calibration.constants)
        if (constant.key == key)
            return constant.fitted;
    return 0.0;
}

std::vector<CalibrationPoint> pointsOf(const nlohmann::json& curve)
{
    static const std::map<std::string, Op> ops{
        {"ar", Op::all_reduce}, {"ag", Op::all_gather}, {"rs", Op::reduce_scatter}, {"a2a", Op::all_to_all}};
    const int ranks = curve["ranks"];
    const int nodes = curve["nodes"];
    std::vector<CalibrationPoint> points;
    for (const auto& entry : curve["points"]) {
        CalibrationPoint point;
        point.measured_s = entry[1].get<double>() * 1e-6;
        point.collective = {
            ops.at(curve["collective"]), ranks, ranks / nodes, {entry[0].get<std::int64_t>()}};
        points.push_back(point);
    }
    return points;
}

} // namespace

class TestCalibration : public QObject
{
    Q_OBJECT
private slots:
    // An H100 node whose switch does not add up: half the bus bandwidth, and each step twice as long.
    void reductionsThatGoInRingsAreExplained()
    {
        const Presets presets = Presets::load(resourcesFolder() / "presets").value();
        const Cluster own = presets.cluster("dgx-h100")->cluster;
        std::vector<CalibrationPoint> points = measuredOn(own, Op::all_reduce, 8);
        for (CalibrationPoint& point : points)
            point.measured_s *= 2.0;
        const Calibration calibration = calibrate(own, points).value();
        QVERIFY(calibration.error_fitted < 0.01);
        QCOMPARE(calibration.cluster.collectives.switch_reduce_efficiency, 0.0);
        QCOMPARE(fitted(calibration, "cluster.collectives.switch_reduce_efficiency"), 0.0);
        QVERIFY(near(calibration.cluster.collectives.blend, own.collectives.blend, 0.02));
        QVERIFY(std::ranges::any_of(calibration.notes, [](const std::string& note) {
            return note.find("NVLS") != std::string::npos;
        }));
        // Its own times need no other way.
        const Calibration same = calibrate(own, measuredOn(own, Op::all_reduce, 8)).value();
        QVERIFY(same.cluster.collectives.switch_reduce_efficiency > 0.0);
    }

    void constantsInsideANodeAreFoundAgain()
    {
        Cluster truth;
        truth.collectives.intra_efficiency = 0.55;
        truth.collectives.all_reduce_step_us = 7.0;
        truth.collectives.blend = 0.9;
        const auto result = calibrate(Cluster{}, measuredOn(truth, Op::all_reduce, 8));
        QVERIFY(result);
        const Calibration& found = result.value();
        QVERIFY(near(fitted(found, "cluster.collectives.intra_efficiency"), 0.55, 0.01));
        QVERIFY(near(fitted(found, "cluster.collectives.all_reduce_step_us"), 7.0, 0.05));
        QVERIFY(near(fitted(found, "cluster.collectives.blend"), 0.9, 0.02));
        QVERIFY(found.error_before > 0.2);
        QVERIFY(found.error_fitted < 0.01);
        QVERIFY(found.error_left_out && *found.error_left_out < 0.02);
        QCOMPARE(found.folds, 10); // as many as there are sizes
    }

    void constantsAcrossNodesAreFoundAgain()
    {
        Cluster truth;
        truth.collectives.inter_efficiency = 0.5;
        truth.collectives.all_reduce_doubling_us = 200.0;
        truth.collectives.ring_step_us = 9.0;
        std::vector<CalibrationPoint> points = measuredOn(truth, Op::all_reduce, 32);
        for (const CalibrationPoint& point : measuredOn(truth, Op::all_gather, 64))
            points.push_back(point);
        const auto result = calibrate(Cluster{}, points);
        QVERIFY(result);
        QVERIFY(near(fitted(result.value(), "cluster.collectives.inter_efficiency"), 0.5, 0.01));
        QVERIFY(near(fitted(result.value(), "cluster.collectives.all_reduce_doubling_us"), 200.0, 0.03));
        QVERIFY(near(fitted(result.value(), "cluster.collectives.ring_step_us"), 9.0, 0.03));
        QCOMPARE(result.value().folds, 5);
    }

    void aClusterIsCalibratedByTimesOfComputing_data()
    {
        QTest::addColumn<bool>("was_calibrated");
        QTest::addColumn<bool>("has_iterations");
        QTest::addColumn<bool>("is_erratic");
        QTest::addColumn<bool>("is_calibrated");
        QTest::addColumn<QString>("note");
        QTest::newRow("not by collectives alone") << false << false << false << false << "only collectives";
        QTest::newRow("by iterations") << false << true << false << true << "";
        QTest::newRow("not by a fit that fails on what it did not see")
            << false << true << true << false << "did not see";
        QTest::newRow("it stays so after a fit to collectives") << true << false << false << true << "";
    }
    void aClusterIsCalibratedByTimesOfComputing()
    {
        QFETCH(bool, was_calibrated);
        QFETCH(bool, has_iterations);
        QFETCH(bool, is_erratic);
        QFETCH(bool, is_calibrated);
        QFETCH(QString, note);
        Cluster cluster;
        cluster.calibrated = was_calibrated;
        std::vector<CalibrationPoint> points = has_iterations ? iterationsByMu(is_erratic ? cluster.mu : 0.31)
                                                              : measuredOn(Cluster{}, Op::all_reduce, 8);
        if (is_erratic)
            points.front().measured_s *= 0.4; // the others are as predicted
        const auto result = calibrate(cluster, points);
        QVERIFY(result);
        QCOMPARE(result.value().cluster.calibrated, is_calibrated);
        QCOMPARE(result.value().is_doubtful, is_erratic);
        const std::vector<std::string>& notes = result.value().notes;
        QCOMPARE(std::ranges::any_of(notes,
                                     [&](const std::string& each) {
                                         return !note.isEmpty()
                                                && QString::fromStdString(each).contains(note);
                                     }),
                 !note.isEmpty());
    }

    void oneIterationAloneIsMetAndSaysNoMore_data()
    {
        QTest::addColumn<double>("times"); // as long as the cluster takes
        QTest::addColumn<bool>("is_met");
        QTest::newRow("within reach") << 1.0 << true;
        QTest::newRow("out of reach") << 1e6 << false;
    }
    void oneIterationAloneIsMetAndSaysNoMore()
    {
        QFETCH(double, times);
        QFETCH(bool, is_met);
        Cluster truth;
        truth.compute.gemm_efficiency = 0.5;
        std::vector<CalibrationPoint> points = iterationsOn(truth, 1);
        points.front().measured_s *= times;
        Cluster own;
        own.calibrated = false;
        for (CalibrationPoint& point : measuredOn(own, Op::all_reduce, 8)) {
            point.measured_s *= 1e4; // as of a run whose ranks waited: no constants explain them
            points.push_back(point);
        }
        const Calibration found = calibrate(own, points).value();
        QCOMPARE(found.constants[0].key, std::string{"cluster.compute.gemm_efficiency"});
        QVERIFY(!found.rows[0].left_out_s); // no other says how fast the cluster computes
        QVERIFY(found.rows[1].left_out_s);
        QCOMPARE(std::abs(found.rows[0].fitted_s / found.rows[0].measured_s - 1) < 1e-3, is_met);
        QCOMPARE(found.cluster.calibrated, is_met);
        QCOMPARE(found.cluster.compute.time_error > 0.0, !is_met);
        const char* note = is_met ? "meets it exactly, whatever else is wrong, and says nothing of other"
                                  : "does not meet it, and says nothing of other";
        QVERIFY(std::ranges::any_of(
            found.notes, [note](const std::string& each) { return each.find(note) != std::string::npos; }));
    }

    void timesInAWrongUnitCalibrateNothing()
    {
        Cluster cluster;
        cluster.calibrated = false;
        std::vector<CalibrationPoint> points = iterationsByMu(0.31);
        for (CalibrationPoint& point : points)
            point.measured_s *= 1000.0; // milliseconds
        const auto result = calibrate(cluster, points);
        QVERIFY(result);
        QVERIFY(!result.value().cluster.calibrated);
        QVERIFY(result.value().is_doubtful);
        QVERIFY(std::ranges::any_of(result.value().notes, [](const std::string& note) {
            return note.find("do their unit") != std::string::npos;
        }));
    }

    // Eq. 5 of Li et al.: compute time goes with 1 / mu.
    void muIsFoundFromIterations()
    {
        const auto result = calibrate(Cluster{}, iterationsByMu(0.31));
        QVERIFY(result);
        QCOMPARE(result.value().constants.size(), std::size_t{1});
        QVERIFY(near(result.value().cluster.mu, 0.31, 1e-3));
    }

    // A large model's time follows the products of matrices, so that one constant is enough.
    void theEfficiencyOfProductsIsFoundFromIterations()
    {
        Scenario scenario;
        scenario.model.layers = 40;
        scenario.model.hidden_size = 5120;
        scenario.model.attention_heads = scenario.model.kv_heads = 40;
        scenario.model.ffn_hidden_size = 4 * 5120;
        scenario.parallel.tensor = 8;
        Cluster truth = scenario.cluster;
        truth.compute.gemm_efficiency = 0.6;
        std::vector<CalibrationPoint> points;
        for (const std::int64_t batch : {64, 128, 256}) {
            scenario.training.global_batch_size = batch;
            Scenario measured = scenario;
            measured.cluster = truth;
            CalibrationPoint point;
            point.measured_s = predict(measured).value().time.iteration_s;
            point.step = scenario;
            points.push_back(point);
        }
        const auto result = calibrate(scenario.cluster, points);
        QVERIFY(result);
        QCOMPARE(result.value().constants.size(), std::size_t{1});
        QVERIFY(near(fitted(result.value(), "cluster.compute.gemm_efficiency"), 0.6, 0.01));
    }

    // Whole published nccl-tests curves; the error is that of the law, from 16 MiB up.
    // Few measurements of one sort do not keep those of the other from being explained.
    void iterationsAndCollectivesFitConstantsOfTheirOwn()
    {
        Cluster truth;
        truth.compute.gemm_efficiency = 0.5;
        truth.collectives.intra_efficiency = 0.55;
        truth.collectives.all_reduce_step_us = 7.0;
        std::vector<CalibrationPoint> points = iterationsOn(truth, 3);
        for (const CalibrationPoint& point : measuredOn(truth, Op::all_reduce, 8))
            points.push_back(point);
        const Calibration found = calibrate(Cluster{}, points).value();
        QVERIFY(found.error_before > 0.2);
        QVERIFY2(found.error_fitted < 0.02, qPrintable(QString::number(found.error_fitted)));
        QVERIFY(near(fitted(found, "cluster.compute.gemm_efficiency"), 0.5, 0.05));
        QVERIFY(near(fitted(found, "cluster.collectives.all_reduce_step_us"), 7.0, 0.1));
    }

    void publishedCurvesAreFittedWithinFivePercent()
    {
        std::ifstream file{SHARDSCOPE_SHARED_FOLDER "/truth/hardware.json"};
        if (!file)
            QSKIP("the published curves are not here (../shared/truth/hardware.json)");
        const Result<Presets> presets = Presets::load(SHARDSCOPE_SOURCE_FOLDER "/resources/presets");
        static const std::map<std::string, const char*> systems{{"A100", "dgx-a100"},
                                                                {"H100", "dgx-h100"},
                                                                {"H200", "hgx-h200"},
                                                                {"B200", "aws-p6-b200"},
                                                                {"GB20", "gb200-nvl72"}};
        const nlohmann::json hardware = nlohmann::json::parse(file);
        double sum = 0.0;
        int points = 0;
        for (const auto& curve : hardware["curves"]) {
            const auto system = systems.find(curve["name"].get<std::string>().substr(0, 4));
            if (system == systems.end())
                continue;
            const auto result = calibrate(presets.value().cluster(system->second)->cluster, pointsOf(curve));
            QVERIFY(result);
            for (std::size_t i = 0; i < result.value().rows.size(); ++i) {
                if (curve["points"][i][0].get<std::int64_t>() < 16 << 20)
                    continue;
                const CalibrationRow& row = result.value().rows[i];
                sum += std::abs(row.fitted_s / row.measured_s - 1);
                ++points;
            }
        }
        QVERIFY(points > 150);
        QVERIFY2(sum / points < 0.05, qPrintable(QString::number(sum / points)));
    }

    void itStopsWhenItIsTold()
    {
        const std::atomic<bool> stop{true};
        const auto result = calibrate(Cluster{}, measuredOn(Cluster{}, Op::all_reduce, 8), &stop);
        QVERIFY(!result);
        QCOMPARE(result.error().sentence, std::string{"stopped"});
    }

    void oneMeasurementMovesOneConstant()
    {
        Cluster truth;
        truth.collectives.intra_efficiency = 0.5;
        const auto result = calibrate(Cluster{}, {measuredOn(truth, Op::all_reduce, 8).back()});
        QVERIFY(result);
        QCOMPARE(result.value().constants.size(), std::size_t{1});
        QVERIFY(!result.value().error_left_out);
        QVERIFY(!result.value().notes.empty());
    }

    void whatCannotBeTrainedIsCounted()
    {
        std::vector<CalibrationPoint> points = measuredOn(Cluster{}, Op::all_reduce, 8);
        CalibrationPoint impossible;
        impossible.what = "three tensor ranks for sixteen heads";
        impossible.measured_s = 1.0;
        impossible.step = Scenario{};
        impossible.step->parallel.tensor = 3;
        points.push_back(impossible);
        const auto result = calibrate(Cluster{}, points);
        QVERIFY(result);
        QCOMPARE(result.value().rows.size(), points.size() - 1);
        QVERIFY(result.value().notes.front().find("three tensor ranks") != std::string::npos);
        QVERIFY(!calibrate(Cluster{}, {impossible}));
        QVERIFY(!calibrate(Cluster{}, {}));
    }
};

QTEST_APPLESS_MAIN(TestCalibration)
#include "tst_calibration.moc"
