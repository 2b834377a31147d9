#include "core/prediction/messages/message_contents.h"
#include "core/scenario/scenario_json.h"
#include "tests/widgets/main_window/shipped_presets.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/timeline/message_search.h"
#include "widgets/panels/timeline/predicted_lanes.h"
#include "widgets/plots/timeline/timeline_strips.h"

#include <QDir>
#include <QTest>

using namespace shardscope;

class TestMessageSearch : public QObject
{
    Q_OBJECT
private slots:
    void everyMessageOfAnExampleHasABar_data()
    {
        QTest::addColumn<QString>("file");
        const QDir examples{SHARDSCOPE_SOURCE_FOLDER "/resources/examples"};
        for (const QString& name : examples.entryList({"*.scenario.json"}, QDir::Files))
            QTest::newRow(qPrintable(name)) << examples.filePath(name);
    }
    void everyMessageOfAnExampleHasABar()
    {
        QFETCH(QString, file);
        const Result<ScenarioReading> scenario = readScenarioFile(file.toStdString(), shippedPresets());
        QVERIFY2(scenario, scenario ? "" : scenario.error().sentence.c_str());
        TimelineScene scene;
        scene.predicted = predictedLanes(predictedOf(scenario.value().scenario));
        const std::vector<StagePrediction>& stages = scene.predicted->source->prediction.stages;
        for (std::size_t stage = 0; stage < stages.size();
             stage += std::max<std::size_t>(1, stages.size() - 1))
            for (const Message& message : stages[stage].messages) {
                const bool is_free = message.what == contents::loss
                                     || (scenario.value().scenario.time_model == TimeModel::li
                                         && (message.kind == Kind::emb || message.kind == Kind::mp));
                if (is_free) // no time is predicted for it
                    continue;
                const PredictedMessages messages{message, static_cast<int>(stage)};
                bool is_found = nextMessage(scene, messages, std::nullopt).has_value();
                if (const auto other = otherEndOf(messages, scene.predicted->timeline.stages))
                    is_found |= nextMessage(scene, *other, std::nullopt).has_value();
                const std::string which = std::string{word(message.kind)} + ' '
                                          + std::string{word(message.op)} + ' ' + std::string{message.what}
                                          + ' ' + std::to_string(message.message_bytes);
                QVERIFY2(is_found, which.c_str());
            }
    }
};

QTEST_MAIN(TestMessageSearch)
#include "tst_message_search.moc"
