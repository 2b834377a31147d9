#include <QTest>

#include "core/prediction/messages/gradient_buckets.h"
#include "core/prediction/predict.h"
#include "tests/core/prediction/scenarios.h"
#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

namespace
{

using Sizes = std::vector<std::int64_t>;

std::string text(const Buckets& buckets)
{
    std::string words;
    for (const BucketSize& bucket : buckets.sizes)
        words += std::to_string(bucket.count) + "x" + std::to_string(bucket.elements) + " ";
    return words;
}

// "10 up to 2": elements of each bucket, and how many tensors are in it and those before it.
std::string inOrder(const Buckets& buckets)
{
    std::string words;
    for (const Buckets::Bucket& bucket : buckets.order)
        words += std::to_string(buckets.sizes[bucket.size].elements) + " up to " + std::to_string(bucket.end)
                 + ", ";
    return words;
}

// "bytes at share": what is reduced when backward is through with which share of the stage's layers.
QString ready(const Scenario& scenario, std::size_t stage)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    const StagePrediction& predicted = prediction.value().stages[stage];
    QString words;
    for (const GradientBucket& bucket : predicted.buckets)
        words += QStringLiteral("%1 at %2, ")
                     .arg(predicted.messages[static_cast<std::size_t>(bucket.reduced)].message_bytes)
                     .arg(bucket.ready);
    return words;
}

// l 4: a layer has 12 * 64 * 64 + 13 * 64 = 49,984 parameters of 4 bytes.
Scenario fourLayers(std::int64_t pipeline)
{
    Scenario scenario = small(pipeline, 1, 2);
    scenario.model.layers = 4;
    scenario.training.gradient_bytes = 4;
    scenario.conventions.dp_overlap = true;
    scenario.conventions.report_loss = false;
    return scenario;
}

std::vector<Message> gradientsOf(const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    std::vector<Message> rows;
    for (const Message& message : prediction.value().stages.front().messages)
        if (message.kind == Kind::dp && message.what == "gradients")
            rows.push_back(message);
    return rows;
}

// VGG16's fully connected layers, last defined last.
Scenario tensorList()
{
    Scenario scenario;
    scenario.model.kind = ModelKind::parameter_list;
    scenario.model.tensors = {{"fc6.weight", 102760448}, {"fc6.bias", 4096},      {"fc7.weight", 16777216},
                              {"fc7.bias", 4096},        {"fc8.weight", 4096000}, {"fc8.bias", 1000}};
    scenario.parallel.data = 8;
    scenario.training.precision = Precision::fp32;
    scenario.training.gradient_bytes = 4;
    scenario.conventions.framework = Framework::ddp;
    scenario.conventions.dp_reduction = DpReduction::buckets;
    return scenario;
}

} // namespace

class TestGradientBuckets : public QObject
{
    Q_OBJECT
private slots:
    void bucketsCloseOnceTheyReachTheirLimit_data()
    {
        QTest::addColumn<Sizes>("tensors");
        QTest::addColumn<qint64>("first_limit");
        QTest::addColumn<qint64>("limit");
        QTest::addColumn<QString>("buckets");
        QTest::newRow("nothing") << Sizes{} << qint64{10} << qint64{10} << "";
        QTest::newRow("all in one") << Sizes{1, 2, 3} << qint64{10} << qint64{10} << "1x6 ";
        QTest::newRow("reached exactly") << Sizes{5, 5, 5} << qint64{10} << qint64{10} << "1x10 1x5 ";
        QTest::newRow("one large tensor exceeds it")
            << Sizes{1, 99, 2} << qint64{10} << qint64{10} << "1x100 1x2 ";
        QTest::newRow("the first is smaller") << Sizes{4, 4, 4, 4, 4} << qint64{4} << qint64{8} << "1x4 2x8 ";
    }
    void bucketsCloseOnceTheyReachTheirLimit()
    {
        QFETCH(Sizes, tensors);
        QFETCH(qint64, first_limit);
        QFETCH(qint64, limit);
        QTEST(QString::fromStdString(text(fillBuckets(tensors, first_limit, limit))), "buckets");
    }

    void bucketsKnowWhichTensorCompletesThem()
    {
        QCOMPARE(inOrder(fillBuckets(Sizes{4, 4, 9, 4, 4}, 4, 8)),
                 std::string{"4 up to 1, 13 up to 3, 8 up to 5, "});
        QCOMPARE(inOrder(fillBucketsWithin(Sizes{5, 5, 5, 99, 2}, 10)),
                 std::string{"10 up to 2, 5 up to 3, 99 up to 4, 2 up to 5, "});
        const std::vector<std::size_t> begins{2, 3};
        QCOMPARE(inOrder(fillChunkBuckets(Sizes{5, 5, 7, 4, 4, 4}, begins, {true, 4, 1, 4})),
                 std::string{"10 up to 2, 7 up to 3, 4 up to 4, 4 up to 5, 4 up to 6, "});
    }

