#include <QTest>

#include <QJsonDocument>
#include <QJsonObject>

#include "core/report/launch/launch_export.h"
#include "core/scenario/deepspeed/bf16_optimizer.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/shipped_presets.h"

using namespace shardscope;

namespace
{

ScenarioReading readingOf(const std::string& text, const Scenario* base = nullptr)
{
    const auto reading = readScenario(text, shipped(), base);
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return reading.value();
}

// "parallel.data" of the scenario as its file has it: "8".
QString figureOf(const Scenario& scenario, const QString& path)
{
    const QByteArray text = QByteArray::fromStdString(writeScenario(scenario));
    QJsonValue value = QJsonDocument::fromJson(text).object();
    for (const QString& key : path.split('.'))
        value = value.toObject().value(key);
    return value.toVariant().toString();
}

Scenario megatronsRun()
{
    return readingOf(R"({"model": {"preset": "llama2-7b"}, "training": {"recompute": "full",
        "global_batch_size": 64, "micro_batch_size": 1}, "parallel": {"data": 8, "tensor": 2, "zero_stage": 1},
        "cluster": {"preset": "dgx-h100"}})")
        .scenario;
}

} // namespace

// ds_config.json, laid over a scenario.
class TestDeepSpeedScenario : public QObject
{
    Q_OBJECT
private slots:
    void whatItSetsIsTaken_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* name, const char* config, const char* path, const char* value) {
            QTest::newRow(name) << QString(config) << QString(path) << QString(value);
        };
        row("the framework", R"("train_batch_size": 64)", "conventions.framework", "deepspeed");
        row("a batch", R"("train_batch_size": 128)", "training.global_batch_size", "128");
        row("a micro-batch", R"("train_micro_batch_size_per_gpu": 2)", "training.micro_batch_size", "2");
        row("all three sizes tell the GPUs",
            R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 2)",
            "parallel.data", "32");
        row("fp16", R"("fp16": {"enabled": true})", "training.precision", "fp16");
        row("bf16 by its first name", R"("bfloat16": {"enabled": true}, "fp16": {"enabled": false})",
            "training.precision", "bf16");
        row("neither", R"("fp16": {"enabled": false}, "bf16": {"enabled": false})", "training.precision",
            "fp32");
        row("a format that another tells", R"("fp16": {"enabled": "auto"}, "bf16": {"enabled": false})",
            "training.precision", "bf16");
        row("gradients of bf16 without ZeRO", R"("bf16": {"enabled": true})", "training.gradient_bytes", "4");
        row("gradients of bf16 with ZeRO", R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 1})",
            "training.gradient_bytes", "2");
        row("gradients of fp16", R"("fp16": {"enabled": true})", "training.gradient_bytes", "2");
        row("a sum in fp32",
            R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 2},
               "data_types": {"grad_accum_dtype": "fp32"})",
            "training.gradient_bytes", "4");
        row("a sum in bf16", R"("bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "bf16"})",
            "training.gradient_bytes", "2");
        row("the optimizer's weights in bf16",
            R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true},
               "zero_optimization": {"stage": 2})",
            "training.master_bytes", "2");
        row("in fp16",
            R"("fp16": {"enabled": true, "fp16_master_weights_and_grads": true},
               "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}})",
            "training.master_bytes", "2");
        row("its states in bf16",
            R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true,
                        "bf16_optimizer_states": true}, "zero_optimization": {"stage": 3})",
            "training.exp_avg_bytes", "2");
        row("both of them",
            R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true,
                        "bf16_optimizer_states": true}, "zero_optimization": {"stage": 3})",
            "training.exp_avg_sq_bytes", "2");
        row("not without ZeRO", R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true})",
            "training.master_bytes", "4");
        row("in fp32 unless told", R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 2})",
            "training.exp_avg_bytes", "4");
        row("SGD", R"("fp16": {"enabled": true}, "optimizer": {"type": "SGD"})", "training.optimizer", "sgd");
        row("AdamW", R"("fp16": {"enabled": true}, "optimizer": {"type": "AdamW"})", "training.optimizer",
            "adam");
        row("no ZeRO unless told", R"("train_batch_size": 64)", "parallel.zero_stage", "0");
        row("a stage", R"("zero_optimization": {"stage": 3})", "parallel.zero_stage", "3");
        row("a stage that another tells", R"("zero_optimization": {"stage": "auto"})", "parallel.zero_stage",
            "1");
        row("stage 3 overlaps unless told", R"("zero_optimization": {"stage": 3})", "conventions.dp_overlap",
            "true");
        row("stage 2 does not", R"("zero_optimization": {"stage": 2})", "conventions.dp_overlap", "false");
        row("stage 2 that is told to", R"("zero_optimization": {"stage": 2, "overlap_comm": true})",
            "conventions.dp_overlap", "true");
        row("stage 3 that is told not to", R"("zero_optimization": {"stage": 3, "overlap_comm": false})",
            "conventions.dp_overlap", "false");
        row("without ZeRO nothing overlaps", R"("zero_optimization": {"stage": 0, "overlap_comm": true})",
            "conventions.dp_overlap", "false");
        row("a bucket of 16-bit gradients",
            R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 2, "reduce_bucket_size": 2e8})",
            "conventions.dp_bucket_bytes", "400000000");
        row("a bucket of floats",
            R"("bf16": {"enabled": false}, "zero_optimization": {"stage": 1, "reduce_bucket_size": 1000})",
            "conventions.dp_bucket_bytes", "4000");
        row("a bucket of stage 3",
            R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "reduce_bucket_size": 2e8})",
            "conventions.dp_bucket_bytes", "400000000");
        row("a bucket that the trainer fills in",
            R"("bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"})",
            "conventions.dp_bucket_bytes", "33554432");
        const char* bf16_optimizer = R"("bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp32"},
            "zero_optimization": {"stage": 1, "reduce_bucket_size": 1000, "overlap_comm": true})";
        row("the bf16 optimizer's own bucket", bf16_optimizer, "conventions.dp_bucket_bytes", "2000000000");
        row("it does not overlap", bf16_optimizer, "conventions.dp_overlap", "false");
        row("ZeRO's bucket with the optimizer on the host",
            R"("bf16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp32"}, "zero_optimization":
               {"stage": 1, "reduce_bucket_size": 1000, "offload_optimizer": {"device": "cpu"}})",
            "conventions.dp_bucket_bytes", "4000");
        row("without ZeRO its own bucket",
            R"("fp16": {"enabled": true}, "zero_optimization": {"stage": 0, "reduce_bucket_size": 10})",
            "conventions.dp_bucket_bytes", "1000000000");
        row("buckets that all get", R"("zero_optimization": {"stage": 2})", "conventions.zero_reduction",
            "all_reduce");
        row("buckets for their owners",
            R"("zero_optimization": {"stage": 2, "use_multi_rank_bucket_allreduce": false})",
            "conventions.zero_reduction", "reduce");
        row("buckets that all get, told so",
            R"("zero_optimization": {"stage": 2, "reduce_scatter": false,
               "use_multi_rank_bucket_allreduce": false})",
            "conventions.zero_reduction", "all_reduce");
        row("an optimizer on the host",
            R"("zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}})",
            "training.offload", "optimizer");
        row("an optimizer on the host, as it was said once",
            R"("zero_optimization": {"stage": 2, "cpu_offload": true})", "training.offload", "optimizer");
        row("an optimizer on the host without ZeRO",
            R"("zero_optimization": {"stage": 0, "offload_optimizer": {"device": "cpu"}})",
            "training.offload", "none");
        row("an optimizer on the GPU",
            R"("zero_optimization": {"stage": 2, "offload_optimizer": {"device": "none"}})",
            "training.offload", "none");
        row("tensor parallel ranks", R"("tensor_parallel": {"autotp_size": 4}, "bf16": {"enabled": true})",
            "parallel.tensor", "4");
        row("which the replicas give way to",
            R"("tensor_parallel": {"autotp_size": 4}, "bf16": {"enabled": true})", "parallel.data", "4");
        row("tensor parallelism that is off",
            R"("tensor_parallel": {"autotp_size": 0}, "bf16": {"enabled": true})", "parallel.tensor", "2");
        row("Ulysses", R"("sequence_parallel_size": 4, "bf16": {"enabled": true})", "parallel.context", "4");
        row("its method", R"("sequence_parallel_size": 4, "bf16": {"enabled": true})",
            "parallel.context_method", "ulysses");
        row("messages of stages", R"("pipeline": {"pipe_partitioned": false}, "bf16": {"enabled": true})",
            "conventions.pp_partitioned", "false");
        row("recomputation of each layer",
            R"("pipeline": {"activation_checkpoint_interval": 1}, "bf16": {"enabled": true})",
            "training.recompute", "full");
        row("what it says nothing of", R"("bf16": {"enabled": true})", "training.recompute", "full");
    }
    void whatItSetsIsTaken()
    {
        QFETCH(QString, config);
        QFETCH(QString, path);
        const Scenario base = megatronsRun();
        const ScenarioReading reading = readingOf("{" + config.toStdString() + "}", &base);
        QCOMPARE(reading.source, ScenarioSource::deepspeed_config);
        QTEST(figureOf(reading.scenario, path), "value");
        QCOMPARE(reading.scenario.model, base.model);
        QCOMPARE(reading.scenario.cluster, base.cluster);
        const std::vector<Problem> problems = validate(reading.scenario);
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().sentence.c_str());
    }

    void whatTheUserHasSetOfDeepSpeedsRunStays()
    {
        Scenario base = readingOf(R"({"conventions": {"framework": "deepspeed"}})").scenario;
        base.conventions.operator_traffic = 1.25;
        const Scenario read = readingOf(R"({"zero_optimization": {"stage": 2}})", &base).scenario;
        QCOMPARE(read.conventions.operator_traffic, 1.25);
    }

    void productsInFp8StayThose()
    {
        Scenario base = megatronsRun();
        base.training.precision = Precision::fp8;
        const Scenario read = readingOf(R"({"bf16": {"enabled": true}})", &base).scenario;
        QCOMPARE(read.training.precision, Precision::fp8);
        QCOMPARE(read.training.gradient_bytes, 4); // as in bf16
    }

    void expertsShareRanksWhereThereAreSome()
    {
        const char* config =
            R"({"train_batch_size": 64, "expert_parallel": {"enabled": true, "autoep_size": 4}})";
        Scenario base =
            readingOf(R"({"model": {"preset": "mixtral-8x7b"}, "parallel": {"data": 8}})").scenario;
        QCOMPARE(readingOf(config, &base).scenario.parallel.expert, std::int64_t{4});
        base = megatronsRun();
        const ScenarioReading dense = readingOf(config, &base);
        QCOMPARE(dense.scenario.parallel.expert, std::int64_t{1});
        QVERIFY(notesOf(dense).contains("expert_parallel: The model has no experts."));
    }

    void onItsOwnItIsOfTheDefaultModel()
    {
        const ScenarioReading reading = readingOf(
            R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4,
                "fp16": {"enabled": true}})");
        QCOMPARE(reading.scenario.model, readingOf("{}").scenario.model);
        QCOMPARE(reading.scenario.parallel.data, std::int64_t{8});
        QVERIFY(reading.warnings.empty());
        QVERIFY(looksLikeScenario(R"({"train_batch_size": 64})"));
        QVERIFY(!looksLikeScenario(R"({"train_batch_size": 64, "traceEvents": []})"));
    }

    void gradientsThatAreSentInAnotherFormatAreSaid()
    {
        const Scenario base = megatronsRun();
        const QString sentence =
            "communication_data_type: Gradients are predicted to be sent in the format of their sum.";
        const char* other = R"({"bf16": {"enabled": true}, "zero_optimization": {"stage": 1},
                                "communication_data_type": "fp32"})";
        const char* same = R"({"bf16": {"enabled": true}, "communication_data_type": "fp32"})";
        QVERIFY(notesOf(readingOf(other, &base)).contains(sentence));
        QVERIFY(!notesOf(readingOf(same, &base)).contains(sentence));
        const QString untold =
            "Gradients are predicted to be sent in fp32, the format of their sum; DeepSpeed "
            "sends them in 16 bit.";
        const char* summed = R"({"bf16": {"enabled": true}, "zero_optimization": {"stage": 2},
                                 "data_types": {"grad_accum_dtype": "fp32"}})";
        const char* fp32 = R"({"bf16": {"enabled": false}})";
        QVERIFY(notesOf(readingOf(summed, &base)).contains(untold));
        QVERIFY(!notesOf(readingOf(same, &base)).contains(untold));
        QVERIFY(!notesOf(readingOf(fp32, &base)).contains(untold));
    }

    void pipelinesDoNotOverlap()
    {
        Scenario base = megatronsRun();
        base.parallel.pipeline = 2;
        const ScenarioReading read = readingOf(
            R"({"fp16": {"enabled": true}, "zero_optimization": {"stage": 1, "overlap_comm": true}})", &base);
        QVERIFY(!read.scenario.conventions.dp_overlap);
        QVERIFY(notesOf(read).contains("overlap_comm: DeepSpeed switches it off for pipelines."));
    }

    // DeepSpeed reads HJSON.
    void commentsAndLastCommasAreBlanks()
    {
        const char* config = "{ # a run\n\"zero_optimization\": {\"stage\": 2, /* } */ },\n"
                             "\"x\": \"// # /* ,]\\\"\", \"y\": [1, 2 ,], // \"stage\"\n}";
        QCOMPARE(readingOf(config).scenario.parallel.zero_stage, 2);
        QVERIFY(looksLikeScenario(config));
        QVERIFY(!readScenario("{\"model\": {}, // mine\n}", shipped()));
        for (const char* text : {"{\"zero_optimization\": /*", "{\"a\": \"\\", "{\"a\": \"", "[,]", "#"})
            QVERIFY(!readScenario(text, shipped()));
    }

    void aFormatThatNothingSetsStaysAndIsSaid()
    {
        const Scenario base = megatronsRun();
        const char* all = R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1,
                              "gradient_accumulation_steps": 1, "zero_optimization": {"stage": 1}%1})";
        const auto notes = [&](const char* rest) {
            return notesOf(readingOf(QString(all).arg(rest).toStdString(), &base));
        };
        QCOMPARE(notes(""), QStringList{"Neither fp16 nor bf16 is set; the number format stays bf16."});
        QCOMPARE(notes(R"(, "fp16": {"enabled": true})"), QStringList{});
        QCOMPARE(notes(R"(, "fp16": {"enabled": "auto"})").size(), 1);
        QVERIFY(notes(R"(, "fp16": {"enabled": "auto"})").front().contains("auto"));
    }

    void shortStatesThatDeepSpeedRefusesAreSaid_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<bool>("is_refused");
        const auto row = [](const char* name, const char* config, bool is_refused) {
            QTest::newRow(name) << QString{config} << is_refused;
        };
        row("without ZeRO", R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true})", true);
        row("states beside fp32 weights",
            R"("bf16": {"enabled": true, "bf16_optimizer_states": true}, "zero_optimization": {"stage": 2})",
            true);
        row("both with ZeRO",
            R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true,
                        "bf16_optimizer_states": true}, "zero_optimization": {"stage": 2})",
            false);
    }
    void shortStatesThatDeepSpeedRefusesAreSaid()
    {
        QFETCH(QString, config);
        QFETCH(bool, is_refused);
        const ScenarioReading read = readingOf("{" + config.toStdString() + "}");
        const bool is_said = notesOf(read).join(' ').contains("weights and states in 16 bits are for");
        QCOMPARE(is_said, is_refused);
        QCOMPARE(read.scenario.training.exp_avg_bytes, is_refused ? 4 : 2);
    }

    void whatIsRecomputedTheModelDecides()
    {
        const Scenario base = megatronsRun();
        const QStringList notes =
            notesOf(readingOf(R"({"bf16": {"enabled": true}, "activation_checkpointing": {}})", &base));
        QVERIFY(notes.back().startsWith("activation_checkpointing: "));
    }

    // Model, cluster, layout and what the model's code decides stand in no configuration.
    void whatIsExportedIsReadBack_data()
    {
        QTest::addColumn<QString>("rest");
        const auto row = [](const char* name, const char* rest) { QTest::newRow(name) << QString{rest}; };
        row("replicas", R"("parallel": {"data": 8})");
        row("stage 1", R"("parallel": {"data": 8, "zero_stage": 1}, "training": {"gradient_bytes": 4})");
        row("stage 2 in fp16",
            R"("parallel": {"data": 4, "zero_stage": 2}, "training": {"precision": "fp16"})");
        row("stage 3 with a bucket of its own",
            R"("parallel": {"data": 8, "zero_stage": 3}, "conventions": {"framework": "deepspeed",
               "dp_overlap": true, "dp_bucket_bytes": 4000000})");
        row("stage 3 that overlaps", R"("parallel": {"data": 8, "zero_stage": 3})");
        row("one reduction for each owner", R"("parallel": {"data": 8, "zero_stage": 2}, )");
        row("fp32", R"("parallel": {"data": 2}, "training": {"precision": "fp32"})");
        row("on the host",
            R"("parallel": {"data": 8, "zero_stage": 2}, "training": {"offload": "optimizer"})");
        row("SGD", R"("parallel": {"data": 8}, "training": {"optimizer": "sgd"})");
        row("states in bf16", R"("parallel": {"data": 8, "zero_stage": 2},
            "training": {"master_bytes": 2, "exp_avg_bytes": 2, "exp_avg_sq_bytes": 2})");
        row("an fp16 copy on the host", R"("parallel": {"data": 8, "zero_stage": 2},
            "training": {"precision": "fp16", "master_bytes": 2, "offload": "optimizer"})");
    }
    void whatIsExportedIsReadBack()
    {
        QFETCH(QString, rest);
        const bool reduces = rest.endsWith(", ");
        const bool is_whole = rest.contains("conventions");
        rest += is_whole  ? "}"
                : reduces ? R"("conventions": {"framework": "deepspeed", "zero_reduction": "reduce",
                                             "dp_bucket_bytes": 4000000}})"
                          : R"(, "conventions": {"framework": "deepspeed", "dp_overlap": true}})";
        Scenario written = readingOf("{" + rest.toStdString()).scenario;
        if (written.parallel.zero_stage == 0 || usesBf16Optimizer(written))
            written.conventions.dp_overlap = false;
        const auto config = deepSpeedConfig(written);
        QVERIFY(config);
        Scenario base = readingOf("{}").scenario;
        base.conventions.framework = Framework::ddp;
        Scenario read = readingOf(config.value(), &base).scenario;
        read.conventions.pp_overlap = written.conventions.pp_overlap; // of interleaved stages alone
        QCOMPARE(QString::fromStdString(writeScenario(read)), QString::fromStdString(writeScenario(written)));
    }

private:
    static QStringList notesOf(const ScenarioReading& reading)
    {
        QStringList notes;
        for (const std::string& warning : reading.warnings)
            notes << QString::fromStdString(warning);
        return notes;
    }
};

QTEST_GUILESS_MAIN(TestDeepSpeedScenario)
#include "tst_deepspeed_scenario.moc"
