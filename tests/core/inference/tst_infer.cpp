#include <QTest>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include "core/analysis/digest/digest.h"
#include "core/base/resources.h"
#include "core/import/importer.h"
#include "core/inference/infer.h"
#include "core/inference/rank_shapes.h"

#include <algorithm>

using namespace shardscope;

namespace
{

Result<Inference> inferred(const std::filesystem::path& folder)
{
    static const Presets presets = Presets::load(resourcesFolder() / "presets").value();
    const std::array folders{folder};
    const auto traces = importTraces(folders);
    if (!traces)
        return traces.error();
    return inferScenario(traces.value(), ClassificationRules::shipped(), presets);
}

double sure(const Inference& inference, const std::string& key)
{
    const auto found = std::ranges::find(inference.findings, key, &Finding::key);
    return found == inference.findings.end() ? 0.0 : found->confidence;
}

// Inferred, and as the run's own configuration has it.
void compare(const Scenario& scenario, const QJsonObject& config)
{
    const Model& model = scenario.model;
    QCOMPARE(model.layers, config["l"].toInt());
    QCOMPARE(model.hidden_size, config["h"].toInt());
    QCOMPARE(model.attention_heads, config["heads"].toInt());
    QCOMPARE(model.sequence_length, config["s"].toInt());
    QCOMPARE(model.vocab_size, config["padded_vocab"].toInt());
    QCOMPARE(scenario.training.micro_batch_size, config["b"].toInt());
    QCOMPARE(scenario.training.global_batch_size, config["gb"].toInt());
    QCOMPARE(scenario.training.recompute == Recompute::full, config["recompute"].toBool());
    const Parallel& parallel = scenario.parallel;
    QCOMPARE(parallel.pipeline, config["p"].toInt());
    QCOMPARE(parallel.tensor, config["t"].toInt());
    QCOMPARE(parallel.data, config["d"].toInt());
    QCOMPARE(parallel.zero_stage, config["zero"].toInt());
    QCOMPARE(parallel.sequence_parallel, config["sp"].toBool());
    QCOMPARE(parallel.rank_order == megatron_rank_order, config["mapping"].toString() == "tp-dp-pp");
    QCOMPARE(model.experts.count, config["experts"].toInt());
    if (model.experts.count == 0)
        return;
    QCOMPARE(parallel.expert, config["ep"].toInt());
    QCOMPARE(model.experts.per_token, config["topk"].toInt());
    QCOMPARE(model.experts.capacity_factor, config["capacity"].toDouble());
    QCOMPARE(model.experts.ffn_hidden_size, 4 * config["h"].toInt());
    QCOMPARE(model.experts.every, 2);
    QCOMPARE(model.experts.first, 1);
    QCOMPARE(model.experts.shared, 0);
}

} // namespace

