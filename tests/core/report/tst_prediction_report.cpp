#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/base/format.h"
#include "core/prediction/predict.h"
#include "core/report/prediction_report.h"
#include "core/scenario/scenario_json.h"
#include "tests/core/prediction/predicted.h"

using namespace shardscope;

static Scenario read(const QByteArray& json)
{
    const auto reading = readScenario(json.toStdString(), Presets{});
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value().scenario;
}

static QJsonObject report(const Scenario& scenario, const PredictionReportOptions& options)
{
    QJsonParseError error;
    const std::string text = predictionJson(scenario, predicted(scenario), options);
    const auto document = QJsonDocument::fromJson(QByteArray::fromStdString(text), &error);
    if (error.error != QJsonParseError::NoError)
        qFatal("%s", qPrintable(error.errorString()));
    return document.object();
}

class TestPredictionReport : public QObject
{
    Q_OBJECT
private slots:
    void everyKeyOfTheFormatIsThere()
    {
        PredictionReportOptions options;
        options.matrix = true;
        const QJsonObject answer = report(read(small), options);
        const QStringList keys{"flops",     "links",      "matrix",    "memory",   "micro_batches",
                               "operators", "parameters", "ranks",     "scenario", "shardscope",
                               "time",      "warnings",   "world_size"};
        QCOMPARE(answer.keys(), keys);
        const QJsonObject rank = answer["ranks"][0].toObject();
        const QStringList rank_keys{"cp",         "dp", "ep",   "layers", "messages",
                                    "parameters", "pp", "rank", "totals", "tp"};
        QCOMPARE(rank.keys(), rank_keys);
        const QStringList message_keys{"count", "dtype", "group_size",  "kind", "message_bytes",
                                       "op",    "phase", "total_bytes", "what", "wire_bytes"};
        QCOMPARE(rank["messages"][0].toObject().keys(), message_keys);
        const QStringList time_keys{"bubble_ratio",
                                    "bubble_s",
                                    "communication_ratio",
                                    "compute_s",
                                    "cp_s",
                                    "dp_s",
                                    "emb_s",
                                    "ep_s",
                                    "error_band",
                                    "exposed_communication_s",
                                    "hfu",
                                    "hidden_communication_s",
                                    "iteration_s",
                                    "kernel_share",
                                    "mfu",
                                    "mp_s",
                                    "mu",
                                    "pp_s",
                                    "slowest_stage",
                                    "stages",
                                    "step_s",
                                    "tokens_per_s",
                                    "tp_s",
                                    "transformer_share"};
        QCOMPARE(answer["time"].toObject().keys(), time_keys);
    }

    void oneLineSaysTheSameAsMany()
    {
        PredictionReportOptions compact;
        compact.matrix = compact.timeline = true;
        compact.indent = -1;
        PredictionReportOptions indented = compact;
        indented.indent = 2;
        const Scenario scenario = read(small);
        QCOMPARE(report(scenario, compact), report(scenario, indented));
        QVERIFY(predictionJson(scenario, predicted(scenario), compact).find('\n') == std::string::npos);
    }

    // What equal ranks share is written once and repeated: every rank still has all of its own stage.
    void ranksHaveThePartOfTheirStage()
    {
        const Scenario scenario = read(small);
        const QJsonArray ranks = report(scenario, {})["ranks"].toArray();
        QCOMPARE(ranks.size(), 8);
        const RankLayout layout{scenario.parallel};
        for (const auto value : ranks) {
            const QJsonObject rank = value.toObject();
            const RankCoordinates place = layout.coordinates(rank["rank"].toInt());
            QCOMPARE(rank["pp"].toInt(), place.pp);
            QCOMPARE(rank["layers"][0].toInt(), place.pp == 0 ? 0 : 12);
        }
    }

    void totalsAddUpTheMessages()
    {
        const QJsonArray ranks = report(read(small), {})["ranks"].toArray();
        for (const auto value : ranks) {
            QHash<QString, qint64> left;
            for (const auto message : value.toObject()["messages"].toArray())
                left[message.toObject()["kind"].toString() + message.toObject()["op"].toString()] +=
                    message.toObject()["total_bytes"].toInteger();
            const QJsonObject totals = value.toObject()["totals"].toObject();
            for (auto kind = totals.begin(); kind != totals.end(); ++kind) {
                const QJsonObject ops = kind.value().toObject();
                for (auto op = ops.begin(); op != ops.end(); ++op)
                    left[kind.key() + op.key()] -= op.value().toObject()["bytes"].toInteger();
            }
            for (const qint64 rest : left)
                QCOMPARE(rest, 0);
        }
    }

    void matrixRowsAddUpToWhatRanksSend()
    {
        PredictionReportOptions options;
        options.matrix = true;
        const QJsonObject answer = report(read(small), options);
        QHash<int, double> sent;
        for (const auto kind : answer["matrix"].toObject())
            for (const auto cell : kind.toArray())
                sent[cell[0].toInt()] += cell[2].toDouble();
        for (const auto value : answer["ranks"].toArray()) {
            double wire = 0.0;
            for (const auto message : value.toObject()["messages"].toArray())
                wire += message.toObject()["wire_bytes"].toDouble();
            QVERIFY(std::fabs(sent[value.toObject()["rank"].toInt()] - wire) <= 8.0); // roundings
        }
    }

