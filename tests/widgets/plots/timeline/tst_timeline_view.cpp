#include "tests/fail_on_warnings.h"
#include "tests/widgets/plots/measured_lanes.h"
#include "tests/widgets/plots/mouse_drag.h"
#include "widgets/plots/timeline/range_table.h"
#include "widgets/plots/timeline/timeline_search.h"
#include "widgets/plots/timeline/timeline_strips.h"
#include "widgets/plots/timeline/timeline_view.h"

#include <QApplication>
#include <QImage>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalSpy>
#include <QTest>
#include <QToolTip>
#include <QWheelEvent>

using namespace shardscope;

namespace
{

void wheel(QWidget& widget, QPoint at, int steps, Qt::KeyboardModifiers modifiers)
{
    QWheelEvent event{QPointF{at},
                      widget.mapToGlobal(QPointF{at}),
                      {},
                      {0, 120 * steps},
                      Qt::NoButton,
                      modifiers,
                      Qt::NoScrollPhase,
                      false};
    QApplication::sendEvent(&widget, &event);
}

} // namespace

class TestTimelineView : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        failOnWarnings();
        m_view = std::make_unique<TimelineView>();
        m_view->resize(1000, 300);
        m_view->setScene(sceneOf(twoRanks()));
        m_view->grab();
    }

    void ctrlAndWheelZoomAtTheCursor()
    {
        const QPoint at{600, 150};
        const double before = timeUnder(at);
        const TraceTime length = m_view->range().length_ns;
        wheel(*m_view, at, 3, Qt::ControlModifier);
        QVERIFY(m_view->range().length_ns < length * 6 / 10);
        QVERIFY(std::abs(timeUnder(at) - before) < 0.002 * static_cast<double>(length));
        wheel(*m_view, at, -3, Qt::ControlModifier);
        QVERIFY(std::abs(m_view->range().length_ns - length) < length / 100);
    }

    // What leaves the window does not depend on how it was scrolled and how low it is.
    void aPictureOfTheWholeHeightHoldsEveryLane()
    {
        m_view->openAllRanks(true);
        m_view->resize(1000, 60);
        m_view->grab();
        const auto picture = [this] {
            QImage image{1000, m_view->wholeHeight(), QImage::Format_RGB32};
            QPainter painter{&image};
            m_view->paintTo(painter, image.rect());
            return image;
        };
        const QImage first = picture();
        QVERIFY(first.height() > 60);
        wheel(*m_view, {600, 40}, -5, {});
        QCOMPARE(picture(), first);
    }

    void keysZoomAndPan()
    {
        const TimeRange all = m_view->range();
        QTest::keyClick(m_view.get(), Qt::Key_W);
        QVERIFY(m_view->range().length_ns < all.length_ns);
        const TimeRange zoomed = m_view->range();
        QTest::keyClick(m_view.get(), Qt::Key_D);
        QVERIFY(m_view->range().start_ns > zoomed.start_ns);
        QTest::keyClick(m_view.get(), Qt::Key_A);
        QVERIFY(std::abs(m_view->range().start_ns - zoomed.start_ns) <= 1);
        QTest::keyClick(m_view.get(), Qt::Key_S);
        QTest::keyClick(m_view.get(), Qt::Key_0);
        QCOMPARE(m_view->range().length_ns, all.length_ns);
    }

    // The scan codes of evdev: Z stands where W is on a French keyboard.
    void keysCountByTheirPlace()
    {
        const TimeRange all = m_view->range();
        QKeyEvent z{QEvent::KeyPress, Qt::Key_Z, Qt::NoModifier, 25, 0, 0, "z"};
        QApplication::sendEvent(m_view.get(), &z);
        QVERIFY(m_view->range().length_ns < all.length_ns);
    }

    void draggingSelectsAndFFitsIt()
    {
        QSignalSpy selected{m_view.get(), &TimelineView::rangeSelected};
        drag(*m_view, {500, 150}, {700, 150}, Qt::NoModifier);
        QCOMPARE(selected.size(), 1);
        QVERIFY(m_view->selectedRange());
        const TimeRange range = *m_view->selectedRange();
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QVERIFY(m_view->range().length_ns >= range.length_ns
                && m_view->range().length_ns < range.length_ns * 12 / 10);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_view->selectedRange());
    }

    void shiftAndDragPan()
    {
        QTest::keyClick(m_view.get(), Qt::Key_W);
        const TimeRange before = m_view->range();
        drag(*m_view, {700, 150}, {600, 150}, Qt::ShiftModifier);
        QVERIFY(m_view->range().start_ns > before.start_ns);
        QCOMPARE(m_view->range().length_ns, before.length_ns);
        QVERIFY(!m_view->selectedRange());
    }

    void aClosedGroupIsALineForEachRank()
    {
        TimelineScene scene = sceneOf(twoRanks());
        scene.groups = {{"node 0", "2 ranks", {0, 1}}};
        m_view->setScene(scene);
        m_view->grab();
        QTest::keyClick(m_view.get(), Qt::Key_C, Qt::ShiftModifier);
        QVERIFY(m_view->openLanes().closed_groups.contains(0));
        const auto lanes = m_view->layoutOfParts().measured_lanes;
        m_view->grab();
        m_view->reveal(spot(1, 3)); // opens what hides it
        QVERIFY(m_view->openLanes().closed_groups.empty());
        // A click on the group's name closes it again.
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, {30, lanes.top() + 5});
        QVERIFY(m_view->openLanes().closed_groups.contains(0));
    }

    void countersHaveTheirValueUnderTheMouse()
    {
        TraceBuilder builder;
        builder.addEvent(builder.addTrack("0", "7", true), 0, 10 * ms, "gemm", "kernel");
        builder.addSample(builder.addCounter("0", "GPU 0 memory allocated", true), 5 * ms, 3.0 * (1 << 30));
        auto lanes = std::make_shared<MeasuredLanes>();
        lanes->ranks.push_back(laneOf(builder.finish(), [](EventIndex) { return LanePaint::compute; }));
        lanes->ranks[0].counters.push_back({"memory", CounterCurve{lanes->ranks[0].store->counters()[0]}});
        lanes->ranks[0].name = "rank 0";
        lanes->shapes.push_back({{{1, true}}, 1});
        lanes->whole = {0, 10 * ms};
        m_view->setScene(sceneOf(lanes));
        QSignalSpy hints{m_view.get(), &TimelineView::hinted};
        const QRect area = m_view->layoutOfParts().measured_lanes;
        QString value;
        for (int y = area.top(); y < area.bottom() && value.isEmpty(); y += 4) {
            const QPoint at{area.left() + area.width() * 8 / 10, y};
            QMouseEvent move{QEvent::MouseMove, QPointF{at}, m_view->mapToGlobal(QPointF{at}),
                             Qt::NoButton,      {},          {}};
            QApplication::sendEvent(m_view.get(), &move);
            value = hints.isEmpty() ? QString{} : hints.last().front().toString();
        }
        QCOMPARE(value, QString{"rank 0, memory: 3 GiB"});
        m_view->grab();
    }

    void howLongATimeIsSelectedIsSaidWhileItIs()
    {
        QSignalSpy hints{m_view.get(), &TimelineView::hinted};
        const QPoint from{m_view->layoutOfParts().measured_lanes.center()};
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, from);
        QTest::mouseMove(m_view.get(), from + QPoint{50, 0});
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, from + QPoint{50, 0});
        QVERIFY(hints.back().front().toString().endsWith("selected"));
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QCOMPARE(hints.back().front().toString(), QString{});
    }

    void aCallThatAClosedRankShowsDoesNotOpenIt()
    {
        m_view->openAllRanks(false);
        m_view->showSpot(spot(1, 3));
        QVERIFY(m_view->openLanes().ranks.empty());
        m_view->showSpot(spot(1, 2)); // a kernel has its name in an open lane alone
        QVERIFY(m_view->openLanes().ranks.contains(1));
    }

    // The window's own Esc waits until nothing is chosen here.
    void escIsTakenWhileSomethingIsChosen()
    {
        const auto takes = [&] {
            QKeyEvent asked{QEvent::ShortcutOverride, Qt::Key_Escape, Qt::NoModifier};
            asked.ignore();
            QApplication::sendEvent(m_view.get(), &asked);
            return asked.isAccepted();
        };
        QVERIFY(!takes());
        m_view->choose(spot(0, 3));
        QVERIFY(takes());
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_view->chosen());
        QVERIFY(!takes());
    }

    void bookmarksStandAtWhatIsMarked()
    {
        QTest::mouseMove(m_view.get(), m_view->rect().center()); // a chosen event goes before the mouse
        m_view->choose(spot(0, 2));
        QTest::keyClick(m_view.get(), Qt::Key_M);
        m_view->choose(spot(0, 4));
        QTest::keyClick(m_view.get(), Qt::Key_M);
        QCOMPARE(m_view->bookmarks(), (std::vector<TraceTime>{10 * ms, 20 * ms}));
        m_view->grab();
        QTest::keyClick(m_view.get(), Qt::Key_W);
        QTest::keyClick(m_view.get(), Qt::Key_Comma);
        QTest::keyClick(m_view.get(), Qt::Key_M, Qt::ShiftModifier);
        QVERIFY(m_view->bookmarks().empty());
    }

    void slashAndQuestionMarkAsk()
    {
        QSignalSpy search{m_view.get(), &TimelineView::searchWished};
        QSignalSpy help{m_view.get(), &TimelineView::helpWished};
        QTest::keyClick(m_view.get(), '/');
        QTest::keyClick(m_view.get(), '?', Qt::ShiftModifier);
        QCOMPARE(search.size(), 1);
        QCOMPARE(help.size(), 1);
    }

    void whatIsFoundIsBroughtOnScreen()
    {
        m_view->setRange({0, 5 * ms});
        m_view->reveal(spot(1, 19));
        QVERIFY(m_view->range().start_ns <= 95 * ms && m_view->range().end_ns() >= 97 * ms);
        QVERIFY(m_view->openLanes().ranks.contains(1));
        m_view->setRange({0, 100'000 * ms}); // far too short to see there
        m_view->reveal(spot(0, 1));
        QVERIFY(m_view->range().length_ns <= 200 * ms);
    }

    // [2 ms, 12 ms): of rank 0 two gemms of 2 ms, all_reduce of 3 ms; of rank 1 gemms of 3 and 2 ms, 2 ms.
    void aStretchIsSummedUp_data()
    {
        QTest::addColumn<int>("grouping");
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<QList<qint64>>("sums_ms");
        QTest::newRow("kinds") << 0 << QStringList{"other compute", "dp"} << QList<qint64>{9, 5};
        QTest::newRow("names") << 1 << QStringList{"gemm_128", "AllReduce"} << QList<qint64>{9, 5};
        QTest::newRow("streams") << 2 << QStringList{"rank 0, stream 7", "rank 1, stream 7"}
                                 << QList<qint64>{7, 7};
    }
    void aStretchIsSummedUp()
    {
        QFETCH(int, grouping);
        QFETCH(QStringList, names);
        QFETCH(QList<qint64>, sums_ms);
        const auto rows =
            rangeTable(*m_view->scene().measured, {2 * ms, 10 * ms}, static_cast<RangeGrouping>(grouping));
        QCOMPARE(static_cast<qsizetype>(rows.size()), names.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QCOMPARE(rows[i].name, names[static_cast<qsizetype>(i)]);
            QCOMPARE(rows[i].sum_ns, sums_ms[static_cast<qsizetype>(i)] * ms);
        }
        QCOMPARE(rows.front().count, std::int64_t{grouping == 2 ? 3 : 4});
        QCOMPARE(rows.front().min_ns, 2 * ms);
        QCOMPARE(rows.front().max_ns, 3 * ms);
    }

    // Of [2 ms, 12 ms) each rank stands idle from 7 to 10 ms.
    void whatNothingRanInIsIdle()
    {
        const RangeSummary summary = summarize(m_view->scene(), {2 * ms, 10 * ms});
        QCOMPARE(summary.measured_idle_ns, 6 * ms);
        TraceTime all = summary.measured_idle_ns;
        for (const TraceTime of_paint : summary.measured)
            all += of_paint;
        QCOMPARE(all, summary.measured_room_ns);
    }

    // Of each 10 ms a kernel has 4 and a message 3; near, a column is one of them alone.
    void theTipTellsTheSharesOfAColumn()
    {
        m_view->show();
        m_view->setTip([](const TimelineSpot&) { return QStringLiteral("a bar"); });
        const auto tipAfter = [this](const TimeRange& range) {
            m_view->setRange(range);
            m_view->grab();
            QPoint at{m_view->layoutOfParts().gutter + 5, m_view->layoutOfParts().measured_lanes.top()};
            while (at.y() < m_view->height() && !m_view->spotAt(at))
                at.ry() += 4;
            QMouseEvent move{QEvent::MouseMove, QPointF{at},  m_view->mapToGlobal(QPointF{at}),
                             Qt::NoButton,      Qt::NoButton, Qt::NoModifier};
            QApplication::sendEvent(m_view.get(), &move);
            return QToolTip::text();
        };
        const int columns = m_view->width() - m_view->layoutOfParts().gutter;
        const QString mixed = tipAfter({0, columns * 10 * ms});
        QVERIFY2(mixed.contains("a bar") && mixed.contains("other compute 40 %"), qPrintable(mixed));
        QVERIFY2(mixed.contains("dp 30 %"), qPrintable(mixed));
        QCOMPARE(tipAfter({0, 10 * ms}), QString{"a bar"});
    }

private:
    double timeUnder(QPoint at) const
    {
        const double gutter = m_view->layoutOfParts().gutter;
        const TimeRange& range = m_view->range();
        return static_cast<double>(range.start_ns)
               + (at.x() - gutter) / (m_view->width() - gutter) * static_cast<double>(range.length_ns);
    }

    std::unique_ptr<TimelineView> m_view;
};

QTEST_MAIN(TestTimelineView)
#include "tst_timeline_view.moc"