class TestInfer : public QObject
{
    Q_OBJECT
private slots:
    void theSampleIsUnderstood_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::newRow("with annotations") << "p2t2d2";
        QTest::newRow("nothing names a kind") << "p2t2d2-plain";
    }
    void theSampleIsUnderstood()
    {
        QFETCH(QString, folder);
        const auto answer = inferred(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/" + folder.toStdString());
        QVERIFY2(answer, answer ? "" : answer.error().sentence.c_str());
        const Scenario& scenario = answer.value().scenario;
        QCOMPARE(scenario.parallel.pipeline, 2);
        QCOMPARE(scenario.parallel.tensor, 2);
        QCOMPARE(scenario.parallel.data, 2);
        QCOMPARE(scenario.model.layers, 4);
        QCOMPARE(scenario.training.global_batch_size, 16);
        QVERIFY(answer.value().comparison.equal());
        QCOMPARE(answer.value().notes.size(), std::size_t{1}); // of CPUs: whose times are predicted
        for (const Finding& finding : answer.value().findings)
            QVERIFY2((finding.confidence >= 0.9 || finding.key == "training.recompute"
                      || finding.key == "cluster.gpu")
                         && !finding.evidence.empty(),
                     finding.key.c_str());
    }

    // Each rank's events twice, and no mark between: what agreed with one iteration no longer does.
    void severalIterationsWithoutMarksAreDoubted()
    {
        QTemporaryDir folder;
        const QDir sample{SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2-plain"};
        for (const QString& name : sample.entryList({"*.json.gz"})) {
            QProcess gzip;
            gzip.start("gzip", {"-dc", sample.filePath(name)});
            QVERIFY(gzip.waitForFinished());
            QJsonObject trace = QJsonDocument::fromJson(gzip.readAllStandardOutput()).object();
            QJsonArray events;
            for (const int times : {0, 1})
                for (const QJsonValue& value : trace["traceEvents"].toArray()) {
                    QJsonObject event = value.toObject();
                    event["ts"] = event["ts"].toDouble() + times * 10e6;
                    if (!event["name"].toString().startsWith("ProfilerStep"))
                        events.append(event);
                }
            trace["traceEvents"] = events;
            QFile file{folder.filePath(name.chopped(3))};
            QVERIFY(file.open(QFile::WriteOnly));
            file.write(QJsonDocument{trace}.toJson(QJsonDocument::Compact));
        }
        const auto answer = inferred(folder.path().toStdString());
        QVERIFY2(answer, answer ? "" : answer.error().sentence.c_str());
        QCOMPARE(answer.value().scenario.parallel.data, 2);
        QVERIFY(!answer.value().comparison.equal());
        QCOMPARE(answer.value().notes.size(),
                 std::size_t{2}); // what is not inferred, and whose times they are
        for (const Finding& finding : answer.value().findings)
            if (finding.key == "training.global_batch_size") {
                QVERIFY(finding.confidence < 0.9);
                QVERIFY2(finding.evidence.find("no step is marked") != std::string::npos,
                         finding.evidence.c_str());
            }
    }

    void recordedRunsAreUnderstood_data()
    {
        QTest::addColumn<QString>("run");
        const QDir folder{SHARDSCOPE_SHARED_FOLDER "/rig/traces"};
        for (const QString& run : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QTest::newRow(qPrintable(run)) << run;
        if (folder.isEmpty())
            QTest::newRow("none here") << QString{};
    }
    void recordedRunsAreUnderstood()
    {
        QFETCH(QString, run);
        if (run.isEmpty())
            QSKIP("../shared has the recorded runs");
        QFile file{SHARDSCOPE_SHARED_FOLDER "/rig/truth/" + run + ".json"};
        QVERIFY(file.open(QFile::ReadOnly));
        const QJsonObject config = QJsonDocument::fromJson(file.readAll()).object()["config"].toObject();
        const auto answer = inferred(SHARDSCOPE_SHARED_FOLDER "/rig/traces/" + run.toStdString());
        QVERIFY2(answer, answer ? "" : answer.error().sentence.c_str());
        compare(answer.value().scenario, config);
        QVERIFY(answer.value().comparison.equal());
        QCOMPARE(answer.value().notes.size(), std::size_t{1}); // of CPUs: whose times are predicted
        QCOMPARE(answer.value().comparison.rows.empty(), config["world"].toInt() == 1);
    }

    // One rank of a pipeline, or all but one: the messages tell how many stages there are, or nothing does.
    void missingRanksAreTold_data()
    {
        QTest::addColumn<std::vector<int>>("read");
        QTest::newRow("one of the first stage") << std::vector<int>{0};
        QTest::newRow("one of the last stage") << std::vector<int>{7};
        QTest::newRow("all but one") << std::vector<int>{0, 2, 3, 4, 5, 6, 7};
    }
    void missingRanksAreTold()
    {
        QFETCH(std::vector<int>, read);
        QTemporaryDir folder;
        for (const int rank : read) {
            const QString name = QString{"rank-%1.json.gz"}.arg(rank);
            QVERIFY(
                QFile::copy(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2/" + name, folder.filePath(name)));
        }
        const auto answer = inferred(folder.path().toStdString());
        QVERIFY2(answer, answer ? "" : answer.error().sentence.c_str());
        const Scenario& scenario = answer.value().scenario;
        QCOMPARE(scenario.parallel.pipeline, 2);
        QCOMPARE(scenario.parallel.data, 2);
        QCOMPARE(scenario.model.layers, 4);
        QCOMPARE(scenario.training.global_batch_size, 16);
        QVERIFY(!answer.value().notes.empty());
        QVERIFY2(answer.value().notes.front().find("of 8 ranks were read") != std::string::npos,
                 answer.value().notes.front().c_str());
    }

    // Without data parallelism nothing that is sent depends on who keeps gradients and states, or on how many
    // parameters there are.
    void messagesThatOthersWouldSendTooTellNothing()
    {
        const std::filesystem::path folder{SHARDSCOPE_SHARED_FOLDER "/rig/traces/t2"};
        if (!std::filesystem::exists(folder))
            QSKIP("../shared has the recorded runs");
        const auto answer = inferred(folder);
        QVERIFY2(answer, answer ? "" : answer.error().sentence.c_str());
        QVERIFY(answer.value().comparison.equal());
        QCOMPARE(sure(answer.value(), "parallel.zero_stage"), confidence::likeliest);
        QCOMPARE(sure(answer.value(), "conventions.framework"), confidence::likeliest);
        QCOMPARE(sure(answer.value(), "model.tied_embeddings"), confidence::likeliest);
        QCOMPARE(sure(answer.value(), "model.position_embedding"), confidence::likeliest);
        QCOMPARE(sure(answer.value(), "training.flash_attention"), confidence::told); // by operators
        QCOMPARE(sure(answer.value(), "parallel.tensor"), confidence::certain);
    }

    // Megatron-LM on 8 tensor ranks, two of them recorded, forward alone: what its job was started with.
    void aRealRunIsUnderstood()
    {
        const std::filesystem::path folder{SHARDSCOPE_SHARED_FOLDER "/traces/megatron_tp8_ranks01"};
        if (!std::filesystem::exists(folder))
            QSKIP("../shared has the trace");
        const auto answer = inferred(folder);
        QVERIFY2(answer, answer ? "" : answer.error().sentence.c_str());
        const Scenario& scenario = answer.value().scenario;
        QCOMPARE(scenario.parallel.tensor, 8);
        QCOMPARE(scenario.parallel.pipeline, 1);
        QCOMPARE(scenario.model.layers, 40);
        QCOMPARE(scenario.model.hidden_size, 4096);
        QCOMPARE(scenario.model.attention_heads, 64);
        QCOMPARE(scenario.model.ffn_hidden_size, 16384);
        QCOMPARE(scenario.model.sequence_length, 2048);
        QCOMPARE(scenario.model.vocab_size, 51200);
        QCOMPARE(scenario.training.micro_batch_size, 4);
        QCOMPARE(scenario.cluster.gpu, "A100-SXM4-80GB");
        // Of what was recorded: forward and backward passes send messages of one size.
        QVERIFY(answer.value().comparison.equal());
        QCOMPARE(answer.value().comparison.rows.size(), std::size_t{2});
        QCOMPARE(sure(answer.value(), "parallel.tensor"), confidence::certain);
        QCOMPARE(sure(answer.value(), "parallel.zero_stage"), confidence::likeliest);
        QCOMPARE(sure(answer.value(), "cluster.gpu"), confidence::told);
        const bool is_noted = std::ranges::any_of(answer.value().notes, [](const std::string& note) {
            return note.find("No backward pass") != std::string::npos;
        });
        QVERIFY(is_noted);
    }

    void digestsAreKnownToHaveNoShapes()
    {
        const std::array file{
            std::filesystem::path{SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2/rank-0.json.gz"}};
        auto traces = importTraces(file);
        QVERIFY(traces);
        const ClassificationRules rules = ClassificationRules::shipped();
        TraceSet digests = traces.value();
        digests.files.front() = digestOf(digests.files.front(), rules);
        const auto answer = inferScenario(digests, rules, Presets{});
        QVERIFY(!answer);
        QVERIFY2(answer.error().sentence.find("digests keep no shapes") != std::string::npos,
                 answer.error().sentence.c_str());
    }

    void whatIsNoTransformerIsRefused_data()
    {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("why");
        QTest::newRow("ResNet") << "kineto_resnet50_2021"
                                << "shapes of operators were recorded";
        QTest::newRow("recommendation") << "dlrm8_v100"
                                        << "shapes of operators were recorded, but no layers of a "
                                           "transformer are among them; the run has 8 ranks";
        QTest::newRow("damaged files") << "adversarial"
                                       << "record_shapes";
    }
    void whatIsNoTransformerIsRefused()
    {
        QFETCH(QString, folder);
        const std::filesystem::path path{SHARDSCOPE_SHARED_FOLDER "/traces/" + folder.toStdString()};
        if (!std::filesystem::exists(path))
            QSKIP("../shared has the traces");
        const auto answer = inferred(path);
        QVERIFY(!answer);
        QFETCH(QString, why);
        QVERIFY2(answer.error().sentence.find(why.toStdString()) != std::string::npos,
                 answer.error().sentence.c_str());
    }

    // Whatever was recorded, the option of PyTorch's profiler would not be heard.
    void formatsThatTellNoShapesAreNamed_data()
    {
        QTest::addColumn<QStringList>("formats");
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<bool>("may_show");
        const QString but = ", but from traces of PyTorch's profiler, recorded with record_shapes=True";
        QTest::newRow("a log")
            << QStringList{"megatron_log"}
            << "no shapes of operators are read from a log of Megatron-LM that lists no arguments" + but
            << false;
        QTest::newRow("two alike") << QStringList{"primus", "primus"}
                                   << "no shapes of operators are read from a pipeline dump of Primus" + but
                                   << false;
        QTest::newRow("of several kinds")
            << QStringList{"nccl_log", "aicb"}
            << "no shapes of operators are read from files of these formats" + but << false;
        QTest::newRow("one that may") << QStringList{"megatron_log", "kineto"}
                                      << "no rank shows the shapes of its operators; record with "
                                         "record_shapes=True"
                                      << true;
    }
    void formatsThatTellNoShapesAreNamed()
    {
        QFETCH(QStringList, formats);
        TraceSet traces;
        for (const QString& format : formats) {
            traces.files.emplace_back();
            traces.files.back().format = format.toStdString();
        }
        QTEST(mayShowLayers(traces), "may_show");
        const auto answer = shapesOfRanks(traces, nullptr);
        QVERIFY(!answer);
        QTEST(QString::fromStdString(answer.error().sentence), "sentence");
    }

    void whatIsKnownOfARunWithoutLayersIsSaid_data()
    {
        QTest::addColumn<QByteArray>("distributed");
        QTest::addColumn<QByteArray>("dims");
        QTest::addColumn<QString>("sentence");
        const QString no_layers =
            "shapes of operators were recorded, but no layers of a transformer are among them";
        const QString no_shapes = "no rank shows the shapes of its operators; record with record_shapes=True";
        const QByteArray shapes{R"("Input Dims": [[8, 3, 32, 32], [16, 3, 3, 3]])"};
        const QByteArray of_four{R"("distributedInfo": {"rank": 1, "world_size": 4},)"};
        QTest::newRow("a convolution") << QByteArray{} << shapes << no_layers;
        QTest::newRow("no shapes") << QByteArray{} << QByteArray{} << no_shapes;
        QTest::newRow("four ranks") << of_four << shapes << no_layers + "; the run has 4 ranks";
        QTest::newRow("at least two ranks") << QByteArray{R"("distributedInfo": {"rank": 1},)"}
                                            << QByteArray{} << no_shapes + "; the run has at least 2 ranks";
    }
    void whatIsKnownOfARunWithoutLayersIsSaid()
    {
        QFETCH(QByteArray, distributed);
        QFETCH(QByteArray, dims);
        const QTemporaryDir folder;
        QFile file{folder.filePath("trace.json")};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"schemaVersion\": 1, " + distributed
                   + R"("traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 1,
                       "tid": 1, "ts": 1, "dur": 2, "args": {)"
                   + dims + "}}]}");
        file.close();
        const auto answer = inferred(file.fileName().toStdString());
        QVERIFY(!answer);
        QTEST(QString::fromStdString(answer.error().sentence), "sentence");
    }
};

QTEST_APPLESS_MAIN(TestInfer)
#include "tst_infer.moc"
