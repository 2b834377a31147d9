#include <QTest>

#include "core/prediction/model/model_parameters.h"
#include "core/scenario/layer_form_words.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/shipped_presets.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

using namespace shardscope;
using nlohmann::json;

namespace
{

ScenarioReading configRead(const json& config)
{
    auto reading = readScenario(config.dump(), shipped());
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return std::move(reading).value();
}

QString configRefused(const json& config)
{
    const auto reading = readScenario(config.dump(), Presets{});
    return reading ? QString{} : QString::fromStdString(reading.error().sentence);
}

bool warns(const ScenarioReading& reading, const char* of)
{
    return std::ranges::any_of(reading.warnings,
                               [&](const std::string& one) { return one.find(of) != std::string::npos; });
}

std::string patternOf(const json& config)
{
    return layerPatternText(configRead(config).scenario.model.layer_pattern);
}

json with(json config, const json& others)
{
    config.update(others);
    return config;
}

json nemotron(const std::string& letters, int hidden_size, int mlp)
{
    return {{"model_type", "nemotron_h"},
            {"num_hidden_layers", letters.size()},
            {"hybrid_override_pattern", letters},
            {"hidden_size", hidden_size},
            {"intermediate_size", mlp},
            {"num_attention_heads", 32},
            {"num_key_value_heads", 8},
            {"attention_head_dim", 128},
            {"mamba_num_heads", 128},
            {"mamba_head_dim", 64},
            {"n_groups", 8},
            {"ssm_state_size", 128},
            {"conv_kernel", 4},
            {"expand", 2},
            {"use_conv_bias", true},
            {"use_bias", false},
            {"mlp_bias", false},
            {"attention_bias", false},
            {"mlp_hidden_act", "relu2"},
            {"sliding_window", nullptr},
            {"vocab_size", 131072},
            {"max_position_embeddings", 8192},
            {"tie_word_embeddings", false}};
}

// Its recurrences are not twice as wide as hidden_size: the family passes expand over.
json nemotronNano()
{
    return with(nemotron("MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", 2688, 1856),
                {{"num_key_value_heads", 2},
                 {"mamba_num_heads", 64},
                 {"n_routed_experts", 128},
                 {"num_experts_per_tok", 6},
                 {"moe_intermediate_size", 1856},
                 {"moe_shared_expert_intermediate_size", 3712},
                 {"n_shared_experts", 1},
                 {"n_group", 1},
                 {"topk_group", 1}});
}

json qwen3Next()
{
    return {{"model_type", "qwen3_next"},
            {"num_hidden_layers", 48},
            {"hidden_size", 2048},
            {"num_attention_heads", 16},
            {"num_key_value_heads", 2},
            {"head_dim", 256},
            {"intermediate_size", 5632},
            {"moe_intermediate_size", 512},
            {"shared_expert_intermediate_size", 512},
            {"num_experts", 512},
            {"num_experts_per_tok", 10},
            {"decoder_sparse_step", 1},
            {"mlp_only_layers", json::array()},
            {"full_attention_interval", 4},
            {"linear_conv_kernel_dim", 4},
            {"linear_key_head_dim", 128},
            {"linear_value_head_dim", 128},
            {"linear_num_key_heads", 16},
            {"linear_num_value_heads", 32},
            {"vocab_size", 151936},
            {"max_position_embeddings", 4096}};
}

json granite(int hidden_size, int heads, int kv_heads, int experts, int per_token, int width, int shared)
{
    json layers = json::array();
    for (int i = 0; i < 40; ++i)
        layers.push_back(i % 10 == 5 ? "attention" : "mamba");
    return {{"model_type", "granitemoehybrid"},
            {"num_hidden_layers", 40},
            {"layer_types", layers},
            {"hidden_size", hidden_size},
            {"num_attention_heads", heads},
            {"num_key_value_heads", kv_heads},
            {"num_local_experts", experts},
            {"num_experts_per_tok", per_token},
            {"intermediate_size", width},
            {"shared_intermediate_size", shared},
            {"mamba_n_heads", hidden_size / 32},
            {"mamba_d_head", 64},
            {"mamba_n_groups", 1},
            {"mamba_d_state", 128},
            {"mamba_expand", 2},
            {"position_embedding_type", "nope"},
            {"vocab_size", 100352},
            {"max_position_embeddings", 4096},
            {"tie_word_embeddings", true}};
}

json bamba()
{
    return {{"model_type", "bamba"},      {"num_hidden_layers", 32},   {"hidden_size", 4096},
            {"intermediate_size", 14336}, {"num_attention_heads", 32}, {"num_key_value_heads", 8},
            {"mamba_d_state", 128},       {"mamba_d_head", "auto"},    {"attn_layer_indices", {9, 18, 27}},
            {"vocab_size", 128256}};
}

// All but four keys are what transformers has by default.
json codestral()
{
    return {
        {"model_type", "mamba2"}, {"num_hidden_layers", 64}, {"hidden_size", 4096}, {"vocab_size", 32768}};
}

} // namespace

