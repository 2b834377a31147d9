#include <QTest>

#include "core/base/resources.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/torchtitan/job_text.h"
#include "core/scenario/validation/validation.h"

#include <algorithm>

using namespace shardscope;

namespace
{

const Presets& shippedPresets()
{
    static const Presets presets = Presets::load(resourcesFolder() / "presets").value();
    return presets;
}

ScenarioReading jobRead(const QByteArray& job, const Scenario* base = nullptr)
{
    auto reading = readScenario(job.toStdString(), shippedPresets(), base);
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return std::move(reading).value();
}

QString jobRefused(const QByteArray& job)
{
    const auto reading = readScenario(job.toStdString(), shippedPresets());
    return reading ? QString{} : QString::fromStdString(reading.error().sentence);
}

bool notes(const ScenarioReading& reading, const QString& of)
{
    return std::ranges::any_of(
        reading.warnings, [&](const std::string& one) { return QString::fromStdString(one).contains(of); });
}

// With more lines in some of its sections.
QByteArray llamaJob(const QByteArray& parallelism, const QByteArray& training = {},
                    const QByteArray& rest = {})
{
    return "# 64 GPUs\n[job]\ndescription = \"Llama 3 70B training\"\n\n[model]\nname = \"llama3\"\n"
           "flavor = \"70B\"\n\n[training]\nlocal_batch_size = 8\nseq_len = 8192\n"
           + training + "\n[parallelism]\n" + parallelism + "\n" + rest;
}

} // namespace

// Job configurations of torchtitan, read as scenarios.
class TestJobConfig : public QObject
{
    Q_OBJECT
private slots:
    void aJobIsAWholeScenario()
    {
        const ScenarioReading reading =
            jobRead(llamaJob("data_parallel_replicate_degree = 1\ndata_parallel_shard_degree = 8\n"
                             "tensor_parallel_degree = 8\ncontext_parallel_degree = 2",
                             "global_batch_size = 128", "[activation_checkpoint]\nmode = \"full\"\n"));
        const Scenario& scenario = reading.scenario;
        QCOMPARE(reading.source, ScenarioSource::torchtitan_config);
        QCOMPARE(scenario.model.preset, std::string{"llama3-70b"});
        QCOMPARE(scenario.model.layers, std::int64_t{80});
        QCOMPARE(scenario.parallel.tensor, std::int64_t{8});
        QCOMPARE(scenario.parallel.data, std::int64_t{8});
        QCOMPARE(scenario.parallel.context, std::int64_t{2});
        QCOMPARE(scenario.parallel.context_method, ContextMethod::all_gather);
        QVERIFY(scenario.parallel.sequence_parallel);
        QVERIFY(!scenario.conventions.sp_regather && scenario.conventions.sp_reduce_scatter_embedding);
        QCOMPARE(scenario.parallel.zero_stage, 3);
        QCOMPARE(scenario.conventions.framework, Framework::fsdp);
        QCOMPARE(scenario.training.micro_batch_size, std::int64_t{8});
        QCOMPARE(scenario.training.global_batch_size, std::int64_t{128});
        QCOMPARE(scenario.training.recompute, Recompute::full);
        QCOMPARE(scenario.training.precision, Precision::bf16);
        QCOMPARE(scenario.training.gradient_bytes, 4);
        QCOMPARE(scenario.training.master_bytes, 2); // with the weight's own a float
        QVERIFY(!reading.assumed_cluster.empty());
        QVERIFY(validate(scenario).empty());
    }

    void whatIsLeftOutHasTorchtitansDefault()
    {
        const Scenario scenario = jobRead("[model]\nflavor = \"8B\"\n").scenario;
        QCOMPARE(scenario.model.layers, std::int64_t{32});
        QCOMPARE(scenario.model.sequence_length, std::int64_t{2048});
        QCOMPARE(scenario.training.micro_batch_size, std::int64_t{8});
        QCOMPARE(scenario.training.recompute, Recompute::full); // of every second layer
        QCOMPARE(scenario.training.recompute_layers, std::int64_t{16});
        QVERIFY(!scenario.parallel.sequence_parallel);
    }

