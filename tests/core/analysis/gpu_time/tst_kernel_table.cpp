#include <QTest>

#include "core/analysis/gpu_time/kernel_table.h"
#include "core/trace/trace_builder.h"

using namespace shardscope;

class TestKernelTable : public QObject
{
    Q_OBJECT
private slots:
    void kernelsAreSummedByName()
    {
        TraceBuilder builder;
        const auto stream = builder.addTrack("0", "7", true);
        for (const auto& [start, duration] : {std::pair{0, 10}, {20, 30}, {60, 5}})
            builder.addEvent(stream, start, duration, "gemm", "kernel");
        builder.addEvent(stream, 70, 50, "Memcpy HtoD", "gpu_memcpy");
        builder.addEvent(builder.addTrack("9", "9"), 0, 500, "aten::mm", "cpu_op"); // not counted
        const std::vector<KernelRow> all = tableOf(builder);
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].name, std::string{"Memcpy HtoD"});
        QCOMPARE(all[1].sum_ns, std::int64_t{45});
        QCOMPARE(all[1].own_ns(), std::int64_t{45});
        QCOMPARE(all[1].min_ns, std::int64_t{5});
        QCOMPARE(all[1].mean_ns(), 15.0);
        QCOMPARE(all[1].max_ns, std::int64_t{30});
    }

    // Products stand within operators that do little but call them.
    void withoutAGpuOperatorsHaveTheirOwnTime()
    {
        TraceBuilder builder;
        const auto thread = builder.addTrack("9", "1");
        builder.addEvent(thread, 0, 100, "aten::linear", "cpu_op");
        builder.addEvent(thread, 10, 80, "aten::matmul", "cpu_op");
        builder.addEvent(thread, 15, 60, "aten::mm", "cpu_op");
        builder.addEvent(thread, 76, 4, "aten::mm", "cpu_op");
        builder.addEvent(thread, 200, 30, "aten::mm", "cpu_op");
        builder.addEvent(builder.addTrack("9", "2"), 0, 100, "aten::add", "cpu_op"); // beside, not within
        const std::vector<KernelRow> all = tableOf(builder);
        QStringList rows;
        for (const KernelRow& row : all)
            rows << QString{"%1 %2 of %3"}.arg(row.name.c_str()).arg(row.own_ns()).arg(row.sum_ns);
        QCOMPARE(rows, (QStringList{"aten::add 100 of 100", "aten::mm 94 of 94", "aten::linear 20 of 100",
                                    "aten::matmul 16 of 80"}));
    }

    void anOperatorThatOutlastsTheOneAroundItIsWithinItUntilItsEnd()
    {
        TraceBuilder builder;
        const auto thread = builder.addTrack("9", "1");
        builder.addEvent(thread, 0, 100, "aten::linear", "cpu_op");
        builder.addEvent(thread, 90, 50, "aten::mm", "cpu_op");
        const std::vector<KernelRow> all = tableOf(builder);
        QCOMPARE(all[0].own_ns(), std::int64_t{90});
        QCOMPARE(all[1].own_ns(), std::int64_t{50});
    }

    void rowsOfAnotherFileAreAdded()
    {
        std::vector<KernelRow> kernels{{"mm", EventClass::compute, 2, 30, 10, 20, 5}};
        addKernels(kernels, {{"add", EventClass::compute, 1, 60, 60, 60, 50},
                             {"mm", EventClass::compute, 1, 5, 5, 5, 1}});
        QCOMPARE(kernels.size(), std::size_t{2});
        QCOMPARE(kernels[0].name, std::string{"mm"}); // 29 of its own against 10
        QCOMPARE(kernels[0].own_ns(), std::int64_t{29});
        QCOMPARE(kernels[0].min_ns, std::int64_t{5});
    }

private:
    static std::vector<KernelRow> tableOf(TraceBuilder& builder)
    {
        const auto store = builder.finish();
        return kernelTable(*store, EventClasses{*store, ClassificationRules::shipped()});
    }
};

QTEST_APPLESS_MAIN(TestKernelTable)
#include "tst_kernel_table.moc"
