#include <QTest>

#include "core/analysis/calibration/fit_constants.h"

#include <algorithm>

using namespace shardscope;

// Which constants measurements can tell.
class TestFitConstants : public QObject
{
    Q_OBJECT

    // Of a model on a whole node, whose iteration follows its links too.
    static CalibrationPoint iteration(std::int64_t batch)
    {
        CalibrationPoint point;
        point.step = Scenario{};
        point.step->parallel.tensor = 8;
        point.step->training.global_batch_size = batch;
        point.measured_s = 1.0;
        return point;
    }

    static std::vector<CalibrationPoint> iterations(int count)
    {
        std::vector<CalibrationPoint> points;
        for (int i = 0; i < count; ++i)
            points.push_back(iteration(64 * (i + 1)));
        return points;
    }

    static std::vector<std::string> keysFor(const std::vector<CalibrationPoint>& points)
    {
        std::vector<std::string> keys;
        for (const FitConstant& constant : constantsFor(Cluster{}, points))
            keys.push_back(constant.key);
        return keys;
    }

    static bool isOfLinks(const std::string& key) { return key.starts_with("cluster.collectives."); }

private slots:
    // Those on one node may tell its links; one alone has to say how fast the cluster computes.
    void oneIterationTellsComputing()
    {
        QCOMPARE(std::ranges::count_if(keysFor(iterations(9)), isOfLinks), 1);
        const std::vector<std::string> alone = keysFor(iterations(1));
        QCOMPARE(alone.size(), std::size_t{1});
        QVERIFY(!isOfLinks(alone.front()));
    }

    void iterationsTellWhatCollectivesDoNot()
    {
        std::vector<CalibrationPoint> points = iterations(9);
        for (const std::int64_t bytes : {std::int64_t{1} << 16, std::int64_t{1} << 30}) {
            CalibrationPoint point;
            point.measured_s = 1.0;
            point.collective = {Op::all_gather, 8, 8, {bytes}};
            points.push_back(point);
        }
        std::vector<std::string> keys = keysFor(points);
        QCOMPARE(std::ranges::count_if(keys, isOfLinks), 1); // half as many as there are collectives
        std::ranges::sort(keys);
        QVERIFY(std::ranges::adjacent_find(keys) == keys.end());
    }
};

QTEST_APPLESS_MAIN(TestFitConstants)
#include "tst_fit_constants.moc"
