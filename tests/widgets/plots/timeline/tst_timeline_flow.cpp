#include <QApplication>
#include <QSignalSpy>
#include <QTest>

#include "core/prediction/predict.h"
#include "tests/core/prediction/scenarios.h"
#include "tests/fail_on_warnings.h"
#include "tests/widgets/plots/measured_lanes.h"
#include "widgets/plots/timeline/predicted_flow.h"
#include "widgets/plots/timeline/timeline_flow.h"
#include "widgets/plots/timeline/timeline_search.h"
#include "widgets/plots/timeline/timeline_strips.h"
#include "widgets/plots/timeline/timeline_view.h"

using namespace shardscope;

namespace
{

// The n-th span of a stage.
TimelineSpot stageSpot(const PredictedLanes& lanes, int stage, std::uint32_t n)
{
    std::uint32_t first = 0;
    while (lanes.timeline.spans[first].stage != stage)
        ++first;
    return spotOf(lanes, first + n).value();
}

// Rows of computing and of messages, without passes in parts.
void fillRows(PredictedLanes& lanes)
{
    const auto none = std::make_shared<const std::vector<PassPattern>>();
    lanes.shown = {StageRow::computing, StageRow::messages};
    lanes.stages.assign(static_cast<std::size_t>(lanes.timeline.stages),
                        {{none, PredictedRow::FromAfar::bar}, {none, PredictedRow::FromAfar::shares}});
    for (std::uint32_t i = 0; i < lanes.timeline.spans.size(); ++i) {
        const TimelineSpan& span = lanes.timeline.spans[i];
        const bool sends = span.activity == Activity::communication;
        lanes.stages[static_cast<std::size_t>(span.stage)][sends ? 1 : 0].add(
            {static_cast<TraceTime>(span.start_s * 1e9), static_cast<TraceTime>(span.duration_s * 1e9),
             sends ? paintOf(span.kind) : LanePaint::compute, i});
    }
}

struct PlannedSpan {
    int stage = 0;
    Activity activity = Activity::forward;
    Phase phase = Phase::forward;
    int start_ms = 0;
    int end_ms = 0;
};

// One micro-batch over three stages: forward 10 ms and backward 20 ms of work on each, 2 ms a message.
std::shared_ptr<const PredictedLanes> threeStages()
{
    constexpr auto forward = Activity::forward;
    constexpr auto backward = Activity::backward;
    constexpr auto message = Activity::communication;
    constexpr auto bubble = Activity::bubble;
    const std::vector<PlannedSpan> plan{
        {0, forward, Phase::forward, 0, 10},     {0, message, Phase::forward, 10, 12},
        {0, bubble, Phase::forward, 12, 80},     {0, message, Phase::backward, 80, 82},
        {0, backward, Phase::backward, 82, 102}, {1, bubble, Phase::forward, 0, 12},
        {1, forward, Phase::forward, 12, 22},    {1, message, Phase::forward, 22, 24},
        {1, bubble, Phase::forward, 24, 58},     {1, backward, Phase::backward, 58, 78},
        {1, message, Phase::backward, 78, 80},   {2, bubble, Phase::forward, 0, 24},
        {2, message, Phase::forward, 24, 26},    {2, forward, Phase::forward, 26, 36},
        {2, backward, Phase::backward, 36, 56},  {2, message, Phase::backward, 56, 58}};
    auto lanes = std::make_shared<PredictedLanes>();
    lanes->timeline.stages = 3;
    lanes->iteration_ns = 102 * ms;
    for (const PlannedSpan& planned : plan) {
        TimelineSpan span;
        span.stage = planned.stage;
        span.activity = planned.activity;
        span.kind = planned.activity == message ? Kind::pp : Kind::unknown;
        span.phase = planned.phase;
        span.micro_batch = planned.activity == bubble ? -1 : 0;
        span.start_s = planned.start_ms * 1e-3;
        span.duration_s = (planned.end_ms - planned.start_ms) * 1e-3;
        lanes->timeline.spans.push_back(span);
    }
    fillRows(*lanes);
    return lanes;
}

} // namespace

