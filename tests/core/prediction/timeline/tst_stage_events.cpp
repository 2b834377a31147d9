#include <QTest>

#include "core/prediction/timeline/stage_events.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/scenarios.h"

#include <cmath>

using namespace shardscope;

class TestStageEvents : public QObject
{
    Q_OBJECT
private slots:
    // Where stages run freely, from one iteration of a stage to its next; else from the first task of all.
    void aStepLastsFromOneIterationToTheNext_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<bool>("begins_together");
        QTest::newRow("1f1b") << static_cast<int>(Schedule::one_f_one_b) << true;
        QTest::newRow("zb-h1") << static_cast<int>(Schedule::zb_h1) << true;
        QTest::newRow("zb-h2") << static_cast<int>(Schedule::zb_h2) << false;
    }
    void aStepLastsFromOneIterationToTheNext()
    {
        QFETCH(int, schedule);
        QFETCH(bool, begins_together);
        Scenario scenario = test::gpt3b(4, 2, 4);
        scenario.time_model = TimeModel::detailed;
        scenario.parallel.schedule = static_cast<Schedule>(schedule);
        const Prediction prediction = predicted(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        const TimelineCalls calls{scenario, prediction, timeline};
        for (int stage = 0; stage < 4; ++stage) {
            const std::vector<StageEvent> events =
                eventsOfStage(timeline, stage, TimelineDetail::layers, &calls);
            const StageStep step = stepOfStage(timeline, stage, events);
            const double length_s = 1e-9 * static_cast<double>(step.end_ns - step.start_ns);
            QVERIFY(std::abs(length_s - prediction.time.iteration_s) < 1e-8);
            QCOMPARE(step.start_ns == 0, begins_together || stage == 0);
            for (const StageEvent& event : events)
                QVERIFY(!event.is_counted
                        || (event.start_ns >= step.start_ns && event.end_ns <= step.end_ns));
        }
    }
};

QTEST_APPLESS_MAIN(TestStageEvents)
#include "tst_stage_events.moc"
