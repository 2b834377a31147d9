#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

#include "tests/fail_on_warnings.h"
#include "widgets/panels/lesson/lesson_bar.h"

using namespace shardscope;

class TestLessonBar : public QObject
{
    Q_OBJECT

    static Lesson twoQuestions()
    {
        LessonStep step;
        step.question = "What happens to the weights?";
        step.figure = lessonFigure("weights_bytes");
        step.choices = {0.5, 1.0, 2.0};
        step.because = "Each rank has half < of them.";
        LessonStep other = step;
        other.question = "And to the gradients?";
        return {"01-halves", "Halves", "About halves.", {step, other}};
    }

private slots:
    void init() { failOnWarnings(); }

    void aQuestionStandsWithItsChoices()
    {
        LessonBar bar;
        QVERIFY(bar.isHidden());
        bar.ask(twoQuestions(), 0);
        QVERIFY(!bar.isHidden());
        QVERIFY(bar.text().contains("Halves"));
        QVERIFY(bar.text().contains("question 1 of 2"));
        QVERIFY(bar.text().contains("About halves."));
        QVERIFY(bar.text().contains("What happens to the weights?"));
        QVERIFY(!bar.text().contains("Each rank"));
        QStringList choices;
        for (const QPushButton* choice : bar.choices())
            choices << choice->text();
        QCOMPARE(choices, (QStringList{"1/2", "the same", "2 x"}));
        QVERIFY(bar.next().isHidden());
    }

    void aGuessIsWished()
    {
        LessonBar bar;
        std::vector<std::size_t> guesses;
        connect(&bar, &LessonBar::guessed, &bar, [&](std::size_t guess) { guesses.push_back(guess); });
        bar.ask(twoQuestions(), 0);
        bar.choices()[2]->click();
        QCOMPARE(guesses, std::vector<std::size_t>{2});
    }

    void theAnswerStandsBesideTheReason_data()
    {
        QTest::addColumn<int>("guess");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QStringList>("choices");
        QTest::newRow("right") << 0 << "Right." << QStringList{"✓ 1/2", "the same", "2 x"};
        QTest::newRow("wrong") << 2 << "No." << QStringList{"✓ 1/2", "the same", "✗ 2 x"};
    }
    void theAnswerStandsBesideTheReason()
    {
        QFETCH(int, guess);
        QFETCH(QString, verdict);
        QFETCH(QStringList, choices);
        LessonBar bar;
        bar.ask(twoQuestions(), 0);
        bar.answer(static_cast<std::size_t>(guess), {2048.0, 1024.0, 0});
        QVERIFY(bar.text().contains(verdict));
        QVERIFY(bar.text().contains("2 KiB → 1 KiB, 1/2."));
        QVERIFY(bar.text().contains("half &lt; of them")); // text, not tags
        QVERIFY(bar.text().contains("What happens to the weights?"));
        QVERIFY(!bar.text().contains("About halves."));
        for (std::size_t i = 0; i < bar.choices().size(); ++i) {
            QCOMPARE(bar.choices()[i]->text(), choices[static_cast<int>(i)]);
            QVERIFY(!bar.choices()[i]->isEnabled());
        }
        QCOMPARE(bar.next().text(), "Next question");
        const QSignalSpy next{&bar, &LessonBar::nextWished};
        bar.next().click();
        QTest::keyClick(&bar.next(), Qt::Key_Return);
        QCOMPARE(next.size(), 2);
    }

    // A lesson is gone through with Tab and Space alone, though the window has more that can have the focus.
    void eachQuestionIsAnsweredByTheKeyboard()
    {
        QWidget window;
        auto* bar = new LessonBar;
        auto* elsewhere = new QPushButton{"Find a setting"};
        auto* column = new QVBoxLayout{&window};
        column->addWidget(bar);
        column->addWidget(elsewhere);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        elsewhere->setFocus();
        for (const std::size_t step : {0, 1}) {
            bar->ask(twoQuestions(), step);
            QCOMPARE(window.focusWidget(), bar->choices()[0]);
            QTest::keyClick(window.focusWidget(), Qt::Key_Tab);
            QCOMPARE(window.focusWidget(), bar->choices()[1]);
            QTest::keyClick(window.focusWidget(), Qt::Key_Tab);
            QCOMPARE(window.focusWidget(), bar->choices()[2]);
            QTest::keyClick(window.focusWidget(), Qt::Key_Tab);
            QCOMPARE(window.focusWidget(), elsewhere);
            bar->choices()[2]->setFocus();
            bar->answer(0, {2048.0, 1024.0, 0});
            QCOMPARE(window.focusWidget(), &bar->next());
        }
        bar->conclude(twoQuestions(), 1);
        QVERIFY(bar->isAncestorOf(window.focusWidget()));
    }

    void theEndCountsTheRightGuesses()
    {
        LessonBar bar;
        bar.ask(twoQuestions(), 1);
        QVERIFY(!bar.text().contains("About halves."));
        bar.answer(0, {2048.0, 1024.0, 0});
        QCOMPARE(bar.next().text(), "Finish");
        bar.conclude(twoQuestions(), 1);
        QVERIFY(bar.text().contains("1 of 2 right"));
        QVERIFY(bar.choices().empty());
        QVERIFY(bar.next().isHidden());
    }
};

QTEST_MAIN(TestLessonBar)
#include "tst_lesson_bar.moc"