    // Each of 12 tensors of a layer, of the final norm's two, of 1,024 words and positions goes alone.
    void gradientsAreReadyLayerByLayer()
    {
        Scenario scenario = fourLayers(1);
        scenario.conventions.framework = Framework::fsdp;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 1;
        const QString all = ready(scenario, 0);
        QVERIFY2(all.startsWith("256 at 0, 256 at 0, 256 at 0.25, 65536 at 0.25, "), qPrintable(all));
        QVERIFY2(all.endsWith("8192 at 1, 262144 at 1, "), qPrintable(all));
        for (const char* share : {" at 0.25, ", " at 0.5, ", " at 0.75, "})
            QCOMPARE(all.count(share), 12);
        QCOMPARE(all.count(" at 1, "), 14);
        scenario.conventions.dp_bucket_bytes = 1 << 30;
        QCOMPARE(ready(scenario, 0).count(" at "), 1);
        QVERIFY(ready(scenario, 0).endsWith(" at 1, "));
    }

    // Chunks 3 and 1 of stage 1, last first; each is whole, and so are those of stage 0 but for its first.
    void chunksOfInterleavedStagesAreReadyOneAfterTheOther()
    {
        Scenario scenario = fourLayers(2);
        scenario.parallel.virtual_stages = 2;
        scenario.parallel.schedule = Schedule::interleaved;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 1 << 30;
        QVERIFY2(ready(scenario, 1).contains(" at 0.5, "), qPrintable(ready(scenario, 1)));
        QCOMPARE(ready(scenario, 1).count(" at "), 2);
        QVERIFY2(ready(scenario, 0).contains("199936 at 0.5, "), qPrintable(ready(scenario, 0)));
    }

    // Layers of ZeRO 2 whose sums wait for the last micro-batch; the model's ends are complete with the pass.
    // Reduced in every micro-batch they are part of it.
    void unitsAreReadyWithTheirLayers()
    {
        Scenario scenario = fourLayers(1);
        scenario.conventions.framework = Framework::fsdp;
        scenario.parallel.zero_stage = 2;
        scenario.conventions.zero_reduction = ZeroReduction::reduce_scatter;
        scenario.conventions.zero_unit = ZeroUnit::layer;
        scenario.conventions.reduce_each_micro_batch = false;
        const QString all = ready(scenario, 0);
        QVERIFY2(all.startsWith("199936 at 0.25, 199936 at 0.5, 199936 at 0.75, "), qPrintable(all));
        QCOMPARE(all.count(" at 1, "), 2);
        scenario.conventions.reduce_each_micro_batch = true;
        QCOMPARE(ready(scenario, 0), QString{});
    }

    // Of layers 0 to 3 the last two have experts, whose units are the larger ones: backward comes to them
    // first. So it does to a decoder, and then to its encoder.
    void unitsOfUnlikeLayersAreReadyWithTheirOwn()
    {
        Scenario scenario = fourLayers(1);
        scenario.conventions.framework = Framework::fsdp;
        scenario.parallel.zero_stage = 2;
        scenario.conventions.zero_reduction = ZeroReduction::reduce_scatter;
        scenario.conventions.zero_unit = ZeroUnit::layer;
        scenario.conventions.reduce_each_micro_batch = false;
        Scenario with_encoder = scenario;
        scenario.model.experts.count = 4;
        scenario.model.experts.ffn_hidden_size = 256;
        scenario.model.experts.first = 2;
        const QStringList units = ready(scenario, 0).split(", ", Qt::SkipEmptyParts);
        QCOMPARE(units.size(), 5);
        const auto bytes = [](const QString& unit) { return unit.section(' ', 0, 0).toLongLong(); };
        QVERIFY(units[0].endsWith(" at 0.25") && units[1].endsWith(" at 0.5"));
        QCOMPARE(bytes(units[0]), bytes(units[1]));
        QVERIFY(bytes(units[0]) > 199936);
        QCOMPARE(units[2], QString{"199936 at 0.75"});
        QVERIFY(units.contains("199936 at 1"));

        with_encoder.model.encoder_layers = 4;
        with_encoder.model.encoder_sequence_length = with_encoder.model.sequence_length;
        const QStringList both = ready(with_encoder, 0).split(", ", Qt::SkipEmptyParts);
        QCOMPARE(both.size(), 9);
        QVERIFY(both[3].endsWith(" at 0.5") && both[4].endsWith(" at 0.625"));
        QCOMPARE(bytes(both[0]), bytes(both[3]));
        QVERIFY(bytes(both[3]) > bytes(both[4])); // attention to the encoder
    }

    // One buffer is complete when the pass is, and nothing is ready early where nothing overlaps.
    void oneBufferIsReadyWithThePass()
    {
        Scenario scenario = fourLayers(1);
        scenario.parallel.zero_stage = 1;
        scenario.conventions.zero_reduction = ZeroReduction::reduce_scatter;
        scenario.conventions.dp_reduction = DpReduction::flat;
        QCOMPARE(ready(scenario, 0).count(" at "), 1);
        QVERIFY(ready(scenario, 0).endsWith(" at 1, "));
        scenario.conventions.dp_overlap = false;
        QCOMPARE(ready(scenario, 0), QString{});
    }

