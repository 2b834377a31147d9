#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/prediction/predict.h"
#include "core/report/timeline/timeline_trace.h"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

using namespace shardscope;

// A predicted timeline on its way into a file, or into a folder with a file for each rank.
class TestTimelineFile : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;

    static Result<bool> save(const QString& file, const std::function<bool(double)>& goOn = {})
    {
        Scenario scenario;
        scenario.parallel.data = 2;
        static constexpr std::array<std::int64_t, 2> ranks{0, 1};
        return saveTimelineTrace(file.toStdString(), scenario,
                                 predictTimeline(scenario, predict(scenario).value()), TimelineDetail::passes,
                                 ranks, goOn);
    }

private slots:
    void theShareThatIsWrittenIsTold()
    {
        for (const QString& place : {m_folder.filePath("whole.json"), m_folder.path()}) {
            std::vector<double> told;
            QVERIFY(save(place, [&](double share) {
                told.push_back(share);
                return true;
            }));
            QCOMPARE(told.front(), 0.0);
            QCOMPARE(told.back(), 1.0);
            QVERIFY(std::ranges::is_sorted(told));
            QVERIFY(std::ranges::find(told, 0.5) != told.end());
        }
    }

    void whoeverIsToldCanEndIt()
    {
        const QString file = m_folder.filePath("ended.json.gz");
        QVERIFY(!save(file, [](double share) { return share < 0.5; }));
        QVERIFY(!QFile::exists(file));
    }

    void aPlaceThatCannotBeWrittenIsNamed()
    {
        const auto saved = save("/nowhere/timeline.json.gz");
        QVERIFY(!saved);
        QVERIFY(saved.error().sentence.starts_with("/nowhere/timeline.json.gz: "));
    }
};

QTEST_APPLESS_MAIN(TestTimelineFile)
#include "tst_timeline_file.moc"
