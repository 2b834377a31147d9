#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/report/launch/launch_export.h"
#include "tests/core/report/launch/written_scenario.h"

using namespace shardscope;

namespace
{

QJsonObject objectOf(const Result<std::string>& text)
{
    if (!text)
        qFatal("%s", text.error().sentence.c_str());
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text.value()), &error);
    if (error.error != QJsonParseError::NoError)
        qFatal("%s", qPrintable(error.errorString()));
    return document.object();
}

} // namespace

class TestDeepSpeedConfig : public QObject
{
    Q_OBJECT
private slots:
    // 64 = 2 * 8 * 4; a bucket of 5e8 elements.
    void deepSpeedsBatchesAndBucketsFit()
    {
        const QJsonObject config = objectOf(deepSpeedConfig(scenarioOf(
            R"({"training": {"global_batch_size": 64, "micro_batch_size": 2, "precision": "fp16"},
                "parallel": {"data": 8, "zero_stage": 2}, "conventions": {"framework": "deepspeed"}})")));
        QCOMPARE(config["train_batch_size"].toInt(), 64);
        QCOMPARE(config["train_micro_batch_size_per_gpu"].toInt(), 2);
        QCOMPARE(config["gradient_accumulation_steps"].toInt(), 4);
        QVERIFY(config["fp16"].toObject()["enabled"].toBool());
        QVERIFY(!config.contains("bf16"));
        QCOMPARE(config["data_types"].toObject()["grad_accum_dtype"].toString(), QString{"fp16"});
        const QJsonObject zero = config["zero_optimization"].toObject();
        QCOMPARE(zero["stage"].toInt(), 2);
        QCOMPARE(zero["reduce_bucket_size"].toInt(), 500000000);
        QVERIFY(zero["use_multi_rank_bucket_allreduce"].toBool());
        QCOMPARE(config["gradient_clipping"].toDouble(), 1.0);
    }

    void oneReduceForEachOwnerTurnsTheBucketsAllReduceOff()
    {
        const QJsonObject config = objectOf(deepSpeedConfig(scenarioOf(
            R"({"parallel": {"data": 8, "zero_stage": 2},
                "conventions": {"framework": "deepspeed", "zero_reduction": "reduce"}})")));
        const QJsonValue all_reduces =
            config["zero_optimization"].toObject()["use_multi_rank_bucket_allreduce"];
        QVERIFY(all_reduces.isBool() && !all_reduces.toBool());
    }

    void deepSpeedIsToldThatItDidNotTestAnOptimizer()
    {
        const char* text = R"({"training": {"optimizer": "sgd"}, "parallel": {"data": 2, "zero_stage": 1},
                               "conventions": {"framework": "deepspeed"}})";
        QVERIFY(objectOf(deepSpeedConfig(scenarioOf(text)))["zero_allow_untested_optimizer"].toBool());
    }

    void whatDeepSpeedsFileDoesNotSayIsAComment()
    {
        const QJsonObject config = objectOf(deepSpeedConfig(scenarioOf(
            R"({"model": {"layers": 8}, "parallel": {"pipeline": 2, "tensor": 4, "schedule": "zb-h1"}})")));
        QString comments;
        for (const QJsonValue comment : config["_comments"].toArray())
            comments += comment.toString() + '\n';
        QVERIFY(comments.contains("pipeline 2") && comments.contains("tensor 4")
                && comments.contains("zb-h1"));
    }

    void deepSpeedWritesStatesIn16Bits()
    {
        const auto bf16Of = [](const QByteArray& states) {
            const QByteArray text =
                "{\"training\": {" + states
                + R"(}, "parallel": {"data": 8, "zero_stage": 2}, "conventions": {"framework": "deepspeed"}})";
            return objectOf(deepSpeedConfig(scenarioOf(text.constData())))["bf16"].toObject();
        };
        QCOMPARE(bf16Of("").size(), 1);
        const QJsonObject all = bf16Of(R"("master_bytes": 2, "exp_avg_bytes": 2, "exp_avg_sq_bytes": 2)");
        QVERIFY(all["bf16_master_weights_and_grads"].toBool());
        QVERIFY(all["bf16_optimizer_states"].toBool());
        const QJsonObject weights = bf16Of(R"("master_bytes": 2, "offload": "optimizer")");
        QVERIFY(weights["bf16_master_weights_and_grads"].toBool());
        QVERIFY(!weights.contains("bf16_optimizer_states"));
    }
};

QTEST_APPLESS_MAIN(TestDeepSpeedConfig)
#include "tst_deepspeed_config.moc"
