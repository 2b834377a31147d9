#include <QProgressDialog>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QWidget>

#include "tests/fail_on_warnings.h"
#include "widgets/main_window/timeline_export.h"

using namespace shardscope;

class TestTimelineExport : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

private slots:
    void init() { failOnWarnings(); }

    void aTimelineIsWrittenAndTold()
    {
        QWidget window;
        TimelineExport exported{window};
        QSignalSpy told{&exported, &TimelineExport::notified};
        const QString file = m_folder.filePath("timeline.json.gz");
        exported.start(Scenario{}, file, TimelineDetail::passes);
        QVERIFY(exported.isRunning());
        QTRY_COMPARE(told.size(), 1);
        QVERIFY(QFileInfo{file}.size() > 0);
        QVERIFY(!exported.isRunning());
    }

    void whatGoesWrongIsTold()
    {
        QWidget window;
        TimelineExport exported{window};
        QSignalSpy told{&exported, &TimelineExport::failed};
        exported.start(Scenario{}, "/nowhere/timeline.json", TimelineDetail::passes);
        QTRY_COMPARE(told.size(), 1);
        QVERIFY(told[0][0].toString().startsWith("/nowhere/timeline.json: "));
    }

    void whatIsCancelledLeavesNoFile()
    {
        QWidget window;
        TimelineExport exported{window};
        QSignalSpy failed{&exported, &TimelineExport::failed};
        QSignalSpy notified{&exported, &TimelineExport::notified};
        Scenario scenario;
        scenario.parallel.data = 64; // at least as many ranks to write
        scenario.training.global_batch_size = 4096;
        const QString file = m_folder.filePath("cancelled.json");
        exported.start(scenario, file, TimelineDetail::layers);
        QProgressDialog* progress = window.findChild<QProgressDialog*>();
        progress->show();
        progress->findChild<QPushButton*>()->click();
        QVERIFY(!progress->isVisible());
        QCOMPARE(notified.size(), 1);
        QVERIFY(notified[0][0].toString().endsWith("is not written"));
        QTRY_VERIFY(!exported.isRunning());
        QVERIFY(window.findChild<QProgressDialog*>() == nullptr || !progress->isVisible());
        QCOMPARE(notified.size(), 1);
        QVERIFY(failed.isEmpty());
        QVERIFY(!QFile::exists(file));
    }
};

QTEST_MAIN(TestTimelineExport)
#include "tst_timeline_export.moc"
