#include <QTest>

#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/json_text.h"

#include <nlohmann/json.hpp>

using namespace shardscope;
using nlohmann::json;

namespace
{

json parsed(const QByteArray& text)
{
    const auto root = parseJson(text.toStdString());
    if (!root)
        qFatal("%s", root.error().sentence.c_str());
    return root.value();
}

QString notesOf(const QByteArray& text)
{
    QStringList lines;
    for (const std::string& note : readDeepSpeedSettings(parsed(text)).notes)
        lines << QString::fromStdString(note);
    return lines.join('\n');
}

} // namespace

class TestDeepSpeedSettings : public QObject
{
    Q_OBJECT
private slots:
    void configurationsAreToldFromOtherJson_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("is_one");
        QTest::newRow("ZeRO") << QByteArray(R"({"zero_optimization": {"stage": 2}})") << true;
        QTest::newRow("a batch") << QByteArray(R"({"train_batch_size": 8, "steps_per_print": 1})") << true;
        QTest::newRow("a format") << QByteArray(R"({"bf16": {"enabled": "auto"}})") << true;
        QTest::newRow("a format's name alone") << QByteArray(R"({"bf16": true})") << false;
        QTest::newRow("arguments of a trainer")
            << QByteArray(R"({"gradient_accumulation_steps": 2, "per_device_train_batch_size": 1})") << false;
        QTest::newRow("how far a trainer is")
            << QByteArray(R"({"train_batch_size": 4, "global_step": 9, "log_history": []})") << false;
        QTest::newRow("a scenario") << QByteArray(R"({"training": {}, "zero_optimization": {"stage": 1}})")
                                    << false;
        QTest::newRow("nothing") << QByteArray("{}") << false;
        QTest::newRow("a list") << QByteArray(R"(["zero_optimization"])") << false;
    }
    void configurationsAreToldFromOtherJson()
    {
        QFETCH(QByteArray, text);
        QTEST(isDeepSpeedConfig(parsed(text)), "is_one");
    }

    void whatNoScenarioSaysIsNamed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("named");
        const auto row = [](const char* text, const char* named) {
            QTest::newRow(named) << QByteArray(text) << QString(named);
        };
        row(R"({"zero_optimization": {"stage": 3, "zero_hpz_partition_size": 8}})",
            "zero_optimization.zero_hpz_partition_size: ");
        row(R"({"zero_optimization": {"stage": 3, "zero_quantized_weights": true}})",
            "zero_optimization.zero_quantized_weights: ");
        row(R"({"zero_optimization": {"stage": 3, "zero_quantized_gradients": true}})",
            "zero_optimization.zero_quantized_gradients: ");
        row(R"({"zero_optimization": {"stage": 3, "mics_shard_size": 8}})",
            "zero_optimization.mics_shard_size: ");
        row(R"({"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}})",
            "zero_optimization.offload_param: Weights are predicted to stay on the GPUs.");
        row(R"({"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme"}}})",
            "zero_optimization.offload_optimizer.device: ");
        row(R"({"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "ratio": 0.5}}})",
            "zero_optimization.offload_optimizer.ratio: ");
        row(R"({"zero_optimization": {"stage": 0, "offload_optimizer": {"device": "cpu"}}})",
            "zero_optimization.offload_optimizer: Without ZeRO it has no effect");
        row(R"({"zero_optimization": {"stage": 2, "allgather_bucket_size": 2e8}})",
            "zero_optimization.allgather_bucket_size: ");
        row(R"({"torch_autocast": {"enabled": true}})", "torch_autocast.enabled: ");
        row(R"({"activation_checkpointing": {"cpu_checkpointing": true}})",
            "activation_checkpointing.cpu_checkpointing: ");
        row(R"({"pipeline": {"activation_checkpoint_interval": 2}})",
            "pipeline.activation_checkpoint_interval: ");
        row(R"({"elasticity": {"enabled": true}})", "elasticity.enabled: ");
        row(R"({"sparse_attention": {"mode": "fixed"}})", "sparse_attention: ");
        row(R"({"optimizer": {"type": "Lion"}})", "The optimizer Lion is taken to store what Adam does.");
        row(R"({"optimizer": {"type": "OneBitAdam"}})", "Messages that OneBitAdam compresses");
        row(R"({"optimizer": {"type": "onebitadam"}})", "Messages that onebitadam compresses");
        row(R"({"bf16": {"enabled": true}, "fp16": {"enabled": true}})",
            "fp16 and bf16 are both on, which DeepSpeed refuses; bf16 is taken.");
        row(R"({"bf16": {"enabled": "auto"}, "train_batch_size": "auto"})",
            "What is \"auto\" is left to what starts the run, and stays as it is: train_batch_size, "
            "bf16.enabled.");
    }
    void whatNoScenarioSaysIsNamed()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, named);
        const QString notes = notesOf(text);
        QVERIFY2(notes.startsWith(named), qPrintable(notes));
        QVERIFY2(!notes.contains('\n'), qPrintable(notes));
    }

    // As Hugging Face's and DeepSpeed's own examples have them.
    void whatHasNoEffectHereIsPassedOver_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char* name, const char* text) { QTest::newRow(name) << QByteArray(text); };
        row("stage 2",
            R"({"fp16": {"enabled": true, "loss_scale": 0, "loss_scale_window": 1000, "hysteresis": 2,
                "initial_scale_power": 16, "min_loss_scale": 1}, "optimizer": {"type": "AdamW", "params":
                {"lr": "auto", "betas": "auto", "weight_decay": "auto"}}, "scheduler": {"type": "WarmupLR",
                "params": {"warmup_num_steps": "auto"}}, "zero_optimization": {"stage": 2,
                "offload_optimizer": {"device": "none", "pin_memory": true}, "allgather_partitions": true,
                "allgather_bucket_size": 5e8, "overlap_comm": true, "reduce_scatter": true,
                "reduce_bucket_size": 2e8, "contiguous_gradients": true, "round_robin_gradients": true},
                "gradient_clipping": "auto", "steps_per_print": 2000, "wall_clock_breakdown": false})");
        row("stage 3",
            R"({"zero_optimization": {"stage": 3, "offload_param": {"device": "none"}, "sub_group_size": 1e9,
                "stage3_prefetch_bucket_size": "auto", "stage3_param_persistence_threshold": "auto",
                "stage3_max_live_parameters": 1e9, "stage3_gather_16bit_weights_on_model_save": true,
                "zero_hpz_partition_size": 1, "zero_quantized_weights": false}})");
        row("what only stage 3 has", R"({"zero_optimization": {"stage": 1, "zero_quantized_weights": true,
                "zero_hpz_partition_size": 8, "offload_param": {"device": "cpu"}}})");
        row("what is off", R"({"fp16": false, "zero_optimization": {"offload_optimizer": false},
                "elasticity": {"enabled": false}, "sparse_gradients": false, "amp": {"enabled": false}})");
        row("names in any case",
            R"({"optimizer": {"type": "ADAM"}, "fp16": {"enabled": true}, "data_types":
                {"grad_accum_dtype": "half"}})");
        row("what is unknown", R"({"a": [[[1]]], "zero_optimization": {"stage": 1, "b": {"c": null}}})");
    }
    void whatHasNoEffectHereIsPassedOver()
    {
        QFETCH(QByteArray, text);
        QCOMPARE(notesOf(text), QString{});
    }

    void whatIsOfAnotherTypeIsLeftOutAndSaid_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("note");
        const auto row = [](const char* text, const char* note) {
            QTest::newRow(text) << QByteArray(text) << QString(note);
        };
        row(R"({"train_batch_size": "eight"})",
            R"(train_batch_size is "eight", not a whole number; it is left out.)");
        row(R"({"train_batch_size": 0})", "train_batch_size is 0, not a whole number; it is left out.");
        row(R"({"train_batch_size": 1.5})", "train_batch_size is 1.5, not a whole number; it is left out.");
        row(R"({"train_batch_size": 5e9})",
            "train_batch_size is 5000000000.0, not a number of samples or ranks; it is left out.");
        row(R"({"train_batch_size": 1e300})",
            "train_batch_size is 1e+300, not a whole number; it is left out.");
        row(R"({"zero_optimization": {"stage": 7}})",
            "zero_optimization.stage is 7, not 0, 1, 2 or 3; it is left out.");
        row(R"({"zero_optimization": [1]})", "zero_optimization is a list, not an object; it is left out.");
        row(R"({"bf16": "yes"})", R"(bf16 is "yes", not an object; it is left out.)");
        row(R"({"data_types": {"grad_accum_dtype": "int8"}})",
            R"(data_types.grad_accum_dtype is "int8", not fp32, fp16 or bf16; it is left out.)");
        row(R"({"zero_optimization": {"overlap_comm": 1}})",
            "zero_optimization.overlap_comm is 1, not true or false; it is left out.");
        row(R"({"zero_optimization": {"stage": 1, "offload_optimizer": {"device": "?"}}})",
            R"(zero_optimization.offload_optimizer.device is "?", not cpu, nvme or none; it is left out.)");
        row(R"({"optimizer": {"type": {}}})", "optimizer.type is an object, not text; it is left out.");
    }
    void whatIsOfAnotherTypeIsLeftOutAndSaid()
    {
        QFETCH(QByteArray, text);
        QTEST(notesOf(text), "note");
    }

    void theSwitchOfEarlyVersionsIsStageOne()
    {
        QCOMPARE(readDeepSpeedSettings(parsed(R"({"zero_optimization": true})")).zero_stage,
                 std::optional{1});
        QCOMPARE(readDeepSpeedSettings(parsed(R"({"zero_optimization": false})")).zero_stage,
                 std::optional{0});
        QCOMPARE(notesOf(R"({"zero_optimization": true})"), QString{});
    }

    void expertsAreOneRanksUnlessTold_data()
    {
        QTest::addColumn<QByteArray>("size");
        QTest::addColumn<int>("ranks"); // 0: what there are stays
        QTest::newRow("left out") << QByteArray("") << 1;
        QTest::newRow("told") << QByteArray(R"(, "autoep_size": 4)") << 4;
        QTest::newRow("auto") << QByteArray(R"(, "autoep_size": "auto")") << 0;
        QTest::newRow("refused") << QByteArray(R"(, "autoep_size": "4")") << 0;
    }
    void expertsAreOneRanksUnlessTold()
    {
        QFETCH(QByteArray, size);
        const auto settings =
            readDeepSpeedSettings(parsed(R"({"expert_parallel": {"enabled": true)" + size + "}}"));
        QTEST(int(settings.expert.value_or(0)), "ranks");
    }

    // Every value of a whole configuration becomes each of these in turn.
    void anyValueMayStandAnywhere()
    {
        const json whole = parsed(
            R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1,
                "bf16": {"enabled": true}, "fp16": {"enabled": true}, "data_types": {"grad_accum_dtype": "fp32"},
                "communication_data_type": "fp32", "optimizer": {"type": "Adam"}, "sequence_parallel_size": 2,
                "tensor_parallel": {"autotp_size": 2, "tp_overlap_comm": true}, "sparse_gradients": true,
                "expert_parallel": {"enabled": true, "autoep_size": 2}, "elasticity": {"enabled": true},
                "pipeline": {"pipe_partitioned": true, "activation_checkpoint_interval": 1},
                "zero_optimization": {"stage": 3, "reduce_bucket_size": 5e8, "overlap_comm": true,
                "reduce_scatter": true, "offload_optimizer": {"device": "cpu", "ratio": 1.0},
                "offload_param": {"device": "cpu"}, "mics_shard_size": 2, "zero_hpz_partition_size": 2}})");
        json deep = 1;
        for (int i = 0; i < 20; ++i)
            deep = json::array({deep});
        const std::vector<json> odd{nullptr,
                                    true,
                                    "",
                                    "auto",
                                    "\xff",
                                    -1,
                                    0,
                                    0.5,
                                    1e308,
                                    -1e308,
                                    18446744073709551615ULL,
                                    json::array(),
                                    json::object(),
                                    deep};
        std::vector<json::json_pointer> places;
        const json flat = whole.flatten();
        for (const auto& [place, value] : flat.items())
            places.emplace_back(place);
        for (const auto& [key, value] : whole.items())
            places.emplace_back("/" + key);
        for (const auto& place : places)
            for (const json& value : odd) {
                json config = whole;
                config[place] = value;
                for (const std::string& note : readDeepSpeedSettings(config).notes)
                    QVERIFY(note.ends_with('.') && note.size() < 300);
            }
        for (const json& value : odd)
            readDeepSpeedSettings(value);
    }
};

QTEST_APPLESS_MAIN(TestDeepSpeedSettings)
#include "tst_deepspeed_settings.moc"
