#include <QTest>

#include "core/prediction/model/model_parameters.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"

#include <algorithm>

using namespace shardscope;

namespace
{

ScenarioReading configRead(const QByteArray& config)
{
    auto reading = readScenario(config.toStdString(), Presets{});
    if (!reading)
        qFatal("%s", reading.error().sentence.c_str());
    return std::move(reading).value();
}

QString configRefused(const QByteArray& config)
{
    const auto reading = readScenario(config.toStdString(), Presets{});
    return reading ? QString{} : QString::fromStdString(reading.error().sentence);
}

bool warns(const ScenarioReading& reading, const char* of)
{
    return std::ranges::any_of(reading.warnings,
                               [&](const std::string& one) { return one.find(of) != std::string::npos; });
}

const QByteArray glm45 =
    R"({"model_type": "glm4_moe", "num_hidden_layers": 92, "hidden_size": 5120, "num_attention_heads": 96,
        "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 12288, "moe_intermediate_size": 1536,
        "n_routed_experts": 160, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3,
        "n_group": 1, "topk_group": 1, "num_nextn_predict_layers": 1, "attention_bias": true,
        "use_qk_norm": true, "vocab_size": 151552, "tie_word_embeddings": false,
        "max_position_embeddings": 131072})";
const QByteArray glm45_air =
    R"({"model_type": "glm4_moe", "num_hidden_layers": 46, "hidden_size": 4096, "num_attention_heads": 96,
        "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 10944, "moe_intermediate_size": 1408,
        "n_routed_experts": 128, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 1,
        "n_group": 1, "topk_group": 1, "num_nextn_predict_layers": 1, "attention_bias": true,
        "use_qk_norm": false, "vocab_size": 151552, "tie_word_embeddings": false,
        "max_position_embeddings": 131072})";
const QByteArray olmo2_7b =
    R"({"model_type": "olmo2", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
        "num_key_value_heads": 32, "intermediate_size": 11008, "vocab_size": 100352, "attention_bias": false,
        "max_position_embeddings": 4096, "tie_word_embeddings": false})";
const QByteArray olmo2_13b =
    R"({"model_type": "olmo2", "num_hidden_layers": 40, "hidden_size": 5120, "num_attention_heads": 40,
        "num_key_value_heads": 40, "intermediate_size": 13824, "vocab_size": 100352, "attention_bias": false,
        "max_position_embeddings": 4096, "tie_word_embeddings": false})";
const QByteArray olmo2_32b =
    R"({"model_type": "olmo2", "num_hidden_layers": 64, "hidden_size": 5120, "num_attention_heads": 40,
        "num_key_value_heads": 8, "intermediate_size": 27648, "vocab_size": 100352, "attention_bias": false,
        "max_position_embeddings": 4096, "tie_word_embeddings": false})";
const QByteArray dbrx =
    R"({"model_type": "dbrx", "n_layers": 40, "d_model": 6144, "n_heads": 48, "max_seq_len": 32768,
        "vocab_size": 100352, "attn_config": {"kv_n_heads": 8, "clip_qkv": 8, "rope_theta": 500000},
        "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
        "tie_word_embeddings": false})";
const QByteArray phi35_moe =
    R"({"model_type": "phimoe", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
        "num_key_value_heads": 8, "intermediate_size": 6400, "num_local_experts": 16,
        "num_experts_per_tok": 2, "attention_bias": true, "lm_head_bias": true, "vocab_size": 32064,
        "tie_word_embeddings": false, "max_position_embeddings": 131072})";

} // namespace

