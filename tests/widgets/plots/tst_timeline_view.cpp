#include "core/trace/trace_builder.h"
#include "widgets/plots/range_table.h"
#include "widgets/plots/timeline_search.h"
#include "widgets/plots/timeline_strips.h"
#include "widgets/plots/timeline_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace shardscope;

namespace
{

constexpr TraceTime ms = 1'000'000;

// A lane for each track of a store; `paint` for its events.
MeasuredRank laneOf(std::shared_ptr<const TraceStore> store,
                    const std::function<LanePaint(EventIndex)>& paint)
{
    MeasuredRank lane;
    lane.store = std::move(store);
    lane.paints = std::make_unique<const EventPaints>(*lane.store, paint);
    for (const Track& track : lane.store->tracks())
        lane.tracks.push_back(
            {QString::fromStdString(track.tid), true, TraceRow::rowsOf(*lane.store, *lane.paints, track)});
    return lane;
}

// A thread launches two kernels with one call at [0, 1) ms: on its stream at 3 ms and at 5 ms.
std::shared_ptr<const MeasuredLanes> oneLaunch()
{
    TraceBuilder builder;
    const TrackIndex thread = builder.addTrack("100", "100");
    const TrackIndex stream = builder.addTrack("0", "7", true);
    const EventIndex call = builder.addEvent(thread, 0, 1 * ms, "cudaGraphLaunch", "cuda_runtime");
    const EventIndex second = builder.addEvent(stream, 5 * ms, 1 * ms, "gemm", "kernel");
    const EventIndex first = builder.addEvent(stream, 3 * ms, 1 * ms, "copy", "kernel");
    builder.addLaunch({second, call});
    builder.addLaunch({first, call});
    auto lanes = std::make_shared<MeasuredLanes>();
    lanes->ranks.push_back(laneOf(builder.finish(), [](EventIndex) { return LanePaint::compute; }));
    lanes->shapes.push_back({{{1, true}, {1, true}}});
    lanes->whole = {0, 6 * ms};
    return lanes;
}

// One stream on each of two ranks: gemm, then all_reduce, ten times, every 10 ms. Rank 1 begins its
// all_reduce 1 ms later and both end together.
std::shared_ptr<const MeasuredLanes> twoRanks()
{
    auto run = std::make_shared<MeasuredRun>();
    auto lanes = std::make_shared<MeasuredLanes>();
    lanes->ranks.resize(2);
    for (std::size_t rank = 0; rank < 2; ++rank) {
        const TraceTime late = static_cast<TraceTime>(rank) * ms;
        TraceBuilder builder;
        const TrackIndex track = builder.addTrack("0", "7", true);
        const NameId category = builder.intern("kernel");
        for (int i = 0; i < 10; ++i) {
            builder.addEvent(track, i * 10 * ms, 4 * ms + late, builder.intern("gemm_128"), category);
            builder.addEvent(track, i * 10 * ms + 4 * ms + late, 3 * ms - late, builder.intern("AllReduce"),
                             category);
        }
        TraceFile file;
        file.rank = static_cast<std::int64_t>(rank);
        file.store = builder.finish();
        MeasuredRank& lane = lanes->ranks[rank];
        lane.rank = file.rank;
        lane.name = QStringLiteral("rank %1").arg(rank);
        lane.file = rank;
        lane.store = file.store;
        lane.paints = std::make_unique<const EventPaints>(*file.store, [&file](EventIndex event) {
            return file.store->name(event) == "AllReduce" ? paintOf(Kind::dp) : LanePaint::compute;
        });
        lane.tracks.push_back({QStringLiteral("stream 7"), true,
                               TraceRow::rowsOf(*lane.store, *lane.paints, lane.store->tracks().front())});
        lanes->shapes.push_back({{{1, true}}});
        for (std::uint32_t event = 1; event < 20; event += 2) {
            MeasuredCall call;
            call.file = rank;
            call.event = EventIndex{event};
            call.kind = Kind::dp;
            call.match = static_cast<std::int32_t>(event);
            run->measurement.calls.push_back(call);
        }
        run->traces.files.push_back(std::move(file));
    }
    lanes->whole = {0, 97 * ms};
    lanes->run = run;
    return lanes;
}

TimelineSpot spot(std::size_t rank, std::uint32_t span)
{
    return {TimelineSection::measured, rank, 0, 0, span};
}

TimelineScene sceneOf(std::shared_ptr<const MeasuredLanes> lanes)
{
    TimelineScene scene;
    scene.measured = std::move(lanes);
    scene.shows_traffic = false;
    return scene;
}

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

void drag(QWidget& widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers)
{
    const auto send = [&](QEvent::Type type, QPoint at, Qt::MouseButton button, Qt::MouseButtons buttons) {
        QMouseEvent event{type, QPointF{at}, widget.mapToGlobal(QPointF{at}), button, buttons, modifiers};
        QApplication::sendEvent(&widget, &event);
    };
    send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
    send(QEvent::MouseMove, (from + to) / 2, Qt::NoButton, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
    send(QEvent::MouseButtonRelease, to, Qt::LeftButton, {});
}

} // namespace

class TestTimelineView : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"});
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

    void aClickChoosesAnEventAndBracketsGoAlongItsCollective()
    {
        const TimelineSpot call = spot(0, 3);
        m_view->choose(call);
        QCOMPARE(m_view->flow().members, (std::vector{call, spot(1, 3)}));
        QTest::keyClick(m_view.get(), Qt::Key_BracketRight);
        QCOMPARE(m_view->chosen(), std::optional{spot(1, 3)});
        QTest::keyClick(m_view.get(), Qt::Key_BracketRight);
        QCOMPARE(m_view->chosen(), std::optional{call});
        QTest::keyClick(m_view.get(), Qt::Key_BracketLeft);
        QCOMPARE(m_view->chosen(), std::optional{spot(1, 3)});
        m_view->choose(spot(0, 2)); // gemm: nothing belongs to it
        QVERIFY(m_view->flow().stops.empty());
        m_view->grab();
    }

