#include <QLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

#include "tests/widgets/panels/scenario/live_panel.h"

using namespace shardscope;

// Where the lines of the form stand while sentences come and go.
class TestFormAnchor : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void noRoomStaysFreeAboveOnceATypedFigureHasCuredAnError_data()
    {
        QTest::addColumn<QByteArray>("wrong"); // where the error is told
        QTest::addColumn<bool>("points");      // at the line that is typed into
        for (const QByteArray wrong : {"training.global_batch_size", "conventions.framework"})
            for (const bool points : {true, false})
                QTest::addRow("%s, %s", wrong.constData(), points ? "pointing" : "the mouse elsewhere")
                    << wrong << points;
    }
    void noRoomStaysFreeAboveOnceATypedFigureHasCuredAnError()
    {
        QFETCH(QByteArray, wrong);
        QFETCH(bool, points);
        LivePanel live{scenarioOf(2, 2, 4)};
        QVERIFY(QTest::qWaitForWindowActive(&live.panel));
        const auto& form = *live.panel.findChild<QScrollArea*>();
        const Problem problem{wrong.toStdString(), "A sentence."};
        QCursor::setPos(live.panel.mapToGlobal(QPoint{-20, -20}));
        live.panel.setProblems({problem});
        form.verticalScrollBar()->setValue(0);
        QCoreApplication::processEvents();
        ScenarioNumberEdit& edit = live.edit("parallel.tensor");
        edit.setFocus();
        if (points)
            QCursor::setPos(edit.mapToGlobal(edit.rect().center()));
        live.type("parallel.tensor", "4");
        live.panel.setProblems({});
        QCoreApplication::processEvents();
        QCOMPARE(form.widget()->layout()->contentsMargins().top(), 0);
    }

    // So that a second click at the same place means the same line.
    void whatWasLeftFreeForTheMouseGoesOnceSomethingIsTyped()
    {
        LivePanel live{scenarioOf(2, 2, 4)};
        QVERIFY(QTest::qWaitForWindowActive(&live.panel));
        const auto& form = *live.panel.findChild<QScrollArea*>();
        const auto roomAbove = [&] { return form.widget()->layout()->contentsMargins().top(); };
        live.panel.setProblems({{"training.global_batch_size", "A sentence."}});
        form.verticalScrollBar()->setValue(0);
        QCoreApplication::processEvents();
        ScenarioNumberEdit& edit = live.edit("parallel.tensor");
        QCursor::setPos(edit.mapToGlobal(edit.rect().center()));
        const int place = edit.mapTo(&live.panel, QPoint{}).y();
        live.panel.setProblems({});
        QCOMPARE(edit.mapTo(&live.panel, QPoint{}).y(), place);
        QVERIFY(roomAbove() > 0);
        edit.setFocus();
        live.type("parallel.tensor", "4");
        QCOMPARE(roomAbove(), 0);
    }
};

QTEST_MAIN(TestFormAnchor)
#include "tst_form_anchor.moc"
