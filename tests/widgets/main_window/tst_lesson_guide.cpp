#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/main_window/shipped_presets.h"
#include "widgets/main_window/lesson_guide.h"
#include "widgets/panels/lesson/lesson_bar.h"
#include "widgets/session/session.h"

using namespace shardscope;

class TestLessonGuide : public QObject
{
    Q_OBJECT

    std::unique_ptr<Session> m_session;
    std::unique_ptr<LessonBar> m_bar;
    std::unique_ptr<LessonGuide> m_guide;

    static Lesson twiceTheBatch()
    {
        LessonStep step;
        step.question = "What happens to the bubble?";
        step.figure = lessonFigure("flops");
        step.choices = {1.0, 2.0};
        step.picture = "time";
        step.before.parallel.data = 2;
        step.after = step.before;
        step.after.training.global_batch_size *= 2;
        LessonStep back = step;
        std::swap(back.before, back.after);
        back.choices = {0.5, 1.0};
        return {"01-batch", "Batch", "About batches.", {step, back}};
    }

private slots:
    void init()
    {
        failOnWarnings();
        m_session = std::make_unique<Session>(shippedPresets());
        m_bar = std::make_unique<LessonBar>();
        m_guide = std::make_unique<LessonGuide>(*m_session, *m_bar, nullptr);
    }
    void cleanup()
    {
        m_guide.reset();
        m_bar.reset();
        m_session.reset();
    }

    void theLessonsThatShipAreInTheMenu()
    {
        QMenu help;
        m_guide->addTo(help);
        QMenu* lessons = help.actions().front()->menu();
        emit lessons->aboutToShow();
        QVERIFY(lessons->actions().size() >= 6);
        const QSignalSpy failed{m_guide.get(), &LessonGuide::failed};
        lessons->actions().front()->trigger();
        QVERIFY(m_guide->isUnderWay());
        QCOMPARE(failed.size(), 0);
    }

    // Nobody need go back to the default scenario; who has opened another one is where he wants to be.
    void theWayBackIsOfferedToWhoHadAScenario_data()
    {
        QTest::addColumn<bool>("had_one");
        QTest::addColumn<bool>("opens_another");
        QTest::addColumn<int>("offers");
        QTest::newRow("an own one") << true << false << 1;
        QTest::newRow("the default one") << false << false << 0;
        QTest::newRow("another one since") << true << true << 0;
    }
    void theWayBackIsOfferedToWhoHadAScenario()
    {
        QFETCH(bool, had_one);
        QFETCH(bool, opens_another);
        Scenario own = m_session->scenario();
        own.parallel.data = 8;
        if (had_one)
            m_session->editScenario(own, "Data");
        const Scenario before = m_session->scenario();
        QSignalSpy offered{m_guide.get(), &LessonGuide::wayBackOffered};
        m_guide->begin(twiceTheBatch());
        m_bar->choices()[1]->click();
        if (opens_another)
            m_session->newScenario();
        QTRY_VERIFY(m_session->isSettled());
        emit m_bar->closeWished();
        QTEST(static_cast<int>(offered.size()), "offers");
        if (offered.isEmpty())
            return;
        m_session->undoStack().setIndex(offered.front().front().toInt());
        QCOMPARE(m_session->scenario(), before);
    }

    void aGuessPinsTheScenarioBeforeAndMovesToTheOneAfter()
    {
        const Lesson lesson = twiceTheBatch();
        const QSignalSpy pictures{m_guide.get(), &LessonGuide::pictureWished};
        m_guide->begin(lesson);
        QVERIFY(m_session->scenario() == lesson.steps[0].before);
        QVERIFY(!m_session->content().pinned);
        // Whatever is tried out before the guess.
        Scenario tried = m_session->scenario();
        tried.parallel.data = 4;
        m_session->editScenario(tried, "Data");
        m_bar->choices()[1]->click();
        QVERIFY(m_session->scenario() == lesson.steps[0].after);
        QVERIFY(m_session->content().pinned->scenario == lesson.steps[0].before);
        QVERIFY(m_bar->text().contains("Right."));
        QCOMPARE(pictures.size(), 1);
        m_bar->next().click();
        QVERIFY(!m_session->content().pinned);
        QVERIFY(m_bar->text().contains("question 2 of 2"));
        m_bar->choices()[1]->click();
        QVERIFY(m_bar->text().contains("No."));
        m_bar->next().click();
        QVERIFY(m_bar->text().contains("1 of 2 right"));
    }

    // Steps of a lesson are no work to be kept; what the student tries is.
    void aLessonLeavesNothingToSave()
    {
        m_guide->begin(twiceTheBatch());
        m_bar->choices()[1]->click();
        QVERIFY(!m_session->isModified());
        m_bar->next().click();
        QVERIFY(!m_session->isModified());
        Scenario tried = m_session->scenario();
        tried.parallel.data = 4;
        m_session->editScenario(tried, "Data");
        QVERIFY(m_session->isModified());
    }

    void whatTheUserHasPinnedStays()
    {
        m_guide->begin(twiceTheBatch());
        m_session->pin();
        m_session->newScenario();
        QTRY_VERIFY(!m_guide->isUnderWay());
        QVERIFY(m_session->content().pinned);
    }

    void whatWasPinnedBeforeComesBack_data()
    {
        QTest::addColumn<QString>("left_by");
        QTest::newRow("closed") << "close";
        QTest::newRow("another scenario") << "new";
        QTest::newRow("undo") << "undo";
        QTest::newRow("another lesson, which is closed") << "lesson";
    }
    void whatWasPinnedBeforeComesBack()
    {
        QFETCH(QString, left_by);
        m_session->pin();
        const auto pinned = m_session->content().pinned;
        QVERIFY(pinned);
        const Lesson lesson = twiceTheBatch();
        m_guide->begin(lesson);
        QVERIFY(!m_session->content().pinned); // the lesson is compared with nothing of the user's
        m_bar->choices()[1]->click();
        QVERIFY(m_session->content().pinned->scenario == lesson.steps[0].before);
        if (left_by == "undo")
            m_session->undoStack().setIndex(0);
        else if (left_by == "new")
            m_session->newScenario();
        else if (left_by == "lesson")
            m_guide->begin(lesson);
        if (left_by == "close" || left_by == "lesson")
            emit m_bar->closeWished();
        QTRY_VERIFY(!m_guide->isUnderWay());
        QCOMPARE(m_session->content().pinned, pinned);
    }

    // The newer one is what the user wants now.
    void whatIsPinnedDuringALessonComesBackInItsPlace()
    {
        m_session->pin();
        m_guide->begin(twiceTheBatch());
        Scenario tried = m_session->scenario();
        tried.parallel.data = 4;
        m_session->editScenario(tried, "Data");
        m_session->pin();
        const auto pinned = m_session->content().pinned;
        m_bar->choices()[1]->click();
        QVERIFY(m_session->content().pinned != pinned);
        emit m_bar->closeWished();
        QCOMPARE(m_session->content().pinned, pinned);
    }

    void anotherScenarioEndsIt()
    {
        m_guide->begin(twiceTheBatch());
        m_session->newScenario();
        QTRY_VERIFY(!m_guide->isUnderWay());
        QVERIFY(m_bar->isHidden());
    }

    void aScenarioThatIsNotSavedMayStay()
    {
        m_session->setMayReplace([] { return false; });
        m_guide->begin(twiceTheBatch());
        QVERIFY(!m_guide->isUnderWay());
        QVERIFY(m_bar->isHidden());
    }
};

QTEST_MAIN(TestLessonGuide)
#include "tst_lesson_guide.moc"