class TestTimelineFlow : public QObject
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

    // Three stages, one micro-batch: the first two send, the last receives; backward the other way round.
    void aPredictedMessageJoinsItsStages()
    {
        const auto lanes = threeStages();
        const auto spotIn = [&](int stage, std::uint32_t n) { return stageSpot(*lanes, stage, n); };
        const auto message = [&](int stage, std::uint32_t n) {
            return flowOf(*lanes, spotIn(stage, n)).message;
        };
        const std::pair first{spotIn(0, 1), spotIn(1, 1)};  // the second stage's work waits for it
        const std::pair second{spotIn(1, 2), spotIn(2, 1)}; // the last stage's receive
        const std::pair third{spotIn(2, 4), spotIn(1, 4)};
        const std::pair fourth{spotIn(1, 5), spotIn(0, 3)};
        QCOMPARE(message(0, 1), std::optional{first});
        QCOMPARE(message(1, 2), std::optional{second});
        QCOMPARE(message(2, 1), std::optional{second});
        QCOMPARE(message(2, 4), std::optional{third});
        QCOMPARE(message(1, 5), std::optional{fourth});
        QCOMPARE(message(0, 3), std::optional{fourth});
        QVERIFY(!message(0, 0)); // work
        QVERIFY(!message(2, 3));

        TimelineScene scene;
        scene.predicted = lanes;
        m_view->setScene(scene);
        m_view->grab();
        m_view->choose(spotIn(1, 2));
        QCOMPARE(m_view->flow().message, std::optional{second});
        const QImage with = m_view->grab().toImage();
        QTest::keyClick(m_view.get(), Qt::Key_BracketRight);
        QCOMPARE(m_view->chosen(), std::optional{spotIn(2, 1)});
        m_view->choose(std::nullopt);
        QVERIFY(m_view->grab().toImage() != with);
    }

    void everyPredictedMessageHasTwoStages_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<int>("virtual_stages");
        QTest::newRow("gpipe") << static_cast<int>(Schedule::gpipe) << 1;
        QTest::newRow("1f1b") << static_cast<int>(Schedule::one_f_one_b) << 1;
        QTest::newRow("interleaved") << static_cast<int>(Schedule::interleaved) << 3;
        QTest::newRow("zb-h1") << static_cast<int>(Schedule::zb_h1) << 1;
        QTest::newRow("zb-h2") << static_cast<int>(Schedule::zb_h2) << 1;
        QTest::newRow("zb-v") << static_cast<int>(Schedule::zb_v) << 2;
        QTest::newRow("v-half") << static_cast<int>(Schedule::v_half) << 2;
        QTest::newRow("dualpipe") << static_cast<int>(Schedule::dualpipe) << 1;
    }

    // Each is sent before it is received, between neighbours on the ring of stages, and both ends know it.
    void everyPredictedMessageHasTwoStages()
    {
        QFETCH(int, schedule);
        QFETCH(int, virtual_stages);
        Scenario scenario = test::gpt3b(4, 1, 2);
        scenario.model.layers = 48;
        scenario.parallel.schedule = static_cast<Schedule>(schedule);
        scenario.parallel.virtual_stages = virtual_stages;
        PredictedLanes lanes;
        lanes.timeline = predictTimeline(scenario, predict(scenario).value());
        fillRows(lanes);
        int messages = 0;
        for (std::uint32_t i = 0; i < lanes.timeline.spans.size(); ++i) {
            const TimelineSpan& span = lanes.timeline.spans[i];
            if (span.activity != Activity::communication || span.kind != Kind::pp)
                continue;
            ++messages;
            const auto stage = static_cast<std::size_t>(span.stage);
            const auto message = flowOf(lanes, spotOf(lanes, i).value()).message;
            QVERIFY(message);
            const auto [from, to] = *message;
            QVERIFY(from.rank == stage || to.rank == stage);
            QVERIFY((from.rank + 1) % 4 == to.rank || (to.rank + 1) % 4 == from.rank);
            const TimelineSpan& sent = shownBar(lanes, from).span;
            const TimelineSpan& got = shownBar(lanes, to).span;
            QCOMPARE(sent.micro_batch, got.micro_batch);
            QVERIFY(sent.start_s < got.end_s());
        }
        QVERIFY(messages > 0);
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
        QCOMPARE(strips[0].picture.bars[1].left, 400);
        QCOMPARE(strips[0].picture.bars[1].right, 700);
        QCOMPARE(strips[0].picture.bars[1].waiting, 100);
        QCOMPARE(strips[1].picture.bars[1].waiting, 0);
        // Closed, too, where all tracks of a rank share a lane.
        const std::vector<Lane> closed = layOutRanks(lanes->shapes, {}, {});
        const auto communication = measuredStrips(*lanes, closed, 0, 1, range, 1000)[1].picture.columns;
        for (std::size_t column = 390; column < 710; ++column)
            QCOMPARE(communication.waits(column), column >= 400 && column < 500);
        m_view->setScene(sceneOf(lanes));
        m_view->grab();
    }

    void xWishesTheNextExposedCallAndShiftXTheOneBefore()
    {
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