    void chunksAreBucketsButForTheFirst()
    {
        const Sizes tensors{5, 5, 7, 4, 4, 4};
        const std::vector<std::size_t> begins{2, 3};
        QCOMPARE(text(fillChunkBuckets(tensors, begins, {})), std::string{"1x10 1x7 1x12 "});
        QCOMPARE(text(fillChunkBuckets(tensors, begins, {true, 4})), std::string{"1x10 1x7 3x4 "});
    }

    // 5 begins at 0, the next 5 at 8, and so on; the third tensor has a bucket of its own.
    void tensorsBeginAtMultiplesAndOneMayStandAlone()
    {
        const Sizes tensors{5, 5, 7, 4, 4, 4};
        QCOMPARE(text(fillBuckets(tensors, 20, 20, 8)), std::string{"1x23 1x20 "});
        QCOMPARE(text(fillChunkBuckets(tensors, {}, {true, 12, 8, 2})), std::string{"1x13 1x7 1x12 1x4 "});
        QCOMPARE(text(fillChunkBuckets(tensors, {}, {false, 1, 1, 5})), std::string{"1x25 1x4 "});
    }

    // h 64, t 1, 1,024 words, bf16, Megatron-LM's order: the table of the tied embedding has 65,536 elements
    // on both stages and a bucket of its own. Layer 1 of stage 1, last tensors first: fc2 64 + 16,384, fc1
    // 256 + 16,384, norm 64 + 64, qkv 192 + 12,288, norm 64 + 64, proj 64 + 4,096.
    void theDistributedOptimizerKeepsTheSharedEmbeddingApart()
    {
        Scenario scenario;
        scenario.model.layers = 2;
        scenario.model.hidden_size = 64;
        scenario.model.attention_heads = 4;
        scenario.model.kv_heads = 4;
        scenario.model.head_dim = 16;
        scenario.model.ffn_hidden_size = 256;
        scenario.model.vocab_size = 1024;
        scenario.model.sequence_length = 32;
        scenario.training.global_batch_size = 12;
        scenario.training.micro_batch_size = 1;
        scenario.parallel.pipeline = 2;
        scenario.parallel.data = 3;
        scenario.parallel.zero_stage = 1;
        scenario.conventions.dp_overlap = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 4 * 45000;
        const Result<Prediction> prediction = predict(scenario);
        QVERIFY(prediction);
        const auto sizes = [&](std::size_t stage) {
            QString text;
            for (const Message& message : prediction.value().stages[stage].messages)
                if (message.op == Op::reduce_scatter)
                    text += QStringLiteral("%1x%2 ").arg(message.count).arg(message.message_bytes / 4);
            return text;
        };
        // Multiples of lcm(3, 128) = 384. Stage 0: 45,696 up to qkv's weight, then 128 + 4,160 of the layer
        // and 2,048 positions. Stage 1 is not cut: final norm 128 behind the table, 49,984 of the layer.
        QCOMPARE(sizes(0), QStringLiteral("1x45696 1x6528 1x65664 "));
        QCOMPARE(sizes(1), QStringLiteral("1x65664 1x50304 "));
    }

    void bucketsOfZeroStayWithinTheirLimit()
    {
        const Sizes tensors{5, 5, 5, 99, 2};
        QCOMPARE(text(fillBucketsWithin(tensors, 10)), std::string{"1x10 1x5 1x99 1x2 "});
        QCOMPARE(text(fillBucketsWithin(Sizes{}, 10)), std::string{});
    }

    // 392 MiB: the largest message of VGG16 in Li et al. 2024, Fig. 1a, is the weight of its first connected
    // layer.
    void ddpFillsBucketsFromTheLastTensor()
    {
        const std::vector<Message> rows = gradientsOf(tensorList());
        QCOMPARE(rows.size(), std::size_t{3});
        QCOMPARE(rows[0].message_bytes, std::int64_t{4 * (1000 + 4096000)});
        QCOMPARE(rows[1].message_bytes, std::int64_t{4 * (4096 + 16777216)});
        QCOMPARE(rows[2].message_bytes, std::int64_t{4 * (4096 + 102760448)});
        QCOMPARE(rows[2].message_bytes / 1048576, std::int64_t{392});
        QCOMPARE(rows[0].phase, Phase::backward);
    }

    // DeepSpeed reduces 388,746,000 parameters in one message, below its 500 million; a smaller limit cuts
    // them.
    void bucketsOfAStageAddUpToItsParameters()
    {
        Scenario scenario = test::gpt3b(4, 2, 4);
        scenario.conventions.framework = Framework::deepspeed;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 1000000000;
        QCOMPARE(gradientsOf(scenario).size(), std::size_t{1});
        QCOMPARE(gradientsOf(scenario).front().message_bytes, std::int64_t{777492000});
        scenario.conventions.dp_bucket_bytes = 26214400;
        std::int64_t bytes = 0;
        for (const Message& message : gradientsOf(scenario)) {
            bytes += message.total_bytes;
            QVERIFY(message.message_bytes >= 26214400 || message.count == 1);
        }
        QCOMPARE(bytes, std::int64_t{777492000});
    }
};

QTEST_APPLESS_MAIN(TestGradientBuckets)
#include "tst_gradient_buckets.moc"