    void gpusThatAreNotCountedAreSaid()
    {
        const ScenarioReading reading = jobRead(llamaJob("data_parallel_shard_degree = -1"));
        QCOMPARE(reading.scenario.parallel.data, std::int64_t{1});
        QVERIFY(notes(reading, "data_parallel_shard_degree is -1"));
        const ScenarioReading told = jobRead(llamaJob("data_parallel_shard_degree = 4"));
        QVERIFY(!notes(told, "data_parallel_shard_degree is -1"));
    }

    // Else no one could predict a job that shares experts out over all its GPUs.
    void ofThoseAsManyAreTakenAsExpertsNeed()
    {
        const ScenarioReading reading =
            jobRead("[model]\nname = \"deepseek_v3\"\nflavor = \"16B\"\n[parallelism]\n"
                    "data_parallel_shard_degree = -1\nexpert_parallel_degree = 8\n");
        QCOMPARE(reading.scenario.parallel.data, std::int64_t{8});
        QVERIFY(validate(reading.scenario).empty());
    }

    void expertsAreWholeUnlessTheirDegreeIsTheTensorGroups_data()
    {
        QTest::addColumn<QByteArray>("degree");
        QTest::addColumn<bool>("split");
        QTest::newRow("not said") << QByteArray{} << false;
        QTest::newRow("one") << QByteArray{"expert_tensor_parallel_degree = 1\n"} << false;
        QTest::newRow("the tensor group's") << QByteArray{"expert_tensor_parallel_degree = 2\n"} << true;
        QTest::newRow("without expert parallelism it has no effect")
            << QByteArray{"expert_tensor_parallel_degree = 1\nexpert_parallel_degree = 1\n"} << true;
    }
    void expertsAreWholeUnlessTheirDegreeIsTheTensorGroups()
    {
        QFETCH(QByteArray, degree);
        QFETCH(bool, split);
        const QByteArray expert =
            degree.contains("expert_parallel_degree") ? "" : "expert_parallel_degree = 8\n";
        const Scenario scenario = jobRead("[model]\nname = \"deepseek_v3\"\nflavor = \"16B\"\n[parallelism]\n"
                                          "data_parallel_shard_degree = 8\ntensor_parallel_degree = 2\n"
                                          + expert + degree)
                                      .scenario;
        QCOMPARE(scenario.parallel.expert_tensor_parallel, split);
        QVERIFY(validate(scenario).empty());
    }

