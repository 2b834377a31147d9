#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/inference_dialog.h"
#include "widgets/main_window/lesson_guide.h"
#include "widgets/main_window/main_window.h"
#include "widgets/session/latest_job.h"
#include "widgets/session/session.h"

#include "core/lesson/lesson.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <new>

using namespace shardscope;

namespace
{

QString saved(const QString& file, int layers)
{
    Scenario scenario;
    scenario.model.layers = layers;
    return saveScenarioFile(file.toStdString(), scenario) ? file : QString{};
}

// Presses the button of the next question.
void answer(QMessageBox::StandardButton button)
{
    QTimer::singleShot(0, [button] {
        auto* question = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        QVERIFY(question);
        question->button(button)->click();
    });
}

} // namespace

// What the window does with files that are dropped on it or opened.
class TestOpenedFiles : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void droppedFilesOpen()
    {
        const QString file = saved(m_folder.filePath("dropped.scenario.json"), 36);
        MainWindow window{shippedPresets(), false};
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        QDragEnterEvent enter{QPoint{10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier};
        QCoreApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop{QPointF{10, 10}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier};
        QCoreApplication::sendEvent(&window, &drop);
        QTRY_COMPARE(window.session().scenario().model.layers, 36);
        QVERIFY(window.windowTitle().startsWith("dropped.scenario.json"));
    }

    void badFilesAreSaidInTheWindow()
    {
        MainWindow window{shippedPresets(), false};
        window.session().open({m_folder.filePath("nothing.json")});
        QTRY_COMPARE(window.messages().count(), 1);
        QVERIFY(window.messages().currentText().contains("nothing.json"));
    }

    void whatAPictureCannotWorkOutIsSaidInTheWindow()
    {
        MainWindow window{shippedPresets(), false};
        LatestJob<int> job{[](int) {}};
        job.start([]() -> int { throw std::bad_alloc(); });
        job.finish();
        QCOMPARE(window.messages().count(), 1);
        QVERIFY(window.messages().currentText().startsWith("A picture stays as it was: there is not enough"));
    }

    void aChangedFileIsAskedAboutBeforeAnotherTakesItsPlace()
    {
        const QString first = saved(m_folder.filePath("first.scenario.json"), 12);
        const QString second = saved(m_folder.filePath("second.scenario.json"), 14);
        MainWindow window{shippedPresets(), false};
        Session& session = window.session();
        session.open({first});
        Scenario changed = session.scenario();
        changed.model.layers = 24;
        session.editScenario(changed, "Layers");
        answer(QMessageBox::Cancel);
        session.open({second});
        QCOMPARE(session.scenario(), changed);
        QCOMPARE(session.scenarioFile(), first);
        answer(QMessageBox::Save);
        session.open({second});
        QCOMPARE(session.scenarioFile(), second);
        session.open({first}); // nothing to ask
        QCOMPARE(session.scenario(), changed);
        QVERIFY(!window.isWindowModified());
    }

    // Whatever it is that takes its place.
    void aChangedFileStaysWhereTheUserWishes_data()
    {
        QTest::addColumn<QString>("what");
        QTest::newRow("a new scenario") << "new";
        QTest::newRow("an example") << "example";
        QTest::newRow("a lesson") << "lesson";
    }
    void aChangedFileStaysWhereTheUserWishes()
    {
        QFETCH(QString, what);
        const QString file = saved(m_folder.filePath("kept.scenario.json"), 12);
        MainWindow window{shippedPresets(), false};
        Session& session = window.session();
        session.open({file});
        Scenario changed = session.scenario();
        changed.model.layers = 24;
        session.editScenario(changed, "Layers");
        LessonStep step;
        step.figure = lessonFigure("flops");
        step.choices = {1.0, 2.0};
        step.after.training.global_batch_size *= 2;
        bool is_asked = false;
        QTimer::singleShot(0, &window, [&is_asked] {
            auto* question = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            is_asked = question != nullptr;
            QVERIFY(question);
            question->button(QMessageBox::Cancel)->click();
        });
        if (what == "new")
            session.newScenario();
        else if (what == "example")
            session.openCopy(saved(m_folder.filePath("example.scenario.json"), 14));
        else
            window.findChild<LessonGuide*>()->begin({"batch", "Batch", "About batches.", {step}});
        QVERIFY(is_asked);
        QCOMPARE(session.scenario(), changed);
        QCOMPARE(session.scenarioFile(), file);
    }

    void aFilesErrorIsGoneOnceItOpens()
    {
        const QString path = m_folder.filePath("mended.scenario.json");
        QFile file{path};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{ broken");
        file.close();
        MainWindow window{shippedPresets(), false};
        window.session().open({path});
        QCOMPARE(window.messages().count(), 1);
        QVERIFY(!saved(path, 12).isEmpty());
        window.session().open({path});
        QCOMPARE(window.messages().count(), 0);
    }

    void tracesOfAnotherRunOfferWhatTheyShow()
    {
        MainWindow window{shippedPresets(), false};
        window.session().open({SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2-plain"});
        QTRY_VERIFY_WITH_TIMEOUT(window.session().content().measured, 60000);
        QTRY_VERIFY_WITH_TIMEOUT(window.messages().currentText().contains("that the traces show"), 60000);
        window.messages().findChild<QPushButton*>()->click(); // why
        auto* dialog = window.findChild<InferenceDialog*>();
        QVERIFY(dialog);
        dialog->reject();
        QVERIFY(window.messages().currentText().contains("that the traces show"));
    }

    // Whoever closes the line has read it; what is undone makes it hold again.
    void thatTheScenarioIsNobodysIsSaidWhileItIs()
    {
        MainWindow window{shippedPresets(), false};
        const MessageLine& line = window.messages();
        const auto is_said = [&] { return line.currentText().contains("the default scenario"); };
        window.session().open({SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2-plain"});
        QTRY_VERIFY_WITH_TIMEOUT(window.session().isSettled() && line.count() == 1, 60000);
        QVERIFY(!is_said());
        window.session().undoStack().undo(); // of the one that the traces show
        QTRY_VERIFY(is_said());
        Scenario scenario = window.session().scenario();
        scenario.parallel.data = 8;
        window.session().editScenario(scenario, "Data");
        QTRY_COMPARE(line.count(), 0);
        window.session().undoStack().undo();
        QTRY_VERIFY(is_said());
        window.messages().dismissCurrent();
        window.session().select(Selection{});
        window.session().pin();
        QTRY_VERIFY_WITH_TIMEOUT(window.session().isSettled(), 60000);
        QCOMPARE(line.count(), 0);
    }

    void thatTheyAreOfOtherGpusIsSaidUntilTheScenarioIsOfAsMany()
    {
        MainWindow window{shippedPresets(), false};
        Scenario scenario = window.session().scenario();
        scenario.parallel.data = 4;
        window.session().editScenario(scenario, "Data");
        window.session().open({SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2-plain"});
        QTRY_VERIFY_WITH_TIMEOUT(window.session().content().measured, 60000);
        QTRY_COMPARE(window.messages().count(), 1);
        scenario.name = "another name";
        window.session().editScenario(scenario, "Name");
        QTRY_VERIFY_WITH_TIMEOUT(window.session().isSettled(), 60000);
        QCOMPARE(window.messages().count(), 1);
        scenario.parallel.pipeline = 8;
        scenario.parallel.tensor = scenario.parallel.data = 1;
        window.session().editScenario(scenario, "Layout");
        QTRY_COMPARE(window.messages().count(), 0);
    }

    void ofASecondRunIsToldAndItCanBeShown()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        window.session().open({SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2",
                               SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2-plain"});
        QTRY_VERIFY_WITH_TIMEOUT(window.session().content().measured, 60000);
        QTRY_COMPARE(window.messages().count(), 2); // the other: that it is another run
        const QString sentence = window.messages().currentText();
        QVERIFY2(sentence.startsWith("2 runs with the same ranks"), qPrintable(sentence));
        QVERIFY2(sentence.endsWith("p2t2d2-plain. p2t2d2 is shown."), qPrintable(sentence));
        QCOMPARE(window.session().content().measured->traces.files.size(), std::size_t{8});
        window.messages().findChild<QPushButton*>()->click();
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QCOMPARE(menu->actions().size(), 4); // two runs, a line, all as one
        QVERIFY(menu->actions().front()->isChecked());
        menu->actions().at(1)->trigger();
        menu->close();
        QTRY_VERIFY_WITH_TIMEOUT(
            window.session().content().measured->traces.files.front().path.find("p2t2d2-plain")
                != std::string::npos,
            60000);
        QCOMPARE(window.session().shownRun(), std::optional<std::size_t>{1});
    }

    // Nothing else of the window would show that anything was read.
    void aTableOfTimedCollectivesBringsThePictureThatShowsIt()
    {
        QFile table{m_folder.filePath("all_reduce.txt")};
        QVERIFY(table.open(QIODevice::WriteOnly));
        table.write("# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
                    " 16777216 4194304 float sum -1 276.60 60.66 106.15 0 275.10 60.99 106.73 0\n"
                    " 1073741824 268435456 float sum -1 8203.90 130.88 229.04 0 8200.00 130.94 229.15 0\n");
        table.close();
        MainWindow window{shippedPresets(), false};
        window.show();
        const QWidget* picture = window.panel("collective");
        QVERIFY(!picture->isVisible() || picture->visibleRegion().isEmpty());
        window.session().open({table.fileName()});
        QTRY_VERIFY_WITH_TIMEOUT(window.session().content().measured && window.isSettled(), 60000);
        QTRY_VERIFY(picture->isVisible() && !picture->visibleRegion().isEmpty());
        QCOMPARE(window.messages().currentText(),
                 QString{"2 times of all_reduce were read, which the picture Collectives shows."});
        const QList<QLabel*> labels = window.statusBar()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
            return label->text() == "Measured: 1 file with 2 times of collectives";
        }));
        window.enlarge("memory");
        QVERIFY(!picture->isVisible());
        window.messages().findChild<QPushButton*>()->click();
        QVERIFY(picture->isVisible());
    }

    // They have no timeline, and so no events.
    void whatAFlightRecorderHoldsIsCountedAsRecords()
    {
        QFile dump{m_folder.filePath("dump_rank0.json")};
        QVERIFY(dump.open(QIODevice::WriteOnly));
        dump.write(R"({"version":"2.9","pg_config":{"1":{"ranks":"[0, 1]"}},"pg_status":{},"entries":[)"
                   R"({"record_id":1,"process_group":["1","x"],"profiling_name":"nccl:all_reduce",)"
                   R"("input_sizes":[[16]],"input_dtypes":["Long"],"output_sizes":[[16]],)"
                   R"("output_dtypes":["Long"],"state":"completed"}]})");
        dump.close();
        MainWindow window{shippedPresets(), false};
        window.show();
        window.session().open({dump.fileName()});
        QTRY_VERIFY_WITH_TIMEOUT(window.session().content().measured && window.isSettled(), 60000);
        const QList<QLabel*> labels = window.statusBar()->findChildren<QLabel*>();
        QVERIFY(std::ranges::any_of(
            labels, [](const QLabel* label) { return label->text() == "Measured: 1 rank, 1 record"; }));
    }

    void theSampleOpens()
    {
        MainWindow window{shippedPresets(), false};
        window.show();
        window.openSample();
        QTRY_VERIFY_WITH_TIMEOUT(window.isSettled(), 60000);
        QVERIFY2(window.session().content().measured, qPrintable(window.messages().currentText()));
        QCOMPARE(window.session().content().measured->measurement.ranks.size(), std::size_t{8});
        QCOMPARE(window.session().scenario().worldSize(), 8);
        QVERIFY(!window.grab().isNull());
    }

private:
    QTemporaryDir m_folder;
};

QTEST_MAIN(TestOpenedFiles)
#include "tst_opened_files.moc"
