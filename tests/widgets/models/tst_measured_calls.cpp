#include <QFileInfo>
#include <QTest>

#include "core/base/resources.h"
#include "tests/fail_on_warnings.h"
#include "widgets/models/measured_calls.h"
#include "widgets/session/session.h"

using namespace shardscope;

class TestMeasuredCalls : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    // The scenario says that ranks 2 and 3 are of stage 0; in the run they were of stage 1.
    void ranksAreOfTheStageThatTheyWereInTheRun()
    {
        const QString folder = QStringLiteral(SHARDSCOPE_SHARED_FOLDER "/rig/traces/p2t2d2-custom");
        if (!QFileInfo::exists(folder))
            QSKIP("the shared traces are not there");
        Session session{Presets::load(resourcesFolder() / "presets").value()};
        session.open({QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/sample.scenario.json")});
        session.open({folder});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QVERIFY(session.content().measured->measurement.other_order);
        const PredictedScenario& predicted = *session.content().predicted;
        const MeasuredCalls calls{session.content().measured};
        for (const int stage : {0, 1}) {
            const RankScope scope = RankScope::ofStage(stage);
            QCOMPARE(calls.ranksIn(&predicted, scope), std::size_t{4});
            const std::vector<MessageCount> expected =
                predictedCounts(predicted, session.content().measured.get(), scope);
            const std::vector<MeasuredCount> counts = calls.counts(&predicted, scope);
            QCOMPARE(counts.size(), expected.size());
            for (std::size_t i = 0; i < counts.size(); ++i) {
                QVERIFY(counts[i].key == expected[i].key);
                QCOMPARE(counts[i].low, expected[i].count);
                QCOMPARE(counts[i].high, expected[i].count);
            }
        }
    }
};

QTEST_MAIN(TestMeasuredCalls)
#include "tst_measured_calls.moc"
