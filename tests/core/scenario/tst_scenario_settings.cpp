#include <QTest>

#include "core/base/resources.h"
#include "core/scenario/scenario_settings.h"

#include <algorithm>

using namespace shardscope;

namespace
{

constexpr std::string_view small_script =
    "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 128 "
    "--micro-batch-size 1 --global-batch-size 64\n";

} // namespace

class TestScenarioSettings : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { m_presets = Presets::load(resourcesFolder() / "presets").value(); }

    void aScenarioIsReadAsIfItsFileHadThem_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("settings");
        QTest::addColumn<QByteArray>("same");
        QTest::newRow("a key without its section")
            << QByteArray{"{}"} << QByteArray{"tensor=4"} << QByteArray{R"({"parallel": {"tensor": 4}})"};
        QTest::newRow("whole keys, words, numbers and truth")
            << QByteArray{R"({"parallel": {"data": 2}})"}
            << QByteArray{"training.recompute=full,parallel.data=8,sequence_parallel=true,cluster.mu=0.5"}
            << QByteArray{R"({"training": {"recompute": "full"},
                              "parallel": {"data": 8, "sequence_parallel": true}, "cluster": {"mu": 0.5}})"};
        QTest::newRow("blanks, and a comma in quotes")
            << QByteArray{"{}"} << QByteArray{" tensor = 4 , name=\"a, [b\""}
            << QByteArray{"{\"name\": \"a, [b\", \"parallel\": {\"tensor\": 4}}"};
        QTest::newRow("what is no UTF-8")
            << QByteArray{"{}"} << QByteArray{"name=\xff"} << QByteArray{"{\"name\": \"\xef\xbf\xbd\"}"};
        QTest::newRow("degrees by their short names")
            << QByteArray{"{}"} << QByteArray{"tp=2,pp=3,dp=4,cp=5,ep=6"}
            << QByteArray{R"({"parallel": {"tensor": 2, "pipeline": 3, "data": 4, "context": 5,
                                           "expert": 6}})"};
        QTest::newRow("a list") << QByteArray{R"({"model": {"layers": 4}})"}
                                << QByteArray{"stage_layers=[1,3],pipeline=2"}
                                << QByteArray{R"({"model": {"layers": 4},
                              "parallel": {"pipeline": 2, "stage_layers": [1, 3]}})"};
        QTest::newRow("a list of words")
            << QByteArray{"{}"} << QByteArray{"recompute=selective,recompute_modules=[moe_act, core_attn]"}
            << QByteArray{R"({"training": {"recompute": "selective",
                              "recompute_modules": ["core_attn", "moe_act"]}})"};
        QTest::newRow("a word for a list of one")
            << QByteArray{"{}"} << QByteArray{"recompute=selective,recompute_modules=mlp"}
            << QByteArray{R"({"training": {"recompute": "selective", "recompute_modules": ["mlp"]}})"};
        QTest::newRow("what is left out follows")
            << QByteArray{R"({"model": {"layers": 4, "hidden_size": 1024, "attention_heads": 16}})"}
            << QByteArray{"hidden_size=2048,virtual_stages=2,pipeline=2"}
            << QByteArray{R"({"model": {"layers": 4, "hidden_size": 2048, "attention_heads": 16},
                              "parallel": {"pipeline": 2, "virtual_stages": 2}})"};
        QTest::newRow("a preset") << QByteArray{R"({"cluster": {"preset": "dgx-a100"}})"}
                                  << QByteArray{"cluster.preset=dgx-h100,model.preset=gpt3-175b"}
                                  << QByteArray{R"({"model": {"preset": "gpt3-175b"},
                                                    "cluster": {"preset": "dgx-h100"}})"};
        QTest::newRow("a section that is null")
            << QByteArray{R"({"cluster": {"preset": "dgx-a100", "effective_GBps": null}})"}
            << QByteArray{"cluster.effective_GBps.tp=7"}
            << QByteArray{R"({"cluster": {"preset": "dgx-a100", "effective_GBps": {"tp": 7}}})"};
    }
    void aScenarioIsReadAsIfItsFileHadThem()
    {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, settings);
        QFETCH(QByteArray, same);
        const auto parsed = ScenarioSettings::parse(settings.toStdString());
        QVERIFY2(parsed, parsed ? "" : parsed.error().sentence.c_str());
        auto set = readScenario(parsed.value().inText(file.toStdString()), m_presets);
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        QCOMPARE(written(set.value()), written(readScenario(same.toStdString(), m_presets).value()));
        // Nothing is left to do for the reading.
        const std::string before = written(set.value());
        QVERIFY(parsed.value().applyTo(set.value(), m_presets, Replaced::nothing));
        QCOMPARE(written(set.value()), before);
    }

    void ofAScriptTheFiguresAreSetAndConventionsFollow()
    {
        ScenarioReading reading = readScenario(small_script, m_presets).value();
        const auto settings =
            ScenarioSettings::parse("data=4,zero_stage=1,cluster.inter_node.bandwidth_GBps=7,"
                                    "report_loss=false")
                .value();
        QVERIFY(settings.applyTo(reading, m_presets, Replaced::nothing));
        const Scenario& scenario = reading.scenario;
        QCOMPARE(scenario.parallel.data, 4);
        QCOMPARE(scenario.parallel.zero_stage, 1);
        QCOMPARE(scenario.training.global_batch_size, 64);
        QCOMPARE(scenario.cluster.inter_node.bandwidth_GBps, 7.0);
        QVERIFY(!scenario.conventions.report_loss);
        QCOMPARE(scenario.model.hidden_size, 512);
    }

    // What a file tells of a replica is so many times the batch; a batch that is set has the last word.
    void theBatchOfAReplicaStays_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("settings");
        QTest::addColumn<qlonglong>("batch");
        const QByteArray job = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n"
                               "local_batch_size = 2\n[parallelism]\ndata_parallel_shard_degree = -1\n";
        const QByteArray script = "torchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 "
                                  "--num-attention-heads 8 --seq-length 128 --micro-batch-size 3\n";
        const QByteArray deepspeed =
            R"({"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 5, "zero_optimization": {"stage": 1}})";
        QTest::newRow("a job") << job << QByteArray{"data=16"} << 32LL;
        QTest::newRow("a job's global batch") << job << QByteArray{"data=16,global_batch_size=64"} << 64LL;
        QTest::newRow("a script without one") << script << QByteArray{"data=16"} << 48LL;
        QTest::newRow("a script with one")
            << QByteArray{small_script.data()} << QByteArray{"data=16"} << 64LL;
        QTest::newRow("a job's micro-batch") << job << QByteArray{"data=16,micro_batch_size=3"} << 48LL;
        QTest::newRow("DeepSpeed's passes") << deepspeed << QByteArray{"data=16"} << 160LL;
    }
    void theBatchOfAReplicaStays()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, settings);
        ScenarioReading reading = readScenario(text.toStdString(), m_presets).value();
        QVERIFY(ScenarioSettings::parse(settings.toStdString())
                    .value()
                    .applyTo(reading, m_presets, Replaced::nothing));
        QCOMPARE(reading.scenario.parallel.data, 16);
        QTEST(static_cast<qlonglong>(reading.scenario.training.global_batch_size), "batch");
    }

    // The flag alone decides in Megatron-LM; a file without it would have it by default.
    void argumentsSayWhatOverlapsByLeavingItOut()
    {
        const std::string script{small_script.substr(0, small_script.size() - 1)};
        ScenarioReading reading = readScenario(script + " --bf16 --fp8-format hybrid\n", m_presets).value();
        QVERIFY(ScenarioSettings::parse("zero_stage=1,data=4")
                    .value()
                    .applyTo(reading, m_presets, Replaced::nothing));
        QVERIFY(!reading.scenario.conventions.fp8_param_gather && !reading.scenario.conventions.dp_overlap);
        QVERIFY(std::ranges::none_of(reading.warnings, [](const std::string& warning) {
            return warning.starts_with("On how many GPUs");
        }));
    }

    void ofAModelAllElseFollows()
    {
        const QByteArray model = R"({"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 256,
                                     "num_attention_heads": 4, "intermediate_size": 512, "vocab_size": 1000})";
        ScenarioReading reading = readScenario(model.toStdString(), m_presets).value();
        QVERIFY(ScenarioSettings::parse("framework=fsdp,data=4")
                    .value()
                    .applyTo(reading, m_presets, Replaced::nothing));
        QCOMPARE(reading.scenario.parallel.zero_stage, 3);
        QCOMPARE(reading.scenario.conventions.memory_measure, MemoryMeasure::reserved);
        QCOMPARE(reading.scenario.model.hidden_size, 256);
    }

    void figuresOfAnotherClusterAreSetOnIt()
    {
        const auto settings = ScenarioSettings::parse("tensor=2,cluster.gpus_per_node=4").value();
        ScenarioReading reading = readScenario(settings.inText("{}"), m_presets).value();
        replaceCluster(reading, readCluster(R"({"preset": "dgx-h100"})", m_presets).value());
        QCOMPARE(reading.scenario.cluster.gpus_per_node, 8);
        QVERIFY(settings.applyTo(reading, m_presets, Replaced::cluster));
        QCOMPARE(reading.scenario.cluster.gpus_per_node, 4);
        QCOMPARE(reading.scenario.cluster.gpu, std::string{"H100-SXM5-80GB"});
    }

    void aNameAloneIsNotChanged()
    {
        ScenarioReading reading = readScenario(small_script, m_presets).value();
        const auto settings = ScenarioSettings::parse("model.preset=gpt3-175b").value();
        const auto set = settings.applyTo(reading, m_presets, Replaced::nothing);
        QVERIFY(!set);
        QVERIFY2(set.error().sentence.starts_with("model.preset names figures that the file has already"),
                 set.error().sentence.c_str());
    }

    void textsThatAreNoScenarioStay_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("a script") << QByteArray{"torchrun pretrain_gpt.py --num-layers 4\n"};
        QTest::newRow("a slip") << QByteArray{R"({"model": {)"};
        QTest::newRow("a trace") << QByteArray{R"({"traceEvents": []})"};
        QTest::newRow("DeepSpeed's") << QByteArray{R"({"zero_optimization": {"stage": 1}})"};
        QTest::newRow("a list") << QByteArray{"[1]"};
    }
    void textsThatAreNoScenarioStay()
    {
        QFETCH(QByteArray, text);
        const auto settings = ScenarioSettings::parse("tensor=2").value();
        QCOMPARE(QByteArray::fromStdString(settings.inText(text.toStdString())), text);
    }

    void mistakesAreToldInASentence_data()
    {
        QTest::addColumn<QByteArray>("settings");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("nothing") << QByteArray{} << QByteArray{"\"\" sets nothing: give keys"};
        QTest::newRow("no value") << QByteArray{"tensor="} << QByteArray{"\"tensor=\" sets nothing"};
        QTest::newRow("no key") << QByteArray{"=4"} << QByteArray{"\"=4\" sets nothing"};
        QTest::newRow("a comma too many") << QByteArray{"tensor=4,"} << QByteArray{"\"\" sets nothing"};
        QTest::newRow("misspelt") << QByteArray{
            "tnsor=4"} << QByteArray{"tnsor is not a known key; the nearest one is parallel.tensor"};
        QTest::newRow("a section") << QByteArray{"parallel={\"data\": 2}"}
                                   << QByteArray{"parallel is a section; set its keys one by one, as in"};
        QTest::newRow("a bracket alone")
            << QByteArray{"name=[x,tensor=4"} << QByteArray{"\"name=[x,tensor=4\" opens or closes"};
        QTest::newRow("quotes alone")
            << QByteArray{"name=\"x,tensor=4"} << QByteArray{"\"name=\"x,tensor=4\""};
        QTest::newRow("twice") << QByteArray{"tensor=4,parallel.tensor=2"}
                               << QByteArray{"parallel.tensor is set twice"};
        QTest::newRow("of two sections")
            << QByteArray{"bandwidth_GBps=4"}
            << QByteArray{"bandwidth_GBps may be cluster.intra_node.bandwidth_GBps or "
                          "cluster.inter_node.bandwidth_GBps; write one of them whole"};
    }
    void mistakesAreToldInASentence()
    {
        QFETCH(QByteArray, settings);
        QFETCH(QByteArray, sentence);
        const auto parsed = ScenarioSettings::parse(settings.toStdString());
        QVERIFY(!parsed);
        QVERIFY2(parsed.error().sentence.starts_with(sentence.toStdString()),
                 parsed.error().sentence.c_str());
    }

private:
    static std::string written(const ScenarioReading& reading) { return writeScenario(reading.scenario); }

    Presets m_presets;
};

QTEST_APPLESS_MAIN(TestScenarioSettings)
#include "tst_scenario_settings.moc"
