#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/panels/measurement/calibration_panel.h"

#include "core/scenario/own_presets.h"
#include "core/scenario/scenario_change.h"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTreeWidget>

using namespace shardscope;

// Fits of a DGX A100 to what others have measured.
class TestCalibrationPanel : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    Presets m_presets;
    Scenario m_scenario;

    QString write(const char* name, const char* text) const
    {
        const QString path = m_folder.filePath(name);
        QFile file{path};
        if (!file.open(QIODevice::WriteOnly) || file.write(text) < 0)
            qFatal("cannot write %s", name);
        return path;
    }

    std::unique_ptr<CalibrationPanel> panel() const
    {
        auto made = std::make_unique<CalibrationPanel>();
        made->setPresets(m_presets);
        made->setScenario(m_scenario);
        return made;
    }

    static QPushButton* button(const CalibrationPanel& panel, const char* text)
    {
        for (QPushButton* each : panel.findChildren<QPushButton*>())
            if (each->text().remove('&').startsWith(text))
                return each;
        return nullptr;
    }

    template<class Widget>
    static Widget* named(const CalibrationPanel& panel, const char* name)
    {
        for (Widget* each : panel.findChildren<Widget*>())
            if (each->accessibleName() == name)
                return each;
        return nullptr;
    }

    // github stas00/ml-engineering network/README.md, 8 A100 on NVSwitch.
    QString ncclTable() const
    {
        return write("nccl.csv", "op,ranks,message_bytes,time_us\n"
                                 "all_reduce,8,1048576,101.9\nall_reduce,8,16777216,276.6\n"
                                 "all_reduce,8,268435456,2420.6\nall_reduce,8,1073741824,8203.9\n"
                                 "all_reduce,8,8589934592,64074\n");
    }

