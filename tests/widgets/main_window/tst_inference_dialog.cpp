#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/inference_dialog.h"
#include "widgets/session/session.h"

#include <QPushButton>
#include <QTableWidget>

using namespace shardscope;

// What the traces show, on its way into the session's scenario.
class TestInferenceDialog : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void whatTheTracesShowCanBeTaken()
    {
        Session session{shippedPresets()};
        session.open({SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2-plain"});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured != nullptr, 30'000);
        const Scenario before = session.scenario();
        InferenceDialog dialog{session};
        QVERIFY(!controlOf<QPushButton>(dialog, "&Take this scenario").isEnabled());
        dialog.finish();
        QVERIFY2(dialog.verdict().contains("all 9 classes of messages are as predicted"),
                 qPrintable(dialog.verdict()));
        QVERIFY(dialog.table().rowCount() > 15);
        QCOMPARE(dialog.table().item(0, 0)->text(), "Hidden size");
        QCOMPARE(dialog.table().item(0, 0)->toolTip(), "model.hidden_size");
        controlOf<QPushButton>(dialog, "&Take this scenario").click();
        const Scenario& taken = session.scenario();
        QCOMPARE(taken.parallel.pipeline, 2);
        QCOMPARE(taken.parallel.tensor, 2);
        QCOMPARE(taken.model.layers, 4);
        QCOMPARE(taken.cluster.gpu, std::string{"CPU core (gloo)"});
        QVERIFY(!taken.cluster.calibrated);
        session.undoStack().undo();
        QVERIFY(session.scenario() == before);
    }

    void withoutTracesItSaysSo()
    {
        Session session{shippedPresets()};
        InferenceDialog dialog{session};
        dialog.finish();
        QVERIFY(dialog.verdict().contains("open a file or a folder"));
        QVERIFY(!controlOf<QPushButton>(dialog, "&Take this scenario").isEnabled());
    }

    void closingItStopsTheReading()
    {
        Session session{shippedPresets()};
        session.open({SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2"});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured != nullptr, 30'000);
        const Scenario before = session.scenario();
        {
            const InferenceDialog dialog{session};
        }
        QVERIFY(session.scenario() == before);
    }
};

QTEST_MAIN(TestInferenceDialog)
#include "tst_inference_dialog.moc"