    void timelineIsWrittenOnRequest()
    {
        PredictionReportOptions options;
        options.timeline = true;
        const QJsonObject timeline = report(read(small), options)["timeline"].toObject();
        QCOMPARE(timeline["stages"].toInt(), 2);
        QVERIFY(timeline["spans"].toArray().size() >= 2 * 2 * 128);
        int passes = 0;
        int steps = 0;
        for (const QJsonValue& span : timeline["spans"].toArray()) {
            passes += span["activity"] == "backward" ? 1 : 0;
            steps += span["activity"] == "optimizer" ? 1 : 0;
        }
        QCOMPARE(passes, 2 * 64); // stages, micro-batches
        QCOMPARE(steps, 2);       // one on each stage
    }

    void scenarioOfTheAnswerIsTheResolvedOne()
    {
        const Scenario scenario = read(small);
        const QJsonObject written = report(scenario, {})["scenario"].toObject();
        QCOMPARE(read(QJsonDocument{written}.toJson()), scenario);
    }

    void textShowsEachKindOfStageOnce()
    {
        const Scenario scenario = read(R"({"parallel": {"pipeline": 6}})");
        const QString text = QString::fromStdString(predictionText(scenario, predicted(scenario)));
        QVERIFY(text.contains("Messages of each rank of stage 0 ("));
        QVERIFY(text.contains("Messages of each rank of stage 1 to 4 ("));
        QVERIFY(text.contains("Messages of each rank of stage 5 ("));
    }

    void textTellsWhichStagesTimeIsDivided()
    {
        Scenario scenario = read(small);
        scenario.time_model = TimeModel::detailed;
        // The last stage computes the logits too.
        QVERIFY(
            QString::fromStdString(predictionText(scenario, predicted(scenario)))
                .contains("\nTime of an iteration, of stage 1, which works longest; dp: by so much replicas "
                          "of any stage lengthen it\n"));
        QCOMPARE(report(scenario, {})["time"].toObject()["slowest_stage"], QJsonValue{1});
        scenario.time_model = TimeModel::li; // which has one for all
        QVERIFY(QString::fromStdString(predictionText(scenario, predicted(scenario)))
                    .contains("\nTime of an iteration\n"));
        QVERIFY(report(scenario, {})["time"].toObject()["slowest_stage"].isNull());
    }

    void textTellsHowFarTheTimeIsTrusted()
    {
        Scenario scenario = read(small);
        Prediction prediction = predicted(scenario);
        prediction.time.iteration_s = 2.0;
        prediction.time.error_band = {-0.1, 0.1};
        prediction.time.hidden_communication_s = 0.25;
        scenario.time_model = TimeModel::detailed;
        const QString text = QString::fromStdString(predictionText(scenario, prediction));
        QVERIFY2(text.contains("2 s (± 10 %: 1.8 s to 2.2 s)"), qPrintable(text));
        QVERIFY2(text.contains("; 250 ms more behind compute"), qPrintable(text));
        scenario.time_model = TimeModel::li;
        QVERIFY(QString::fromStdString(predictionText(scenario, prediction))
                    .contains("(not calibrated, 1.8 s to 2.2 s)"));
    }

    void textTellsTheParametersThatATokenUses()
    {
        const auto lineOf = [](const Scenario& scenario) {
            const QString text = QString::fromStdString(predictionText(scenario, predicted(scenario)));
            return text.section("parameters", 1, 1).section('\n', 0, 0).trimmed();
        };
        const auto text = [](std::int64_t count) {
            return QString::fromStdString(formatCount(static_cast<double>(count)));
        };
        const Scenario dense = read(small);
        const ParameterCount all = predicted(dense).parameters;
        QCOMPARE(lineOf(dense), text(all.total) + ", " + text(all.per_rank_max) + " on the fullest rank");
        const Scenario experts = read(R"({"model": {"experts": {"count": 8, "per_token": 2}}})");
        const ParameterCount some = predicted(experts).parameters;
        QVERIFY(some.active < some.total);
        QCOMPARE(lineOf(experts), text(some.total) + ", " + text(some.active) + " active for a token, "
                                      + text(some.per_rank_max) + " on the fullest rank");
    }

    void textShowsOnlyTheRanksThatAreAskedFor()
    {
        const Scenario scenario = read(small);
        PredictionReportOptions options;
        options.ranks = rankChoiceFromWord("3").value();
        const QString text = QString::fromStdString(predictionText(scenario, predicted(scenario), options));
        QVERIFY(text.contains("Messages of rank 3 (tp 1, cp 0, dp 1, pp 0, ep 0)"));
        QVERIFY(!text.contains("Messages of rank 0"));
    }

private:
    static constexpr const char* small = R"({"parallel": {"pipeline": 2, "tensor": 2, "data": 2}})";
};

QTEST_APPLESS_MAIN(TestPredictionReport)
#include "tst_prediction_report.moc"
