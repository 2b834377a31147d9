#include <QTest>

#include "core/prediction/model/model_parameters.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"

#include <algorithm>

using namespace shardscope;

namespace
{

ScenarioReading readText(const char* text)
{
    auto reading = readScenario(text, Presets{});
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return std::move(reading).value();
}

QString refusal(const char* text)
{
    const auto reading = readScenario(text, Presets{});
    return reading ? QString{} : QString::fromStdString(reading.error().sentence);
}

} // namespace

// config.json of Hugging Face models, with the keys that they are published with.
class TestHuggingFaceConfig : public QObject
{
    Q_OBJECT
private slots:
    void windowsOfAttentionAreRead_data()
    {
        QTest::addColumn<QByteArray>("keys");
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("full_every");
        QTest::addColumn<QByteArray>("warning"); // empty: none
        const auto row = [](const char* name, const char* keys, int window, int full_every,
                            const char* warning = "") {
            QTest::newRow(name) << QByteArray{keys} << window << full_every << QByteArray{warning};
        };
        row("none", R"("model_type": "llama")", 0, 0);
        row("Mistral's first", R"("model_type": "mistral", "sliding_window": 4096)", 4096, 0);
        row("Mistral's next", R"("model_type": "mistral", "sliding_window": null)", 0, 0);
        row("Gemma 2", R"("model_type": "gemma2", "sliding_window": 4096)", 4096, 2);
        row("Gemma 3", R"("model_type": "gemma3_text", "sliding_window": 512, "sliding_window_pattern": 6)",
            512, 6);
        row("each attends to all",
            R"("model_type": "gemma3_text", "sliding_window": 512, "sliding_window_pattern": 1)", 0, 0);
        row("gpt-oss", R"("model_type": "gpt_oss", "sliding_window": 128,
                          "layer_types": ["sliding_attention", "full_attention",
                                          "sliding_attention", "full_attention"])",
            128, 2);
        row("the full ones first", R"("model_type": "mistral", "sliding_window": 128,
                                      "layer_types": ["full_attention", "sliding_attention",
                                                      "full_attention", "sliding_attention"])",
            128, 2, "layer_types: the 2 of 4 layers that attend to all tokens are taken to be every 2.");
        row("listed, and none has one", R"("model_type": "mistral", "sliding_window": 128,
                                           "layer_types": ["full_attention", "full_attention"])",
            0, 0);
        row("Qwen2's, which are off", R"("model_type": "qwen2", "sliding_window": 4096)", 0, 0);
        row("Qwen2's, turned on",
            R"("model_type": "qwen2", "sliding_window": 4096, "use_sliding_window": true,
                                     "max_window_layers": 2)",
            4096, 0, "max_window_layers: the first 2 layers attend to all tokens");
        row("Qwen2's, behind all layers",
            R"("model_type": "qwen2", "sliding_window": 2048, "use_sliding_window": true,
                                             "max_window_layers": 4)",
            0, 0);
        row("Gemma 3 without a pattern", R"("model_type": "gemma3_text", "sliding_window": 512)", 512, 6);
        row("chunks", R"("model_type": "llama", "attention_chunk_size": 1024)", 0, 0,
            "attention_chunk_size: attention within chunks of 1024 tokens is counted as if to all tokens");
    }
    void windowsOfAttentionAreRead()
    {
        QFETCH(QByteArray, keys);
        QFETCH(QByteArray, warning);
        const ScenarioReading reading = readText(
            R"({"num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 4,
                "intermediate_size": 512, "vocab_size": 1000, "max_position_embeddings": 4096, )"
            + keys + "}");
        QTEST(static_cast<int>(reading.scenario.model.sliding_window), "window");
        QTEST(static_cast<int>(reading.scenario.model.full_attention_every), "full_every");
        const auto names = [&](const std::string& one) {
            return QString::fromStdString(one).contains(QString{warning});
        };
        QVERIFY(warning.isEmpty() || std::ranges::any_of(reading.warnings, names));
        QVERIFY(validate(reading.scenario).empty());
    }

    // The number of parameters that each model is published with: its weights' index, or its model card.
    void modelsHaveTheirPublishedParameters_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<qint64>("parameters");
        QTest::newRow("GPT-2") << QByteArray(
            R"({"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": )"
            R"(1024, "vocab_size": 50257})")
                               << qint64{124439808};
        QTest::newRow("Llama 2 7B") << QByteArray(
            R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, )"
            R"("num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 11008, )"
            R"("vocab_size": 32000, "max_position_embeddings": 4096, "tie_word_embeddings": false, )"
            R"("torch_dtype": "float16"})")
                                    << qint64{6738415616};
        QTest::newRow("Mistral 7B") << QByteArray(
            R"({"model_type": "mistral", "num_hidden_layers": 32, "hidden_size": 4096, )"
            R"("num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, )"
            R"("vocab_size": 32000, "max_position_embeddings": 32768})")
                                    << qint64{7241732096};
        QTest::newRow("Mixtral 8x7B") << QByteArray(
            R"({"model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096, )"
            R"("num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, )"
            R"("vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2, )"
            R"("max_position_embeddings": 32768})")
                                      << qint64{46702792704};
        QTest::newRow("Qwen2 7B") << QByteArray(
            R"({"model_type": "qwen2", "num_hidden_layers": 28, "hidden_size": 3584, )"
            R"("num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944, )"
            R"("vocab_size": 152064, "max_position_embeddings": 131072, "tie_word_embeddings": )"
            R"(false})") << qint64{7615616512};
        QTest::newRow("Qwen3 8B") << QByteArray(
            R"({"model_type": "qwen3", "num_hidden_layers": 36, "hidden_size": 4096, )"
            R"("num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, )"
            R"("intermediate_size": 12288, "vocab_size": 151936, "tie_word_embeddings": false})")
                                  << qint64{8190735360};
        QTest::newRow("Qwen3 30B-A3B")
            << QByteArray(R"({"model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048, )"
                          R"("num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, )"
                          R"("intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, )"
                          R"("num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [], )"
                          R"("vocab_size": 151936, "tie_word_embeddings": false})")
            << qint64{30532122624};
        QTest::newRow("Gemma 7B") << QByteArray(
            R"({"model_type": "gemma", "num_hidden_layers": 28, "hidden_size": 3072, )"
            R"("num_attention_heads": 16, "num_key_value_heads": 16, "head_dim": 256, )"
            R"("intermediate_size": 24576, "vocab_size": 256000})")
                                  << qint64{8537680896};
        QTest::newRow("Gemma 2B") << QByteArray(
            R"({"model_type": "gemma", "num_hidden_layers": 18, "hidden_size": 2048, )"
            R"("num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 256, )"
            R"("intermediate_size": 16384, "vocab_size": 256000})")
                                  << qint64{2506172416};
        QTest::newRow("Gemma 2 2B") << QByteArray(
            R"({"model_type": "gemma2", "num_hidden_layers": 26, "hidden_size": 2304, )"
            R"("num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, )"
            R"("intermediate_size": 9216, "vocab_size": 256000})")
                                    << qint64{2614341888};
        QTest::newRow("Gemma 3 1B") << QByteArray(
            R"({"model_type": "gemma3_text", "num_hidden_layers": 26, "hidden_size": 1152, )"
            R"("num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256, )"
            R"("intermediate_size": 6912, "vocab_size": 262144})")
                                    << qint64{999885952};
        QTest::newRow("DeepSeek-V2-Lite") << QByteArray(
            R"({"model_type": "deepseek_v2", "num_hidden_layers": 27, "hidden_size": 2048, )"
            R"("num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 10944, )"
            R"("vocab_size": 102400, "q_lora_rank": null, "kv_lora_rank": 512, "qk_nope_head_dim": )"
            R"(128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 64, )"
            R"("n_shared_experts": 2, "num_experts_per_tok": 6, "moe_intermediate_size": 1408, )"
            R"("first_k_dense_replace": 1, "moe_layer_freq": 1, "topk_method": "greedy"})")
                                          << qint64{15706484224};
        QTest::newRow("DeepSeek-V3") << QByteArray(
            R"({"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, )"
            R"("num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432, )"
            R"("vocab_size": 129280, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": )"
            R"(128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 256, )"
            R"("n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048, )"
            R"("first_k_dense_replace": 3, "moe_layer_freq": 1, "topk_method": "noaux_tc"})")
                                     << qint64{671026419200};
        QTest::newRow("BERT base") << QByteArray(
            R"({"model_type": "bert", "num_hidden_layers": 12, "hidden_size": 768, )"
            R"("num_attention_heads": 12, "intermediate_size": 3072, "vocab_size": 30522, )"
            R"("max_position_embeddings": 512, "type_vocab_size": 2})")
                                   << qint64{110106428};
        QTest::newRow("T5 base") << QByteArray(
            R"({"model_type": "t5", "num_layers": 12, "d_model": 768, "num_heads": 12, "d_kv": 64, )"
            R"("d_ff": 3072, "vocab_size": 32128, "n_positions": 512})")
                                 << qint64{222903552};
        QTest::newRow("Flan-T5 base") << QByteArray(
            R"({"model_type": "t5", "num_layers": 12, "num_decoder_layers": 12, "d_model": 768, )"
            R"("num_heads": 12, "d_kv": 64, "d_ff": 2048, "vocab_size": 32128, "feed_forward_proj": )"
            R"("gated-gelu", "tie_word_embeddings": false})")
                                      << qint64{247577856};
        QTest::newRow("Pythia 6.9B") << QByteArray(
            R"({"model_type": "gpt_neox", "num_hidden_layers": 32, "hidden_size": 4096, )"
            R"("num_attention_heads": 32, "intermediate_size": 16384, "vocab_size": 50432, )"
            R"("max_position_embeddings": 2048})")
                                     << qint64{6857302016};
        QTest::newRow("BLOOM 560M") << QByteArray(
            R"({"model_type": "bloom", "n_layer": 24, "hidden_size": 1024, "n_head": 16, )"
            R"("vocab_size": 250880})")
                                    << qint64{559214592};
        QTest::newRow("BLOOM 560M, with its first name of the hidden size")
            << QByteArray(R"({"model_type": "bloom", "n_layer": 24, "n_embed": 1024, "n_head": 16, )"
                          R"("vocab_size": 250880})")
            << qint64{559214592};
        QTest::newRow("Qwen1.5-MoE-A2.7B") << QByteArray(
            R"({"model_type": "qwen2_moe", "num_hidden_layers": 24, "hidden_size": 2048, "num_attention_heads": 16,
                "num_key_value_heads": 16, "intermediate_size": 5632, "moe_intermediate_size": 1408,
                "shared_expert_intermediate_size": 5632, "num_experts": 60, "num_experts_per_tok": 4,
                "decoder_sparse_step": 1, "vocab_size": 151936, "tie_word_embeddings": false})")
                                           << qint64{14315784192};
        QTest::newRow("Phi-2") << QByteArray(
            R"({"model_type": "phi", "num_hidden_layers": 32, "hidden_size": 2560, "num_attention_heads": 32,
                "intermediate_size": 10240, "vocab_size": 51200, "max_position_embeddings": 2048,
                "qk_layernorm": false, "tie_word_embeddings": false})")
                               << qint64{2779683840};
        QTest::newRow("Phi-3 mini") << QByteArray(
            R"({"model_type": "phi3", "num_hidden_layers": 32, "hidden_size": 3072, "num_attention_heads": 32,
                "num_key_value_heads": 32, "intermediate_size": 8192, "vocab_size": 32064,
                "max_position_embeddings": 4096, "tie_word_embeddings": false})")
                                    << qint64{3821079552};
        QTest::newRow("Falcon 7B") << QByteArray(
            R"({"model_type": "falcon", "num_hidden_layers": 32, "hidden_size": 4544, "num_attention_heads": 71,
                "multi_query": true, "parallel_attn": true, "new_decoder_architecture": false, "bias": false,
                "alibi": false, "vocab_size": 65024})")
                                   << qint64{6921720704};
        QTest::newRow("Falcon 40B") << QByteArray(
            R"({"model_type": "falcon", "num_hidden_layers": 60, "hidden_size": 8192,
                "num_attention_heads": 128, "num_kv_heads": 8, "parallel_attn": true,
                "new_decoder_architecture": true, "bias": false, "vocab_size": 65024})")
                                    << qint64{41303293952};
        QTest::newRow("StarCoder") << QByteArray(
            R"({"model_type": "gpt_bigcode", "n_layer": 40, "n_embd": 6144, "n_head": 48, "n_inner": 24576,
                "n_positions": 8192, "multi_query": true, "vocab_size": 49152})")
                                   << qint64{15517456384};
        QTest::newRow("StarCoder2 3B") << QByteArray(
            R"({"model_type": "starcoder2", "num_hidden_layers": 30, "hidden_size": 3072,
                "num_attention_heads": 24, "num_key_value_heads": 2, "intermediate_size": 12288,
                "use_bias": true, "vocab_size": 49152, "max_position_embeddings": 16384})")
                                       << qint64{3030371328};
        QTest::newRow("MPT 7B") << QByteArray(
            R"({"model_type": "mpt", "n_layers": 32, "d_model": 4096, "n_heads": 32, "expansion_ratio": 4,
                "max_seq_len": 2048, "no_bias": true, "vocab_size": 50432})")
                                << qint64{6649286656};
        QTest::newRow("StableLM 3B 4E1T") << QByteArray(
            R"({"model_type": "stablelm", "num_hidden_layers": 32, "hidden_size": 2560,
                "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 6912,
                "use_qkv_bias": false, "vocab_size": 50304, "tie_word_embeddings": false})")
                                          << qint64{2795443200};
        QTest::newRow("OLMo 7B") << QByteArray(
            R"({"model_type": "olmo", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
                "num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 50304,
                "tie_word_embeddings": false})")
                                 << qint64{6888095744};
        QTest::newRow("Command R") << QByteArray(
            R"({"model_type": "cohere", "num_hidden_layers": 40, "hidden_size": 8192, "num_attention_heads": 64,
                "num_key_value_heads": 64, "intermediate_size": 22528, "vocab_size": 256000,
                "use_qk_norm": false})")
                                   << qint64{34980831232};
        QTest::newRow("InternLM2 7B") << QByteArray(
            R"({"model_type": "internlm2", "num_hidden_layers": 32, "hidden_size": 4096,
                "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "bias": false,
                "vocab_size": 92544, "tie_word_embeddings": false})")
                                      << qint64{7737708544};
        // 12 layers of 7,087,872, 50,272 words, 2,048 of 2,050 positions, a final norm: 125,239,296
        // published.
        QTest::newRow("OPT 125M without two rows") << QByteArray(
            R"({"model_type": "opt", "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12,
                "ffn_dim": 3072, "vocab_size": 50272, "max_position_embeddings": 2048,
                "word_embed_proj_dim": 768, "do_layer_norm_before": true})")
                                                   << qint64{125239296 - 2 * 768};
        // 48 layers: attention 62,914,560, 17 experts of 125,829,120, router 81,920, norms 10,240.
        QTest::newRow("Llama 4 Scout, text") << QByteArray(
            R"({"model_type": "llama4", "text_config": {"model_type": "llama4_text", "num_hidden_layers": 48,
                "hidden_size": 5120, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128,
                "intermediate_size": 8192, "intermediate_size_mlp": 16384, "num_local_experts": 16,
                "num_experts_per_tok": 1, "interleave_moe_layer_step": 1, "attention_bias": false,
                "vocab_size": 202048, "tie_word_embeddings": false}})")
                                             << qint64{107769861120};
    }
    void modelsHaveTheirPublishedParameters()
    {
        QFETCH(QByteArray, config);
        const ScenarioReading reading = readText(config.constData());
        QCOMPARE(reading.source, ScenarioSource::model_config);
        QTEST(qint64{countParameters(reading.scenario.model).total}, "parameters");
        const std::vector<Problem> problems = validate(reading.scenario);
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().sentence.c_str());
    }

    void multiTokenPredictionIsReadAndSaid_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<qint64>("modules");
        QTest::newRow("one module") << QByteArray{R"(, "num_nextn_predict_layers": 1)"} << qint64{1};
        QTest::newRow("none") << QByteArray{R"(, "num_nextn_predict_layers": 0)"} << qint64{0};
        QTest::newRow("no word of it") << QByteArray{} << qint64{0};
    }
    void multiTokenPredictionIsReadAndSaid()
    {
        QFETCH(QByteArray, key);
        QFETCH(qint64, modules);
        const QByteArray sizes =
            R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 128, "num_attention_heads": 4,
                "vocab_size": 1000, "max_position_embeddings": 2048)";
        const ScenarioReading reading = readText((sizes + key + "}").constData());
        QCOMPARE(reading.scenario.model.mtp_layers, modules);
        QCOMPARE(reading.warnings.size(), static_cast<std::size_t>(modules));
    }

    void longContextsAreCutAndSaid()
    {
        const ScenarioReading reading = readText(
            R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 128, "num_attention_heads": 4,
                "vocab_size": 1000, "max_position_embeddings": 131072})");
        QCOMPARE(reading.scenario.model.sequence_length, std::int64_t{4096});
        QCOMPARE(reading.warnings.size(), std::size_t{1});
        QVERIFY(reading.warnings.front().find("131 072") != std::string::npos);
    }

    void theTextPartOfAModelOfSeveralKindsIsRead()
    {
        const ScenarioReading reading = readText(
            R"({"model_type": "mistral3", "text_config": {"model_type": "mistral", "num_hidden_layers": 2,
                "hidden_size": 128, "num_attention_heads": 4, "vocab_size": 1000}})");
        QCOMPARE(reading.scenario.model.layers, std::int64_t{2});
        QCOMPARE(reading.warnings.size(), std::size_t{1});
    }

    void weightsTellThePrecision()
    {
        const char* half = R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 128, "n_head": 4,
                               "vocab_size": 1000, "torch_dtype": "float16"})";
        QCOMPARE(readText(half).scenario.training.precision, Precision::fp16);
    }

    void otherArchitecturesAreNamed()
    {
        const QString sentence = refusal(R"({"model_type": "mamba", "hidden_size": 5})");
        QVERIFY2(sentence.contains("mamba") && sentence.contains("llama"), qPrintable(sentence));
    }

    // 20,914,757,184 published; a router's bias for each of 32 experts and a sink for each of 64 heads are
    // not counted, which the only warning beside the sequence's says.
    void gptOssSaysWhatItLeavesOut()
    {
        const ScenarioReading reading = readText(
            R"({"model_type": "gpt_oss", "num_hidden_layers": 24, "hidden_size": 2880, "num_attention_heads": 64,
                "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "num_local_experts": 32,
                "num_experts_per_tok": 4, "vocab_size": 201088, "attention_bias": true})");
        QCOMPARE(qint64{countParameters(reading.scenario.model).total}, qint64{20914757184} - 24 * (32 + 64));
        QCOMPARE(reading.warnings.size(), std::size_t{1});
    }

    void configurationsWithoutATypeAreToldSo()
    {
        QVERIFY(
            refusal(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 8})").contains("model_type"));
    }

    void narrowEmbeddingsAreRefused()
    {
        QVERIFY(refusal(R"({"model_type": "opt", "num_hidden_layers": 24, "hidden_size": 1024,
                            "num_attention_heads": 16, "ffn_dim": 4096, "vocab_size": 50272,
                            "word_embed_proj_dim": 512, "do_layer_norm_before": false})")
                    .contains("word_embed_proj_dim"));
    }

    void whatIsMissingOrOfAnotherTypeIsNamed()
    {
        QVERIFY(refusal(R"({"model_type": "llama", "num_hidden_layers": 2})").contains("hidden_size"));
        QVERIFY(
            refusal(R"({"model_type": "gpt2", "n_layer": "two", "n_embd": 8, "n_head": 1, "vocab_size": 9})")
                .contains("n_layer"));
        QVERIFY(!refusal(R"({"model_type": 3})").isEmpty());
        // Absurd sizes are read and refused by validate().
        const ScenarioReading absurd = readText(
            R"({"model_type": "qwen2", "num_hidden_layers": -1, "hidden_size": 0, "num_attention_heads": 0,
                "vocab_size": 9223372036854775807})");
        QVERIFY(!validate(absurd.scenario).empty());
    }

    void aScenarioStaysOne()
    {
        QCOMPARE(readText(R"({"model": {"layers": 2}})").source, ScenarioSource::scenario);
    }
};

QTEST_APPLESS_MAIN(TestHuggingFaceConfig)
#include "tst_hugging_face_config.moc"