    void aKernelLeadsToItsLaunchAndOn()
    {
        const auto lanes = oneLaunch();
        m_view->setScene(sceneOf(lanes));
        const std::size_t streams = lanes->ranks[0].store->tracks()[0].is_gpu ? 0 : 1;
        const TimelineSpot call{TimelineSection::measured, 0, 1 - streams, 0, 0};
        const TimelineSpot copy{TimelineSection::measured, 0, streams, 0, 0};
        const TimelineSpot gemm{TimelineSection::measured, 0, streams, 0, 1};
        m_view->choose(gemm);
        QCOMPARE(m_view->flow().launch, std::optional{call});
        QCOMPARE(launchDelay(*lanes, call, gemm), 4 * ms);
        m_view->grab();
        QTest::keyClick(m_view.get(), Qt::Key_BracketLeft);
        QCOMPARE(m_view->chosen(), std::optional{copy});
        QTest::keyClick(m_view.get(), Qt::Key_BracketLeft);
        QCOMPARE(m_view->chosen(), std::optional{call});
        QCOMPARE(m_view->flow().launched, (std::vector{copy, gemm}));
        m_view->grab();
        QTest::keyClick(m_view.get(), Qt::Key_BracketLeft); // around
        QCOMPARE(m_view->chosen(), std::optional{gemm});
    }

    void aMessageGoesFromItsSenderToItsReceiver()
    {
        const auto lanes = twoRanks();
        auto run = std::make_shared<MeasuredRun>(*lanes->run);
        run->measurement.calls[0].op = Op::recv; // of rank 0
        run->measurement.calls[10].op = Op::send;
        std::const_pointer_cast<MeasuredLanes>(lanes)->run = run;
        const TimelineFlow flow = flowOf(*lanes, spot(0, 1));
        QCOMPARE(flow.message, (std::optional{std::pair{spot(1, 1), spot(0, 1)}}));
        QVERIFY(!flowOf(*lanes, spot(0, 3)).message);
    }

    // Rank 0 comes 1 ms early to every all_reduce and ends with rank 1: of its 3 ms it waits 1.
    void theWaitingPartOfACallIsStriped()
    {
        auto lanes = std::const_pointer_cast<MeasuredLanes>(twoRanks());
        for (std::uint32_t event = 1; event < 20; event += 2)
            lanes->ranks[0].waits.push_back({EventIndex{event}, 1 * ms});
        const TimeRange range{0, 10 * ms};
        OpenLanes open;
        open.ranks = {0, 1};
        const std::vector<Lane> opened = layOutRanks(lanes->shapes, open, {});
        const auto strips = measuredStrips(*lanes, opened, 0, opened.size(), range, 1000);
        QCOMPARE(strips[0].bars[1].left, 400);
        QCOMPARE(strips[0].bars[1].right, 700);
        QCOMPARE(strips[0].bars[1].waiting, 100);
        QCOMPARE(strips[1].bars[1].waiting, 0);
        // Closed, too, where all tracks of a rank share a lane.
        const std::vector<Lane> closed = layOutRanks(lanes->shapes, {}, {});
        QCOMPARE(measuredStrips(*lanes, closed, 0, 1, range, 1000)[1].bars[0].waiting, 100);
        m_view->setScene(sceneOf(lanes));
        m_view->grab();
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

    void theLongestExposedCallComesFirst()
    {
        const auto lanes = std::const_pointer_cast<MeasuredLanes>(twoRanks());
        auto run = std::make_shared<MeasuredRun>(*lanes->run);
        run->measurement.calls[2].exposed_ns = 5; // of rank 0
        run->measurement.calls[11].exposed_ns = 9;
        lanes->run = run;
        QCOMPARE(exposedCalls(*lanes, 10), (std::vector{spot(1, 3), spot(0, 5)}));
        QCOMPARE(exposedCalls(*lanes, 1).size(), std::size_t{1});
        QSignalSpy wishes{m_view.get(), &TimelineView::exposedWished};
        QTest::keyClick(m_view.get(), Qt::Key_X);
        QTest::keyClick(m_view.get(), Qt::Key_X, Qt::ShiftModifier);
        QCOMPARE(wishes.size(), 2);
        QCOMPARE(wishes.last().front().toInt(), -1);
    }

    void bookmarksStandAtWhatIsMarked()
    {
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

    // By time, then by rank; case does not matter.
    void searchGoesFromHitToHit()
    {
        const TimelineSearch search{m_view->scene().measured, "allreduce"};
        QCOMPARE(search.count(), std::int64_t{20});
        const auto first = search.next(std::nullopt);
        QCOMPARE(first, std::optional{spot(0, 1)});
        const auto second = search.next(first);
        QCOMPARE(second, std::optional{spot(1, 1)}); // 1 ms later
        QCOMPARE(search.next(second), std::optional{spot(0, 3)});
        QCOMPARE(search.previous(second), first);
        QCOMPARE(search.previous(first), std::optional{spot(1, 19)}); // around
        QCOMPARE(search.next(spot(1, 19)), first);
        QCOMPARE(search.placeOf(*second), std::int64_t{2});
        QCOMPARE(search.firstFrom(50 * ms), std::optional{spot(0, 11)});
        QCOMPARE(search.next(spot(0, 2)), std::optional{spot(0, 3)}); // from where one stands
        QCOMPARE((TimelineSearch{m_view->scene().measured, "nothing"}).count(), std::int64_t{0});
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
