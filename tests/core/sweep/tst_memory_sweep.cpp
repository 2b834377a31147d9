#include <QTest>

#include "core/prediction/predict.h"
#include "core/sweep/memory_demand.h"
#include "core/sweep/memory_sweep.h"
#include "tests/core/prediction/llama_scenario.h"

#include <algorithm>

using namespace shardscope;
using test::laidOut;
using test::llama70b;

class TestMemorySweep : public QObject
{
    Q_OBJECT

    static bool fits(const Scenario& scenario)
    {
        const auto memory = predictMemory(scenario);
        return memory && memory.value().fits;
    }

private slots:
    void theLargestOfASweepIsTheBorder_data()
    {
        QTest::addColumn<int>("axis");
        QTest::newRow("sequence") << static_cast<int>(MemoryAxis::sequence_length);
        QTest::newRow("micro-batch") << static_cast<int>(MemoryAxis::micro_batch_size);
    }
    void theLargestOfASweepIsTheBorder()
    {
        QFETCH(int, axis);
        const auto over = static_cast<MemoryAxis>(axis);
        Scenario scenario = laidOut(llama70b(), 2, 1, 4);
        scenario.cluster.memory_GB = 80.0;
        const MemorySweep sweep = sweepMemory(scenario, over);
        QVERIFY(sweep.points.size() >= 4);
        for (std::size_t i = 1; i < sweep.points.size(); ++i)
            QVERIFY(sweep.points[i].fullest.deviceBytes() >= sweep.points[i - 1].fullest.deviceBytes());
        QVERIFY(sweep.largest > 0);
        const std::int64_t step = over == MemoryAxis::sequence_length ? 2 : 1;
        QVERIFY(fits(withMemoryAxis(scenario, over, sweep.largest)));
        QVERIFY(!fits(withMemoryAxis(scenario, over, sweep.largest + step)));
    }

    // From BERT (1024 * 512) to PaLM (18432 * 2048) h * s grew 72-fold.
    void demandOutgrowsTheDevices()
    {
        const auto demands = memoryDemands();
        QCOMPARE(demands[6].demand() / demands[0].demand(), std::int64_t{72});
        QVERIFY(std::ranges::is_sorted(demands, {}, &MemoryDemand::year));
        QVERIFY(std::ranges::is_sorted(deviceMemories(), {}, &DeviceMemory::year));
    }
};

QTEST_APPLESS_MAIN(TestMemorySweep)
#include "tst_memory_sweep.moc"
