#include <QTest>

#include "core/base/resources.h"
#include "core/inference/gpu_inference.h"
#include "core/trace/trace_builder.h"

#include <string>
#include <vector>

Q_DECLARE_METATYPE(std::vector<std::string>)

using namespace shardscope;

class TestGpuInference : public QObject
{
    Q_OBJECT

    static ClusterInference inferred(const std::vector<std::string>& gpus, const std::string& assumed,
                                     std::int64_t memory_bytes = 0)
    {
        static const Presets presets = Presets::load(resourcesFolder() / "presets").value();
        TraceSet traces;
        for (const std::string& gpu : gpus) {
            traces.files.emplace_back();
            traces.files.back().gpu = gpu;
            traces.files.back().gpu_memory_bytes = memory_bytes;
        }
        return inferCluster(traces, presets, presets.cluster(assumed)->cluster);
    }

private slots:
    void theProfilersNameIsTheGpu_data()
    {
        using Names = std::vector<std::string>;
        QTest::addColumn<Names>("names");
        QTest::addColumn<QString>("gpu");
        QTest::addColumn<double>("memory_GB");
        QTest::addColumn<double>("sure");
        QTest::newRow("NVIDIA") << Names{"NVIDIA H100 80GB HBM3"} << "H100 80GB HBM3" << 80.0
                                << confidence::told;
        QTest::newRow("years ago") << Names{"Tesla V100-SXM2-32GB"} << "V100-SXM2-32GB" << 32.0
                                   << confidence::told;
        QTest::newRow("AMD") << Names{"AMD Instinct MI300X"} << "MI300X" << 192.0 << confidence::told;
        QTest::newRow("that of the system at hand")
            << Names{"NVIDIA A100-SXM4-80GB", "", "NVIDIA A100-SXM4-80GB"} << "A100-SXM4-80GB" << 80.0
            << confidence::told;
        QTest::newRow("of no known figures")
            << Names{"Quadro GP100"} << "A100-SXM4-80GB" << 80.0 << confidence::assumed;
        QTest::newRow("nothing") << Names{"", ""} << "A100-SXM4-80GB" << 80.0 << confidence::assumed;
        QTest::newRow("two of them") << Names{"NVIDIA H100 80GB HBM3", "Tesla V100-SXM2-32GB"}
                                     << "A100-SXM4-80GB" << 80.0 << confidence::assumed;
    }
    void theProfilersNameIsTheGpu()
    {
        QFETCH(std::vector<std::string>, names);
        const ClusterInference found = inferred(names, "dgx-a100");
        QTEST(QString::fromStdString(found.cluster.gpu), "gpu");
        QTEST(found.cluster.memory_GB, "memory_GB");
        QTEST(found.finding.confidence, "sure");
        QCOMPARE(found.finding.value, found.cluster.gpu);
    }

    void processesThatUseNoGpuAreOnProcessors_data()
    {
        QTest::addColumn<QString>("call");
        QTest::addColumn<bool>("has_gpu");
        QTest::addColumn<QString>("gpu");
        QTest::newRow("gloo") << "gloo:all_reduce" << false << "CPU core (gloo)";
        QTest::newRow("gloo beside GPUs") << "gloo:all_reduce" << true << "A100-SXM4-80GB";
        QTest::newRow("NCCL, of which the processor alone was recorded")
            << "nccl:all_reduce" << false << "A100-SXM4-80GB";
        QTest::newRow("calls of any other name") << "all_reduce" << false << "A100-SXM4-80GB";
    }
    void processesThatUseNoGpuAreOnProcessors()
    {
        QFETCH(QString, call);
        QFETCH(bool, has_gpu);
        TraceBuilder builder;
        CollectiveCall made;
        made.event = builder.addEvent(builder.addTrack("0", "1", has_gpu), 0, 10, "call", "cpu_op");
        made.name = builder.intern(call.toStdString());
        builder.addCollective(made);
        TraceSet traces;
        traces.files.emplace_back().store = builder.finish();
        static const Presets presets = Presets::load(resourcesFolder() / "presets").value();
        const ClusterInference found = inferCluster(traces, presets, presets.cluster("dgx-a100")->cluster);
        QTEST(QString::fromStdString(found.cluster.gpu), "gpu");
        QCOMPARE(found.cluster.calibrated, found.cluster.gpu == "A100-SXM4-80GB");
    }

    // As profilers wrote it of GPUs of 40, 80 and 141 GB, and of a GH200, whose name tells its processor's.
    void theMemoryIsWhatTheProfilerTells_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<double>("memory_GB");
        QTest::newRow("A100, 40 GB") << "NVIDIA A100-PG509-200" << qint64{42'297'524'224} << 40.0;
        QTest::newRow("A100, 80 GB") << "NVIDIA A100-SXM4-80GB" << qint64{85'051'572'224} << 80.0;
        QTest::newRow("H200") << "NVIDIA H200" << qint64{150'107'652'096} << 141.0;
        QTest::newRow("GH200") << "NVIDIA GH200 480GB" << qint64{101'994'987'520} << 95.0;
    }
    void theMemoryIsWhatTheProfilerTells()
    {
        QFETCH(QString, name);
        QFETCH(qint64, bytes);
        QTEST(inferred({name.toStdString()}, "dgx-a100", bytes).cluster.memory_GB, "memory_GB");
    }

    void figuresOfAnotherFormAreNoted_data()
    {
        QTest::addColumn<QString>("name");
        QTest::newRow("H100") << "NVIDIA H100 PCIe";
        QTest::newRow("the system at hand") << "NVIDIA A100 80GB PCIe";
    }
    void figuresOfAnotherFormAreNoted()
    {
        QFETCH(QString, name);
        const ClusterInference found = inferred({name.toStdString()}, "dgx-a100");
        QCOMPARE(found.finding.confidence, confidence::likeliest);
        QCOMPARE(found.notes.size(), std::size_t{1});
    }

    void linksStayWhereTheGpuIsTheSame()
    {
        const Cluster polaris = inferred({}, "polaris-slingshot11").cluster;
        QCOMPARE(inferred({polaris.gpu}, "polaris-slingshot11").cluster, polaris);
    }
};

QTEST_APPLESS_MAIN(TestGpuInference)
#include "tst_gpu_inference.moc"
