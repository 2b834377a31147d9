#include <QApplication>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

#include "measured_lanes.h"
#include "widgets/plots/timeline_flow.h"
#include "widgets/plots/timeline_search.h"
#include "widgets/plots/timeline_strips.h"
#include "widgets/plots/timeline_view.h"

using namespace shardscope;

class TestTimelineFlow : public QObject
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

private:
    std::unique_ptr<TimelineView> m_view;
};

QTEST_MAIN(TestTimelineFlow)
#include "tst_timeline_flow.moc"
