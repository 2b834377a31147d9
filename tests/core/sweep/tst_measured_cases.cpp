#include <QTest>

#include "core/base/resources.h"
#include "core/sweep/measured_cases.h"

#include <QTemporaryDir>

#include <cmath>
#include <fstream>

using namespace shardscope;

// The published steps that ship, predicted by the program as it is.
class TestMeasuredCases : public QObject
{
    Q_OBJECT
private slots:
    void theCasesThatShipAreNear()
    {
        const Presets presets = Presets::load(resourcesFolder() / "presets").value();
        const auto cases = readMeasuredCases(resourcesFolder() / "accuracy" / "cases.json", presets);
        QVERIFY2(cases, cases ? "" : cases.error().sentence.c_str());
        double sum = 0.0;
        int within_band = 0;
        for (const MeasuredCase& entry : cases.value()) {
            QVERIFY(!entry.source.empty() && !entry.reference.empty());
            QVERIFY(entry.measured_s > 0.0 && entry.predicted_s > 0.0);
            const double off = entry.predicted_s / entry.measured_s - 1.0;
            sum += std::abs(off);
            const ComputeLaw& law = entry.scenario.cluster.compute;
            const double band = entry.scenario.training.precision == Precision::fp8 ? law.time_error_fp8
                                : entry.parameters < 1e9                            ? law.time_error_small
                                                                                    : law.time_error;
            within_band += std::abs(1.0 / (1.0 + off) - 1.0) <= band ? 1 : 0;
        }
        const auto count = static_cast<double>(cases.value().size());
        QVERIFY(count > 1000);
        QVERIFY2(sum / count <= 0.12, "the goal for all cases");
        QVERIFY2(within_band / count >= 0.8, "bands hold four of five cases");
    }

    void aFileThatIsNoneIsRefused()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("cases.json").toStdString();
        QVERIFY(!readMeasuredCases(file, Presets{})); // not there
        std::ofstream{file} << "{\"cases\": [{\"id\": 3}]}";
        QVERIFY(!readMeasuredCases(file, Presets{}));
        std::ofstream{file} << "no JSON";
        QVERIFY(!readMeasuredCases(file, Presets{}));
    }
};

QTEST_APPLESS_MAIN(TestMeasuredCases)
#include "tst_measured_cases.moc"
