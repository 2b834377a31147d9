#include "tests/fail_on_warnings.h"
#include "widgets/main_window/status_line.h"

#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QTest>
#include <QToolTip>

using namespace shardscope;

class TestStatusLine : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void aLongMessageEndsBeforeWhatStandsAtTheRight()
    {
        StatusLine line;
        auto* run = new QLabel{"No traces"};
        line.addPermanentWidget(run);
        line.resize(400, 24);
        line.show();
        const QString message =
            "reduce_scatter of mlp among 4 ranks, 1 × 64 MiB, what of it hides behind the "
            "computing: it takes no time of its own";
        line.showMessage(message);
        QCoreApplication::processEvents();
        QVERIFY(line.shownMessage().endsWith(QChar{0x2026}));
        QVERIFY(line.fontMetrics().horizontalAdvance(line.shownMessage()) < run->x());
        const QPoint inside{20, 12};
        QHelpEvent asked{QEvent::ToolTip, inside, line.mapToGlobal(inside)};
        QApplication::sendEvent(&line, &asked);
        QCOMPARE(QToolTip::text(), message);
        line.resize(2000, 24);
        QCoreApplication::processEvents();
        QCOMPARE(line.shownMessage(), message);
    }

    void withoutAMessageWhatIsAddedStandsThere()
    {
        StatusLine line;
        auto* remark = new QLabel{"GPUs of a node are not told"};
        line.addWidget(remark, 1);
        line.resize(400, 24);
        line.show();
        QVERIFY(remark->isVisible());
        line.showMessage("all_reduce");
        QCoreApplication::processEvents();
        QVERIFY(!remark->isVisible());
        QCOMPARE(line.shownMessage(), "all_reduce");
        line.clearMessage();
        QVERIFY(remark->isVisible());
    }
};

QTEST_MAIN(TestStatusLine)
#include "tst_status_line.moc"