// Families whose config.json says more than a scenario does, and those that are refused for what it cannot
// say.
class TestHuggingFaceFamilies : public QObject
{
    Q_OBJECT
private slots:
    // The sum of their weights' index (safetensors), without what the notes say is left out.
    void modelsHaveTheParametersOfTheirWeights_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<qint64>("published");
        QTest::addColumn<qint64>("left_out");
        // The index has copies of both tables for the module of multi-token prediction, which training
        // shares.
        QTest::newRow("GLM-4.5") << glm45 << qint64{358337791296} << 2 * qint64{151552} * 5120;
        QTest::newRow("GLM-4.5-Air") << glm45_air << qint64{110468824832} << 2 * qint64{151552} * 4096;
        // Norms of queries and keys, but for one head of each.
        QTest::newRow("OLMo 2 7B") << olmo2_7b << qint64{7298617344} << qint64{32} * (32 + 32 - 2) * 128;
        QTest::newRow("OLMo 2 13B") << olmo2_13b << qint64{13716198400} << qint64{40} * (40 + 40 - 2) * 128;
        QTest::newRow("OLMo 2 32B") << olmo2_32b << qint64{32234279936} << qint64{64} * (40 + 8 - 2) * 128;
        QTest::newRow("DBRX") << dbrx << qint64{131596523520} << qint64{0};
        // Biases of what attention returns.
        QTest::newRow("Phi-3.5-MoE") << phi35_moe << qint64{41873153344} << qint64{32} * 4096;
    }
    void modelsHaveTheParametersOfTheirWeights()
    {
        QFETCH(QByteArray, config);
        QFETCH(qint64, published);
        QFETCH(qint64, left_out);
        const ScenarioReading reading = configRead(config);
        QCOMPARE(qint64{countParameters(reading.scenario.model).total}, published - left_out);
        const std::vector<Problem> problems = validate(reading.scenario);
        QVERIFY2(problems.empty(), problems.empty() ? "" : problems.front().sentence.c_str());
    }

    // As their makers round them: the technical report of GLM-4.5 (Table 1, which counts multi-token
    // prediction but no tables of words), Databricks' announcement of DBRX, Phi-3's report (section 5).
    void activeParametersAreThePublishedOnes_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<qint64>("tables");
        QTest::addColumn<double>("billions");
        QTest::addColumn<double>("rounding");
        QTest::newRow("GLM-4.5") << glm45 << 2 * qint64{151552} * 5120 << 32.0 << 0.5;
        QTest::newRow("GLM-4.5-Air") << glm45_air << 2 * qint64{151552} * 4096 << 12.0 << 0.5;
        QTest::newRow("DBRX") << dbrx << qint64{0} << 36.0 << 0.5;
        QTest::newRow("Phi-3.5-MoE") << phi35_moe << qint64{0} << 6.6 << 0.05;
    }
    void activeParametersAreThePublishedOnes()
    {
        QFETCH(QByteArray, config);
        QFETCH(qint64, tables);
        QFETCH(double, billions);
        QFETCH(double, rounding);
        const qint64 active = countParameters(configRead(config).scenario.model).active - tables;
        QVERIFY2(qAbs(static_cast<double>(active) / 1e9 - billions) <= rounding,
                 qPrintable(QString::number(active)));
    }

    void glmRoutesAsDeepSeekDoes()
    {
        const Model model = configRead(glm45).scenario.model;
        QVERIFY(model.experts.routing_bias && model.qkv_bias && model.qk_norm && !model.linear_bias);
        QCOMPARE(model.experts.first, std::int64_t{3});
        QCOMPARE(model.experts.shared, std::int64_t{1});
        QCOMPARE(model.mtp_layers, std::int64_t{1});
        QVERIFY(!configRead(glm45_air).scenario.model.qk_norm);
    }

    void whatIsLeftOutIsSaid()
    {
        QVERIFY(warns(configRead(olmo2_7b), "over all heads"));
        QVERIFY(warns(configRead(phi35_moe), "attention_bias"));
        QByteArray without = phi35_moe;
        without.replace(R"("attention_bias": true)", R"("attention_bias": false)");
        QVERIFY(!warns(configRead(without), "attention_bias"));
    }

    void dbrxNamesTheObjectOfAWrongValue_data()
    {
        QTest::addColumn<QByteArray>("right");
        QTest::addColumn<QByteArray>("wrong");
        QTest::addColumn<QString>("named");
        QTest::newRow("a text for a number")
            << QByteArray{R"("moe_top_k": 4)"} << QByteArray{R"("moe_top_k": "four")"}
            << QString{"ffn_config.moe_top_k is \"four\"; it must be a whole number"};
        QTest::newRow("a number for an object")
            << QByteArray{R"({"kv_n_heads": 8, "clip_qkv": 8, "rope_theta": 500000})"} << QByteArray{"8"}
            << QString{"attn_config is 8; it must be an object"};
    }
    void dbrxNamesTheObjectOfAWrongValue()
    {
        QFETCH(QByteArray, right);
        QFETCH(QByteArray, wrong);
        QByteArray config = dbrx;
        config.replace(right, wrong);
        QTEST(configRefused(config), "named");
    }

    void longContextsOfDbrxAreCut()
    {
        QCOMPARE(configRead(dbrx).scenario.model.sequence_length, std::int64_t{4096});
        QVERIFY(warns(configRead(dbrx), "sequence_length"));
    }

    // As Gemma 3 4B's file has it: a layer has 94,382,592 parameters, and with 262,208 words they are
    // the 3.88 billion of its report.
    void aModelWithinAnotherLeavesOutWhatIsUsual()
    {
        const ScenarioReading reading = configRead(
            R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 2560,
                "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}})");
        const Model& model = reading.scenario.model;
        QCOMPARE(countParameters(model).total, std::int64_t{34} * 94'382'592 + 2'560 + 262'208 * 2'560);
        QCOMPARE(model.kv_heads, 4);
        QVERIFY(warns(reading, "text_config leaves out what transformers has by default, which is taken: "
                               "head_dim 256"));
        QVERIFY(warns(reading, "only the text model is read"));
    }

    void othersAreToldWhatTheirLayersAre_data()
    {
        QTest::addColumn<QString>("layers");
        QTest::newRow("minimax") << QString{"lightning attention"};
        QTest::newRow("kimi_linear") << QString{"Kimi delta attention"};
        QTest::newRow("jamba") << QString{"Mamba-1"};
        QTest::newRow("mamba") << QString{"Mamba-1"};
        QTest::newRow("zamba2") << QString{"blocks that several layers share"};
        QTest::newRow("falcon_h1") << QString{"attention and a recurrence side by side"};
        QTest::newRow("lfm2") << QString{"short convolutions"};
    }
    void othersAreToldWhatTheirLayersAre()
    {
        QFETCH(QString, layers);
        const QByteArray type = QTest::currentDataTag();
        const QString sentence = configRefused(R"({"model_type": ")" + type + R"(", "hidden_size": 2048})");
        QVERIFY2(sentence.contains(type) && sentence.contains(layers) && sentence.contains("cannot predict"),
                 qPrintable(sentence));
    }
};

QTEST_APPLESS_MAIN(TestHuggingFaceFamilies)
#include "tst_hugging_face_families.moc"