// Families some of whose layers have a recurrence in the place of attention.
class TestHuggingFaceHybrids : public QObject
{
    Q_OBJECT
private slots:
    // Published: Nemotron-H 8B (released weights), Codestral Mamba 7B (model card), Nemotron 3.5 Lightning
    // (released weights, with a module of multi-token prediction). The others are sums over the tensors that
    // transformers makes.
    void modelsHaveTheParametersOfTheirTensors_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<qint64>("parameters");
        const auto row = [](const char* name, const json& config, qint64 parameters) {
            QTest::newRow(name) << QByteArray::fromStdString(config.dump()) << parameters;
        };
        row("Nemotron-H 8B", nemotron("M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-", 4096, 21504),
            8100852736);
        const json large{{"num_attention_heads", 64}, {"mamba_num_heads", 256}, {"ssm_state_size", 256}};
        row("Nemotron-H 47B",
            with(
                nemotron("M-M-M-M-M-M-M-M-M*-M-M-M-M-M-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-M-M---MM---"
                         "M-M*-M-M-M-M-M-",
                         8192, 30720),
                large),
            46791554816);
        row("Nemotron-H 56B",
            with(nemotron(
                     "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M"
                     "*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-",
                     8192, 32768),
                 large),
            56324350464);
        row("Nemotron Nano 9B v2",
            with(nemotron("M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-", 4480, 15680),
                 {{"num_attention_heads", 40}, {"mamba_head_dim", 80}}),
            8888227328);
        row("Nemotron 3 Nano", nemotronNano(), 31577940288);
        row("Nemotron 3.5 Lightning", with(nemotronNano(), {{"num_nextn_predict_layers", 1}}), 32913266240);
        row("Qwen3-Next", qwen3Next(), 79674391296);
        row("Granite 4.0 H Small", granite(4096, 32, 8, 72, 10, 768, 1536), 32207337984);
        row("Granite 4.0 H Tiny", granite(1536, 12, 4, 64, 6, 512, 1024), 6939037248);
        row("Granite 4.0 H Micro", granite(2048, 32, 8, 0, 0, 8192, 8192), 3191396096);
        row("Bamba", bamba(), 9780235392);
        row("Codestral Mamba 7B", codestral(), 7285403648);
    }
    void modelsHaveTheParametersOfTheirTensors()
    {
        QFETCH(QByteArray, config);
        const ScenarioReading reading = configRead(json::parse(config.toStdString()));
        QTEST(qint64{countParameters(reading.scenario.model).total}, "parameters");
        const std::vector<Problem> problems = validate(reading.scenario);
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().sentence.c_str());
    }

    // Their makers round to 3.6 (Nemotron 3 Nano, tables of words among them), 3 and 9 billion.
    void activeParametersAreThePublishedOnes()
    {
        const auto billions = [](const json& config) {
            return static_cast<double>(countParameters(configRead(config).scenario.model).active) / 1e9;
        };
        QVERIFY(qAbs(billions(nemotronNano()) - 3.6) < 0.05);
        QVERIFY(qAbs(billions(qwen3Next()) - 2 * 151936 * 2048 / 1e9 - 3.0) < 0.5);
        QVERIFY(qAbs(billions(granite(4096, 32, 8, 72, 10, 768, 1536)) - 9.0) < 0.5);
    }

    void layersAreThePatternThatTheyRepeat_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("pattern");
        const auto row = [](const char* name, const json& config, const char* pattern) {
            QTest::newRow(name) << QByteArray::fromStdString(config.dump()) << QString{pattern};
        };
        const json layers{{"num_hidden_layers", 8}};
        const json eight = with(qwen3Next(), layers);
        row("an interval", eight, "ME ME ME *E");
        row("a shorter interval", with(eight, {{"full_attention_interval", 2}}), "ME *E");
        row("attention in all", with(eight, {{"full_attention_interval", 1}}), "");
        row("a list",
            with(eight, {{"num_hidden_layers", 2}, {"layer_types", {"full_attention", "linear_attention"}}}),
            "*E ME");
        row("each second with experts", with(eight, {{"decoder_sparse_step", 2}}), "M- ME M- *E");
        row("an MLP in the first", with(eight, {{"mlp_only_layers", {0}}}), "M- ME ME *E ME ME ME *E");
        row("no experts", with(eight, {{"num_experts", 0}}), "M- M- M- *-");
        row("a part more", with(qwen3Next(), {{"num_hidden_layers", 10}}), "ME ME ME *E");
        row("letters", nemotron("M-M-*-", 1024, 4096), "M - M - * -");
        row("letters over and over", nemotron("M-*-M-*-", 1024, 4096), "M - * -");
        json listed = nemotron("", 1024, 4096);
        listed.erase("num_hidden_layers");
        listed.erase("hybrid_override_pattern");
        row("the number of layers is the list's",
            with(listed, {{"layers_block_type", {"linear_attention", "mlp", "attention", "moe"}}}),
            "M - * E");
        json granite_without = granite(2048, 32, 8, 0, 0, 8192, 8192);
        granite_without.erase("layer_types");
        row("not listed", granite_without, "M-");
        row("Bamba", with(bamba(), {{"num_hidden_layers", 4}, {"attn_layer_indices", {1, 3}}}), "M- *-");
        row("Mamba-2", codestral(), "M");
    }
    void layersAreThePatternThatTheyRepeat()
    {
        QFETCH(QByteArray, config);
        QTEST(QString::fromStdString(patternOf(json::parse(config.toStdString()))), "pattern");
    }

    void presetsAreTheirConfigurations()
    {
        const auto isPreset = [](json config, const char* preset, std::int64_t length) {
            Model model = configRead(config).scenario.model;
            model.sequence_length = length;
            Model shipped_one = shipped().model(preset)->model;
            shipped_one.preset.clear();
            return model == shipped_one;
        };
        QVERIFY(isPreset(nemotronNano(), "nemotron-3-nano-30b-a3b", 8192));
        QVERIFY(isPreset(qwen3Next(), "qwen3-next-80b-a3b", 4096));
        QVERIFY(isPreset(granite(4096, 32, 8, 72, 10, 768, 1536), "granite-4-h-small", 4096));
    }

    void blocksAreAsTheFamilyHasThem()
    {
        const Model nano = configRead(nemotronNano()).scenario.model;
        QVERIFY(!nano.gated_mlp && nano.experts.routing_bias && !nano.experts.shared_gate);
        QCOMPARE(nano.position_embedding, PositionEmbedding::none);
        QCOMPARE(nano.experts.shared, std::int64_t{2});
        const Model qwen = configRead(qwen3Next()).scenario.model;
        QVERIFY(qwen.attention_gate && qwen.qk_norm && qwen.gated_mlp && qwen.experts.shared_gate);
        QCOMPARE(qwen.recurrence.kind, RecurrenceKind::gated_delta_net);
        json config = granite(2048, 32, 8, 0, 0, 8192, 8192);
        QCOMPARE(configRead(config).scenario.model.position_embedding, PositionEmbedding::none);
        config["position_embedding_type"] = "rope";
        QCOMPARE(configRead(config).scenario.model.position_embedding, PositionEmbedding::rope);
        QCOMPARE(configRead(bamba()).scenario.model.recurrence.value_dim, std::int64_t{64});
        config["layer_types"] = json(40, "attention");
        QVERIFY(configRead(config).scenario.model.recurrence == Recurrence{});
    }

    void whatIsLeftOutIsSaid()
    {
        const json small = nemotron("M-*-", 1024, 4096);
        QCOMPARE(configRead(with(small, {{"max_position_embeddings", 4096}})).warnings.size(),
                 std::size_t{0});
        QVERIFY(warns(configRead(with(small, {{"use_conv_bias", false}})), "use_conv_bias"));
        QVERIFY(warns(configRead(with(small, {{"use_bias", true}})), "use_bias"));
        QVERIFY(warns(configRead(with(small, {{"mlp_bias", true}})), "mlp_bias"));
        QVERIFY(warns(configRead(with(small, {{"attention_bias", true}})), "attention_bias"));
        const ScenarioReading windows = configRead(with(small, {{"sliding_window", 128}}));
        QVERIFY(warns(windows, "sliding_window is passed over"));
        QCOMPARE(windows.scenario.model.sliding_window, std::int64_t{0});
        QVERIFY(warns(configRead(with(qwen3Next(), {{"shared_expert_intermediate_size", 700}})),
                      "shared_expert_intermediate_size is no multiple of moe_intermediate_size"));
        const json modules{{"num_nextn_predict_layers", 1}, {"mtp_hybrid_override_pattern", "ME"}};
        QVERIFY(warns(configRead(with(nemotronNano(), modules)), "mtp_hybrid_override_pattern"));
    }

    void whatCannotBeReadIsNamed_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, const json& config, const char* sentence) {
            QTest::newRow(name) << QByteArray::fromStdString(config.dump()) << QString{sentence};
        };
        const json small = nemotron("M-*-", 1024, 4096);
        json bare = small;
        bare.erase("hybrid_override_pattern");
        row("no layers", bare, "does not say what its layers are");
        row("an empty text", with(small, {{"hybrid_override_pattern", ""}}), "add hybrid_override_pattern");
        row("another letter", with(small, {{"hybrid_override_pattern", "M-X-"}}),
            "hybrid_override_pattern has \"X\"; its letters are M, *, - and E");
        row("half a letter", with(small, {{"hybrid_override_pattern", "M-ä"}}),
            "hybrid_override_pattern has");
        row("a number for letters", with(small, {{"hybrid_override_pattern", 4}}), "it must be text");
        row("fewer letters", with(small, {{"hybrid_override_pattern", "M-"}}),
            "hybrid_override_pattern has 2 layers, and num_hidden_layers is 4");
        row("a text for a list", with(small, {{"layers_block_type", "M-*-"}}), "it must be a list");
        row("no word", with(small, {{"layers_block_type", {"mamba", 3, "mlp", "mlp"}}}),
            "layers_block_type has 3; known are attention");
        row("another word", with(small, {{"layers_block_type", {"conv", "mlp", "mlp", "mlp"}}}),
            "layers_block_type has \"conv\"");
        row("a latent space", with(nemotronNano(), {{"moe_latent_size", 1024}}), "latent space");
        row("fewer words", with(granite(2048, 32, 8, 0, 0, 8192, 8192), {{"layer_types", {"mamba"}}}),
            "layer_types has 1 layers, and num_hidden_layers is 40");
        row("one block of a family of two", with(qwen3Next(), {{"layer_types", {"mlp"}}}),
            "layer_types has \"mlp\"");
        row("heads of another width", with(bamba(), {{"mamba_d_head", 32}}),
            "mamba_n_heads times mamba_d_head is 4096, and mamba_expand times hidden_size is 8192");
        row("a text for a width", with(bamba(), {{"mamba_d_head", "wide"}}), "mamba_d_head is \"wide\"");
        row("a layer that is not there", with(bamba(), {{"attn_layer_indices", {9, 32}}}),
            "attn_layer_indices has 32, and there are 32 layers, counted from 0 on");
        row("a layer before the first", with(bamba(), {{"attn_layer_indices", {-1}}}), "has -1");
        row("a layer by name", with(bamba(), {{"attn_layer_indices", {"first"}}}), "has \"first\"");
        row("a number for a list", with(qwen3Next(), {{"mlp_only_layers", 3}}), "it must be a list");
        row("no interval", with(qwen3Next(), {{"full_attention_interval", 0}}), "must be at least 1");
    }
    void whatCannotBeReadIsNamed()
    {
        QFETCH(QByteArray, config);
        QFETCH(QString, sentence);
        const QString refused = configRefused(json::parse(config.toStdString()));
        QVERIFY2(refused.contains(sentence), qPrintable(refused));
    }

    // By the reader or by validate(), and without lists as long as that.
    void absurdSizesAreRefused()
    {
        const auto isTaken = [](const json& config) {
            const auto reading = readScenario(config.dump(), Presets{});
            return reading && validate(reading.value().scenario).empty();
        };
        const json small = nemotron("M-*-", 1024, 4096);
        QVERIFY(isTaken(small) && isTaken(bamba()));
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        for (const std::int64_t absurd : {most, std::int64_t{0}, -most - 1}) {
            const json layers{{"num_hidden_layers", absurd}};
            QVERIFY(!isTaken(with(qwen3Next(), layers)) && !isTaken(with(codestral(), layers)));
            QVERIFY(!isTaken(with(bamba(), layers)));
            QVERIFY(!isTaken(with(small, {{"mamba_num_heads", absurd}})));
            QVERIFY(!isTaken(with(bamba(), {{"mamba_expand", absurd}})));
            QVERIFY(!isTaken(with(codestral(), {{"head_dim", absurd}})));
        }
    }

    // Python writes what JSON has no number for, as in Mamba-2's files.
    void infinityIsReadPast()
    {
        std::string config = with(codestral(), {{"time_step_limit", "limit"}, {"a", "-limit"}}).dump();
        for (const char* quoted : {"\"limit\"", "\"-limit\""}) {
            const std::string plain{quoted};
            config.replace(config.find(plain), plain.size(), plain[1] == '-' ? "-Infinity" : "Infinity");
        }
        config.insert(1, "\"_name_or_path\": \"to \\\"Infinity\", ");
        const auto reading = readScenario(config, Presets{});
        QVERIFY2(reading, reading ? "" : reading.error().sentence.c_str());
        QCOMPARE(reading.value().scenario.name, std::string{"to \"Infinity"});
        const auto broken = readScenario(R"({"model_type": "mamba2", "limit": Infinity, })", Presets{});
        QVERIFY(!broken && broken.error().sentence.find("column 45") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestHuggingFaceHybrids)
#include "tst_hugging_face_hybrids.moc"
