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

    void aFormatHasABarWhereTheGpuHasItOrTheScenarioTakesIt_data()
    {
        QTest::addColumn<double>("gain");
        QTest::addColumn<int>("own");
        QTest::addColumn<int>("bars");
        QTest::addColumn<double>("fp4_gain");
        const auto row = [](const char* name, double gain, double fp4_gain, Precision own, int bars) {
            QTest::newRow(name) << gain << static_cast<int>(own) << bars << fp4_gain;
        };
        row("the GPU has fp8", 1.55, 1.0, Precision::bf16, 4);
        row("it has fp4", 1.55, 2.0, Precision::bf16, 5);
        row("it has none", 1.0, 1.0, Precision::bf16, 3);
        row("it has none, asked for fp8 all the same", 1.0, 1.0, Precision::fp8, 4);
        row("it has fp8, asked for fp4 all the same", 1.55, 1.0, Precision::fp4, 5);
    }
    void aFormatHasABarWhereTheGpuHasItOrTheScenarioTakesIt()
    {
        QFETCH(int, own);
        QFETCH(double, gain);
        QFETCH(double, fp4_gain);
        Scenario base = gpt3b();
        base.training.precision = static_cast<Precision>(own);
        base.cluster.compute.fp8_speedup = gain;
        base.cluster.compute.fp4_over_fp8 = fp4_gain;
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
