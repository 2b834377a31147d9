#include <QTest>

#include "core/sweep/axis_values.h"
#include "tests/core/sweep/scenarios.h"

using namespace shardscope;

class TestAxisValues : public QObject
{
    Q_OBJECT
private slots:
    void everyScheduleHasABar()
    {
        const std::vector<double> schedules = barValues(gpt3b(), SweepAxis::schedule);
        QCOMPARE(schedules.size(), std::size_t{static_cast<std::size_t>(Schedule::dualpipe) + 1});
        QCOMPARE(schedules.back(), static_cast<double>(Schedule::dualpipe));
    }

    void fp8HasABarWhereTheGpuHasItOrTheScenarioTakesIt_data()
    {
        QTest::addColumn<double>("gain");
        QTest::addColumn<int>("own");
        QTest::addColumn<int>("bars");
        QTest::newRow("the GPU has it") << 1.55 << static_cast<int>(Precision::bf16) << 4;
        QTest::newRow("it has none") << 1.0 << static_cast<int>(Precision::bf16) << 3;
        QTest::newRow("it has none, asked all the same") << 1.0 << static_cast<int>(Precision::fp8) << 4;
    }
    void fp8HasABarWhereTheGpuHasItOrTheScenarioTakesIt()
    {
        QFETCH(int, own);
        QFETCH(double, gain);
        Scenario base = gpt3b();
        base.training.precision = static_cast<Precision>(own);
        base.cluster.compute.fp8_speedup = gain;
        QTEST(static_cast<int>(barValues(base, SweepAxis::precision).size()), "bars");
    }

    void barsHaveTheStagesThatTheFrameworkHas_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("own");
        QTest::addColumn<std::vector<double>>("bars");
        const auto row = [](const char* name, Framework framework, int own, std::vector<double> bars) {
            QTest::newRow(name) << static_cast<int>(framework) << own << std::move(bars);
        };
        row("all of DeepSpeed's", Framework::deepspeed, 0, {0, 1, 2, 3});
        row("FSDP's", Framework::fsdp, 3, {0, 2, 3});
        row("one set by hand", Framework::fsdp, 1, {0, 1, 2, 3});
        row("DDP's", Framework::ddp, 0, {0, 1});
    }
    void barsHaveTheStagesThatTheFrameworkHas()
    {
        QFETCH(int, framework);
        QFETCH(int, own);
        Scenario base = gpt3b();
        base.conventions.framework = static_cast<Framework>(framework);
        base.parallel.zero_stage = own;
        QTEST(barValues(base, SweepAxis::zero_stage), "bars");
    }
};

QTEST_APPLESS_MAIN(TestAxisValues)
#include "tst_axis_values.moc"
