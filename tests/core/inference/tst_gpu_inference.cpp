#include <QTest>

#include "core/base/resources.h"
#include "core/inference/gpu_inference.h"

#include <string>
#include <vector>

Q_DECLARE_METATYPE(std::vector<std::string>)

using namespace shardscope;

class TestGpuInference : public QObject
{
    Q_OBJECT

    static ClusterInference inferred(const std::vector<std::string>& gpus, const std::string& assumed)
    {
        static const Presets presets = Presets::load(resourcesFolder() / "presets").value();
        TraceSet traces;
        for (const std::string& gpu : gpus) {
            traces.files.emplace_back();
            traces.files.back().gpu = gpu;
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

    void linksStayWhereTheGpuIsTheSame()
    {
        const Cluster polaris = inferred({}, "polaris-slingshot11").cluster;
        QCOMPARE(inferred({polaris.gpu}, "polaris-slingshot11").cluster, polaris);
    }
};

QTEST_APPLESS_MAIN(TestGpuInference)
#include "tst_gpu_inference.moc"