private slots:
    void initTestCase()
    {
        qputenv("SHARDSCOPE_PRESETS", m_folder.filePath("own").toUtf8());
        m_presets = loadPresets().value();
        m_scenario = withCluster(Scenario{}, *m_presets.cluster("dgx-a100"));
    }
    void init() { failOnWarnings(); }

    void withoutMeasurementsItSaysWhatItTakes()
    {
        const auto made = panel();
        made->finish();
        QVERIFY(made->summary().contains("CSV or JSON"));
        QVERIFY(!button(*made, "Use in")->isEnabled());
        QVERIFY(!button(*made, "Save as")->isEnabled());
    }

    void aTableIsFittedWithItsResidualsAndWhatWasLeftOut()
    {
        const auto made = panel();
        made->addFiles({ncclTable()});
        made->finish();
        QVERIFY2(made->answer().fit, made->answer().problem.c_str());
        const Calibration& fit = *made->answer().fit;
        QCOMPARE(fit.rows.size(), std::size_t{5});
        QVERIFY(fit.error_fitted < fit.error_before);
        QVERIFY(made->summary().contains("on what was left out (one at a time)"));
        QVERIFY2(made->summary().contains("5 collectives: ") && !made->summary().contains("iteration"),
                 qPrintable(made->summary()));
        const auto* constants = named<QTreeWidget>(*made, "Constants of the cluster");
        QCOMPARE(constants->topLevelItemCount(), static_cast<int>(fit.constants.size()));
        // As the scenario panel names them, with the file's key to look up.
        QCOMPARE(constants->topLevelItem(0)->text(0), "Reached in a node");
        QCOMPARE(constants->topLevelItem(0)->toolTip(0), "cluster.collectives.intra_efficiency");
        const auto* rows = named<QTreeWidget>(*made, "Measurements and how far predictions are from them");
        QCOMPARE(rows->topLevelItemCount(), 5);
        QCOMPARE(rows->topLevelItem(1)->text(0), "all_reduce of 16 MiB over 8 ranks");
        QVERIFY(!rows->topLevelItem(1)->text(4).isEmpty());
    }

    void aTableOfNoOperationIsFittedOnceItIsSaid()
    {
        const auto made = panel();
        made->addFiles({write(
            "run.log", "#       size         count      type   redop    root     time   algbw   busbw\n"
                       "    67108864      16777216     float    none      -1    769.1   87.26   81.81\n"
                       "   268435456      67108864     float    none      -1   2866.2   93.66   87.80\n"
                       "  1073741824     268435456     float    none      -1  11254.8   95.40   89.44\n")});
        made->finish();
        QVERIFY2(made->summary().contains("names no operation"), qPrintable(made->summary()));
        auto* operation = made->findChild<QComboBox*>();
        operation->setCurrentIndex(operation->findText("all_to_all"));
        made->finish();
        QVERIFY2(made->answer().fit, made->answer().problem.c_str());
        QCOMPARE(QString::fromStdString(made->answer().fit->rows.at(0).what),
                 "all_to_all of 64 MiB over 16 ranks");
    }

    void configurationsAndTimesMoveWhatComputeReaches()
    {
        const auto made = panel();
        made->addFiles({write("steps.json", "[{\"data\": 1, \"gb\": 64, \"iteration_s\": 20},"
                                            " {\"data\": 2, \"gb\": 64, \"iteration_s\": 10.2},"
                                            " {\"data\": 4, \"gb\": 64, \"iteration_s\": 5.3}]")});
        made->finish();
        QVERIFY2(made->answer().fit, made->answer().problem.c_str());
        QCOMPARE(made->answer().fit->constants[0].key, std::string{"cluster.compute.gemm_efficiency"});
    }

    void aMistakeInATableNamesItsFile()
    {
        const auto made = panel();
        made->addFiles({write("wrong.csv", "tensr,iteration_s\n2,1.5\n")});
        made->finish();
        QVERIFY(made->summary().startsWith("wrong.csv: "));
        QVERIFY(made->summary().contains("tensr"));
        QVERIFY(!button(*made, "Use in")->isEnabled());
    }

    void aTableWithoutTimesIsToldToBeOne()
    {
        const auto made = panel();
        made->addFiles({write("untimed.csv", "foo,bar\n1,2\n")});
        made->finish();
        QVERIFY2(made->summary().startsWith("untimed.csv: a table needs a column of times"),
                 qPrintable(made->summary()));
    }

    void aFileCountsOnceAndCanBeTakenOut()
    {
        const auto made = panel();
        made->addFiles({ncclTable(), ncclTable()});
        auto* list = made->findChild<QListWidget*>();
        QCOMPARE(list->count(), 1);
        list->item(0)->setCheckState(Qt::Unchecked);
        made->finish();
        QVERIFY(!made->answer().fit);
        list->item(0)->setCheckState(Qt::Checked);
        made->finish();
        QVERIFY(made->answer().fit);
        list->item(0)->setSelected(true);
        button(*made, "Remove")->click();
        made->finish();
        QCOMPARE(list->count(), 0);
        QVERIFY(!made->answer().fit);
    }

    void theOpenTracesAreASourceToo()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.points.push_back({"all_reduce", "float", 16 << 20, 276.6e-6, 60.66, 106.15});
        run->measurement.points.push_back({"all_reduce", "float", 1 << 30, 8203.9e-6, 130.88, 229.04});
        const auto made = panel();
        made->setRun(run);
        made->finish();
        QVERIFY2(made->answer().fit, made->answer().problem.c_str());
        QCOMPARE(made->answer().fit->rows.size(), std::size_t{2});
        made->setRun(nullptr);
        made->finish();
        QVERIFY(!made->answer().fit);
        QCOMPARE(made->findChild<QListWidget*>()->count(), 0);
    }

    void theFitCanBeUsedAndSaved()
    {
        const auto made = panel();
        made->addFiles({ncclTable()});
        made->finish();
        QSignalSpy used{made.get(), &CalibrationPanel::scenarioWished};
        button(*made, "Use in")->click();
        QCOMPARE(used.size(), 1);
        const auto scenario = used[0][0].value<Scenario>();
        QVERIFY(scenario.cluster == made->answer().fit->cluster);
        // What was taken over from here is no reason to fit again.
        made->setScenario(scenario);
        QVERIFY(made->summary().contains("fitted"));

        QSignalSpy saved{made.get(), &CalibrationPanel::saveWished};
        // An edit that is undone does not come back with the next one.
        Scenario edited = scenario;
        edited.model.layers += 2;
        made->setScenario(edited);
        made->finish();
        made->setScenario(scenario);
        made->finish();
        button(*made, "Use in")->click();
        QCOMPARE(used.last()[0].value<Scenario>().model.layers, scenario.model.layers);

        named<QLineEdit>(*made, "Name of the cluster")->setText(" lab ");
        button(*made, "Save as")->click();
        QCOMPARE(saved.size(), 1);
        QCOMPARE(saved[0][0].toString(), "lab");
        QVERIFY(saved[0][2].toString().contains(": fitted to 5 collectives (mean error "));
    }
};

QTEST_MAIN(TestCalibrationPanel)
#include "tst_calibration_panel.moc"
