#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/timeline/timeline_calls.h"
#include "tests/core/prediction/scenarios.h"

#include <map>

using namespace shardscope;

class TestTimelineCalls : public QObject
{
    Q_OBJECT
private slots:
    // Bars of hidden buckets are as long as what the pass gets on meanwhile; calls as long as they take.
    void callsOfOneSizeTakeOneTime_data()
    {
        QTest::addColumn<int>("zero_stage");
        QTest::newRow("all_reduces") << 0;
        QTest::newRow("reduce_scatters") << 1;
    }
    void callsOfOneSizeTakeOneTime()
    {
        QFETCH(int, zero_stage);
        Scenario scenario = test::gpt3b(1, 2, 4);
        scenario.time_model = TimeModel::detailed;
        scenario.parallel.zero_stage = zero_stage;
        scenario.conventions.zero_reduction = ZeroReduction::reduce_scatter;
        scenario.conventions.dp_overlap = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 1 << 28;
        const Prediction prediction = predict(scenario).value();
        const PredictedTimeline timeline = predictTimeline(scenario, prediction);
        QVERIFY(timeline.hidden.size() > 3);
        std::map<const Message*, std::pair<double, double>> shortest_and_longest;
        std::map<const Message*, std::int64_t> counts;
        for (const TimelineCall& call : TimelineCalls{scenario, prediction, timeline}.ofStage(0)) {
            if (call.of != CallsOf::replicas)
                continue;
            ++counts[call.message];
            const double seconds = call.end_s - call.start_s;
            auto& [shortest, longest] =
                shortest_and_longest.try_emplace(call.message, seconds, seconds).first->second;
            shortest = std::min(shortest, seconds);
            longest = std::max(longest, seconds);
        }
        QVERIFY(counts.size() > 1);
        for (const auto& [message, count] : counts) {
            QCOMPARE(count, message->count);
            const auto [shortest, longest] = shortest_and_longest[message];
            QVERIFY2(longest - shortest <= 1e-6 * longest, qPrintable(QString::number(longest / shortest)));
        }
    }
};

QTEST_APPLESS_MAIN(TestTimelineCalls)
#include "tst_timeline_calls.moc"