    void pipelinesHaveTheirScheduleAndMicroBatches_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<Schedule>("schedule");
        QTest::addColumn<qint64>("virtual_stages");
        QTest::addColumn<QString>("note");
        QTest::newRow("1F1B") << QByteArray{"pipeline_parallel_schedule = \"1F1B\""} << Schedule::one_f_one_b
                              << qint64{1} << QString{};
        QTest::newRow("interleaved") << QByteArray{"pipeline_parallel_schedule = \"Interleaved1F1B\""}
                                     << Schedule::interleaved << qint64{2} << QString{};
        // 80 layers and both ends in stages of 5 are 17, in stages of 11 are 8.
        QTest::newRow("interleaved with so many layers a stage")
            << QByteArray{"pipeline_parallel_schedule = \"interleaved1F1B\"\n"
                          "pipeline_parallel_layers_per_stage = 5\n"
                          "pipeline_parallel_first_stage_less_layers = 0\n"
                          "pipeline_parallel_last_stage_less_layers = 0"}
            << Schedule::interleaved << qint64{4} << QString{};
        QTest::newRow("ZB-V") << QByteArray{"pipeline_parallel_schedule = \"ZBVZeroBubble\""}
                              << Schedule::zb_v << qint64{2} << QString{};
        QTest::newRow("one that is another here")
            << QByteArray{"pipeline_parallel_schedule = \"DualPipeV\""} << Schedule::zb_v << qint64{2}
            << QString{"instead of DualPipeV"};
        QTest::newRow("one that nobody knows") << QByteArray{"pipeline_parallel_schedule = \"Zigzag\""}
                                               << Schedule::one_f_one_b << qint64{1} << QString{"\"Zigzag\""};
    }
    void pipelinesHaveTheirScheduleAndMicroBatches()
    {
        QFETCH(QByteArray, keys);
        QFETCH(Schedule, schedule);
        QFETCH(qint64, virtual_stages);
        QFETCH(QString, note);
        const ScenarioReading reading =
            jobRead(llamaJob("data_parallel_shard_degree = 2\npipeline_parallel_degree = 4\n" + keys));
        const Scenario& scenario = reading.scenario;
        QCOMPARE(scenario.parallel.schedule, schedule);
        QCOMPARE(qint64{scenario.parallel.virtual_stages}, virtual_stages);
        QCOMPARE(scenario.training.micro_batch_size, std::int64_t{1});
        QCOMPARE(scenario.training.global_batch_size, std::int64_t{16});
        // What is gathered stays until the backward pass, and is reduced once.
        QCOMPARE(scenario.parallel.zero_stage, 2);
        QVERIFY(!scenario.conventions.reduce_each_micro_batch);
        QVERIFY(note.isEmpty() || notes(reading, note));
        QVERIFY(validate(scenario).empty());
    }

    void whatStaysGatheredIsReshardedOrNot_data()
    {
        QTest::addColumn<QByteArray>("policy");
        QTest::addColumn<int>("stage");
        QTest::addColumn<ZeroKeeps>("keeps");
        QTest::addColumn<int>("master_bytes"); // beside copies that stay, the stored shards are whole floats
        QTest::newRow("default") << QByteArray{"default"} << 3 << ZeroKeeps::root_and_last << 2;
        QTest::newRow("always") << QByteArray{"always"} << 3 << ZeroKeeps::root << 2;
        QTest::newRow("never") << QByteArray{"never"} << 2 << ZeroKeeps::root_and_last << 4;
    }
    void whatStaysGatheredIsReshardedOrNot()
    {
        QFETCH(QByteArray, policy);
        const Scenario scenario = jobRead(llamaJob("data_parallel_shard_degree = 8\n"
                                                   "fsdp_reshard_after_forward = \""
                                                   + policy + '"'))
                                      .scenario;
        QTEST(scenario.parallel.zero_stage, "stage");
        QTEST(scenario.conventions.zero3_keeps, "keeps");
        QTEST(scenario.training.master_bytes, "master_bytes");
    }

    void replicasAreDdpOrAHybridThatIsSaid()
    {
        const ScenarioReading replicas =
            jobRead(llamaJob("data_parallel_replicate_degree = 4\ndata_parallel_shard_degree = 1"));
        QCOMPARE(replicas.scenario.conventions.framework, Framework::ddp);
        QCOMPARE(replicas.scenario.parallel.zero_stage, 0);
        const ScenarioReading hybrid =
            jobRead(llamaJob("data_parallel_replicate_degree = 4\ndata_parallel_shard_degree = 8"));
        QCOMPARE(hybrid.scenario.parallel.data, std::int64_t{32});
        QVERIFY(notes(hybrid, "HSDP"));
    }

    void convertersTellThePrecision_data()
    {
        QTest::addColumn<QByteArray>("converters");
        QTest::addColumn<Precision>("precision");
        QTest::addColumn<QString>("note");
        QTest::newRow("none") << QByteArray{"[]"} << Precision::bf16 << QString{};
        QTest::newRow("a list") << QByteArray{"[\"float8\"]"} << Precision::fp8 << QString{};
        QTest::newRow("a text") << QByteArray{"\"float8\""} << Precision::fp8 << QString{};
        QTest::newRow("a longer name")
            << QByteArray{"[\"quantize.linear.float8\"]"} << Precision::fp8 << QString{};
        QTest::newRow("blocks") << QByteArray{"[\"mx\"]"} << Precision::fp8 << QString{"each block"};
        QTest::newRow("another") << QByteArray{"[\"lora\"]"} << Precision::bf16 << QString{"\"lora\""};
    }
    void convertersTellThePrecision()
    {
        QFETCH(QByteArray, converters);
        QFETCH(QString, note);
        QByteArray job = llamaJob("data_parallel_shard_degree = 8");
        job.replace("[model]\n", "[model]\nconverters = " + converters + '\n');
        const ScenarioReading reading = jobRead(job);
        QTEST(reading.scenario.training.precision, "precision");
        QVERIFY(!reading.scenario.conventions.fp8_param_gather);
        const auto gathered =
            jobRead(job + "[quantize.linear.float8]\nenable_fsdp_float8_all_gather = true\n");
        QTEST(gathered.scenario.conventions.fp8_param_gather ? Precision::fp8 : Precision::bf16, "precision");
        QVERIFY(note.isEmpty() || notes(reading, note));
    }

    void whatIsTrainedInSixteenBitsHasNoFloats()
    {
        const Training training =
            jobRead(llamaJob("data_parallel_shard_degree = 8", "dtype = \"bfloat16\"")).scenario.training;
        QCOMPARE(training.master_bytes, 0);
        QCOMPARE(training.exp_avg_bytes, 2);
    }

    void asynchronousTensorParallelismNeedsCompile()
    {
        const QByteArray layout = "data_parallel_shard_degree = 2\ntensor_parallel_degree = 4\n"
                                  "enable_async_tensor_parallel = true";
        const ScenarioReading plain = jobRead(llamaJob(layout));
        QVERIFY(!plain.scenario.conventions.tp_overlap && notes(plain, "Without compile"));
        const ScenarioReading compiled = jobRead(llamaJob(layout, {}, "[compile]\nenable = true\n"));
        QVERIFY(compiled.scenario.conventions.tp_overlap && notes(compiled, "compile: "));
        const ScenarioReading loss =
            jobRead(llamaJob(layout, {}, "[compile]\nenable = true\ncomponents = [\"loss\"]\n"));
        QVERIFY(!loss.scenario.conventions.tp_overlap);
    }

    // As they were called before 2025.
    void olderKeysAreKnown()
    {
        const Scenario scenario =
            jobRead("[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nbatch_size = 2\n"
                    "tensor_parallel_degree = 2\ndata_parallel_shard_degree = 4\n[experimental]\n"
                    "context_parallel_degree = 2\ncontext_parallel_rotate_method = "
                    "\"alltoall\"\n[float8]\nenable_float8_linear = true\n")
                .scenario;
        QCOMPARE(scenario.training.micro_batch_size, std::int64_t{2});
        QCOMPARE(scenario.parallel.tensor, std::int64_t{2});
        QCOMPARE(scenario.parallel.data, std::int64_t{4});
        QCOMPARE(scenario.parallel.context, std::int64_t{2});
        QCOMPARE(scenario.parallel.context_method, ContextMethod::ring);
        QCOMPARE(scenario.training.precision, Precision::fp8);
    }

    void anUnknownFlavorLeavesTheModel()
    {
        Scenario base;
        base.model.layers = 7;
        const ScenarioReading reading =
            jobRead("[model]\nname = \"flux\"\nflavor = \"dev\"\n[training]\nseq_len = 512\n", &base);
        QCOMPARE(reading.scenario.model.layers, std::int64_t{7});
        QCOMPARE(reading.scenario.model.sequence_length, std::int64_t{512});
        QVERIFY(notes(reading, "\"dev\" of \"flux\""));
    }

    void chunksOfLlama4AreSaidWhereThereAreSeveral()
    {
        const QByteArray job = "[model]\nname = \"llama4\"\nflavor = \"17bx16e\"\n[training]\nseq_len = ";
        QVERIFY(notes(jobRead(job + "16384\n"), "within chunks"));
        QVERIFY(!notes(jobRead(job + "8192\n"), "within chunks"));
    }

    void aCommentNamesTheCluster()
    {
        const ScenarioReading reading = jobRead("# shardscope cluster: dgx-h100\n" + llamaJob(""));
        QVERIFY(reading.assumed_cluster.empty());
        QCOMPARE(QString::fromStdString(reading.scenario.cluster.gpu),
                 QString::fromStdString(shippedPresets().cluster("dgx-h100")->cluster.gpu));
    }

    void everyFigureHasTheKeyThatTellsIt()
    {
        const auto run = runOfJobConfig(
            llamaJob("data_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 8").toStdString(),
            shippedPresets(), Scenario{});
        QVERIFY(run);
        const auto evidence = [&](const std::string& key) {
            const auto found = std::ranges::find(run.value().figures, key, &ArgumentFigure::key);
            return found == run.value().figures.end() ? QString{} : QString::fromStdString(found->evidence);
        };
        QCOMPARE(evidence("parallel.data"), QString{"parallelism.data_parallel_replicate_degree = 2, "
                                                    "parallelism.data_parallel_shard_degree = 8"});
        QCOMPARE(evidence("model.layers"), QString{"model.name = \"llama3\", model.flavor = \"70B\""});
        QCOMPARE(evidence("training.micro_batch_size"), QString{"training.local_batch_size = 8"});
        QCOMPARE(evidence("parallel.tensor"), QString{});
    }

    void wrongValuesAreNamed_data()
    {
        QTest::addColumn<QByteArray>("parallelism");
        QTest::addColumn<QString>("sentence");
        const QString read = "read as a job configuration of torchtitan: ";
        QTest::newRow("a text") << QByteArray{"tensor_parallel_degree = \"two\""}
                                << read
                                       + "parallelism.tensor_parallel_degree is \"two\"; it must be a whole "
                                         "number from 1 to 1 000 000";
        QTest::newRow("nothing") << QByteArray{"data_parallel_shard_degree = 0"}
                                 << read
                                        + "parallelism.data_parallel_shard_degree is 0; it must be -1 or a "
                                          "whole number from 1 to 1 000 000";
        QTest::newRow("another word") << QByteArray{"fsdp_reshard_after_forward = \"often\""}
                                      << read
                                             + "parallelism.fsdp_reshard_after_forward is \"often\"; it must "
                                               "be \"default\", \"always\" or \"never\"";
        QTest::newRow("another mode")
            << QByteArray{"\n[activation_checkpoint]\nmode = \"some\""}
            << read
                   + "activation_checkpoint.mode is \"some\"; it must be \"none\", \"selective\", \"full\" "
                     "or \"memory_budget\"";
        QTest::newRow("a slip") << QByteArray{"tensor_parallel_degree = "}
                                << read + "this is not TOML: line 14, column ";
        QTest::newRow("a key twice") << QByteArray{"tensor_parallel_degree = 2\ntensor_parallel_degree = 4"}
                                     << read + "this is not TOML: line 15, column ";
    }
    void wrongValuesAreNamed()
    {
        QFETCH(QByteArray, parallelism);
        QFETCH(QString, sentence);
        const QString refusal = jobRefused(llamaJob(parallelism));
        QVERIFY2(refusal.startsWith(sentence), qPrintable(refusal));
    }

    void batchesThatDoNotComeOutAreNamed()
    {
        const QString refusal =
            jobRefused(llamaJob("data_parallel_shard_degree = 4", "global_batch_size = 100"));
        QVERIFY2(refusal.contains("a multiple of local_batch_size * replicas (32)"), qPrintable(refusal));
    }

    void jobsAreKnownByTheirKeys_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("is_job");
        QTest::newRow("a flavor") << QByteArray{"[model]\nflavor = \"8B\"\n"} << true;
        QTest::newRow("a degree alone")
            << QByteArray{"# more\n\n[parallelism]\ntensor_parallel_degree = 2\n"} << true;
        QTest::newRow("with a slip") << QByteArray{"[model]\nflavor = \"8B\"\n[training\n"} << true;
        QTest::newRow("a project of Python") << QByteArray{"[project]\nname = \"torchtitan\"\n"} << false;
        QTest::newRow("a flavor of something else") << QByteArray{"[ice]\nflavor = \"lemon\"\n"} << false;
        QTest::newRow("JSON") << QByteArray{R"({"model": {"flavor": "8B"}})"} << false;
        QTest::newRow("a list of JSON") << QByteArray{"[1, 2]"} << false;
        QTest::newRow("a script") << QByteArray{"TP=2\ntorchrun train.py --tensor_parallel_degree=2\n"}
                                  << false;
        QTest::newRow("nothing") << QByteArray{} << false;
    }
    void jobsAreKnownByTheirKeys()
    {
        QFETCH(QByteArray, text);
        QTEST(isMeantAsJobConfig(text.toStdString()), "is_job");
        QVERIFY(!isMeantAsJobConfig(text.toStdString()) || looksLikeScenario(text.toStdString()));
    }

    void nestingWithoutEndIsRefused()
    {
        const QByteArray deep = "[model]\nflavor = \"8B\"\nlist = " + QByteArray(100'000, '[');
        QVERIFY(!jobRefused(deep).isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestJobConfig)
#include "tst_job_config.moc"
