#include <QTest>

#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/model/parameter_tensors.h"
#include "core/prediction/predict.h"
#include "core/scenario/validation/validation.h"

#include <numeric>

using namespace shardscope;

namespace
{

// An encoder of 2 layers over 64 tokens, a decoder of 3 over 32; h 64, 4 heads of 16, f 256, 1,000 words, b
// 2, m 4; float, so that an activation has 2 * 64 * 64 * 4 = 32,768 bytes in the encoder, 16,384 in the
// decoder.
constexpr std::int64_t of_encoder = 32768;
constexpr std::int64_t of_decoder = 16384;

Scenario encoderDecoder(std::int64_t tensor)
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = 3;
    model.encoder_layers = 2;
    model.encoder_sequence_length = 64;
    model.sequence_length = 32;
    model.hidden_size = 64;
    model.attention_heads = 4;
    model.kv_heads = 4;
    model.head_dim = 16;
    model.ffn_hidden_size = 256;
    model.vocab_size = 1000;
    model.linear_bias = false;
    model.norm = Norm::rmsnorm;
    model.position_embedding = PositionEmbedding::relative;
    scenario.training.precision = Precision::fp32;
    scenario.training.micro_batch_size = 2;
    scenario.training.global_batch_size = 8;
    scenario.parallel.tensor = tensor;
    return scenario;
}

StagePrediction stageOf(const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    return prediction.value().stages.front();
}

// Calls of one size in a phase.
std::int64_t calls(const StagePrediction& stage, Op op, Phase phase, std::int64_t bytes)
{
    std::int64_t count = 0;
    for (const Message& message : stage.messages)
        if (message.kind == Kind::tp && message.op == op && message.phase == phase
            && message.message_bytes == bytes)
            count += message.count;
    return count;
}

} // namespace

class TestEncoder : public QObject
{
    Q_OBJECT
private slots:
    // Fully recomputed, each layer keeps its input; the encoder's output is kept for the decoder besides.
    void theEncodersActivationsAreKept()
    {
        Scenario scenario = encoderDecoder(1);
        scenario.training.recompute = Recompute::full;
        const auto kept = [&](std::int64_t encoder_layers) {
            scenario.model.encoder_layers = encoder_layers;
            const IterationFigures figures{scenario};
            return keptActivations(figures, layOutStages(figures).front()).bytes();
        };
        QCOMPARE(kept(4) - kept(2), 2 * of_encoder);
        QCOMPARE(kept(2) - kept(0), 3 * of_encoder);
    }

    // Forward: two sums a layer of the encoder, three a layer of the decoder, one for each embedding.
    // Backward: the decoder's attention to the encoder sums the gradients of both its inputs; the head sums
    // its own.
    void tensorRanksSumEveryBlock()
    {
        const StagePrediction stage = stageOf(encoderDecoder(2));
        QCOMPARE(calls(stage, Op::all_reduce, Phase::forward, of_encoder), std::int64_t{4 * (2 * 2 + 1)});
        QCOMPARE(calls(stage, Op::all_reduce, Phase::forward, of_decoder), std::int64_t{4 * (3 * 3 + 1)});
        QCOMPARE(calls(stage, Op::all_reduce, Phase::backward, of_encoder), std::int64_t{4 * (2 * 2 + 3)});
        QCOMPARE(calls(stage, Op::all_reduce, Phase::backward, of_decoder), std::int64_t{4 * (3 * 3 + 1)});
    }

    // Each block gathers its inputs forward, its output's gradient backward, and its inputs again; the
    // encoder's output is an input of the decoder's attention to it.
    void sequenceParallelGathersTheEncodersOutput()
    {
        Scenario scenario = encoderDecoder(2);
        scenario.parallel.sequence_parallel = true;
        const StagePrediction stage = stageOf(scenario);
        QCOMPARE(calls(stage, Op::all_gather, Phase::forward, of_encoder), std::int64_t{4 * (2 * 2 + 3)});
        QCOMPARE(calls(stage, Op::all_gather, Phase::forward, of_decoder), std::int64_t{4 * (3 * 3 + 1)});
        QCOMPARE(calls(stage, Op::reduce_scatter, Phase::forward, of_encoder), std::int64_t{4 * 2 * 2});
        QCOMPARE(calls(stage, Op::reduce_scatter, Phase::forward, of_decoder), std::int64_t{4 * 3 * 3});
        // Gradients, inputs again, and the embedding's gradient; for the encoder's output the input alone.
        QCOMPARE(calls(stage, Op::all_gather, Phase::backward, of_encoder),
                 std::int64_t{4 * (4 * 2 + 3 + 1)});
        QCOMPARE(calls(stage, Op::reduce_scatter, Phase::backward, of_encoder),
                 std::int64_t{4 * (2 * 2 + 3)});
        // Norms of both stacks (2 in a layer, 3 in one that attends to the encoder) and the final ones.
        for (const Message& message : stage.messages)
            if (message.what == "replicated_gradients")
                QCOMPARE(message.message_bytes, std::int64_t{4 * 64 * (2 * 2 + 3 * 3 + 2)});
    }

    // Of one rank: halves of the matrices, whole norms; 1,024 words; 32 distances for two heads in each
    // stack.
    void parametersOfARankAreCounted()
    {
        const std::int64_t encoder_layer = (4 * 64 * 64 + 2 * 64 * 256) / 2 + 2 * 64;
        const std::int64_t decoder_layer = encoder_layer + 4 * 64 * 64 / 2 + 64;
        QCOMPARE(stageOf(encoderDecoder(2)).parameters,
                 2 * encoder_layer + 3 * decoder_layer + 1024 * 64 / 2 + 2 * 32 * 2 + 2 * 64);
        QCOMPARE(stageOf(encoderDecoder(2)).layers.size(), std::size_t{5});
    }

    // Narayanan's 2 operations for each weight and token, and 4 for each pair of tokens and unit of width.
    void operationsFollowBothLengths()
    {
        const double h = 64.0;
        const double s = 32.0;
        const double encoder = 64.0;
        const double layer = 4.0 * h * h + 2.0 * h * 256.0;
        const ForwardFlops flops = forwardFlops(encoderDecoder(1).model, false);
        QCOMPARE(flops.layers,
                 2.0 * (2.0 * encoder * layer + 3.0 * s * layer + 3.0 * 2.0 * (s + encoder) * h * h));
        QCOMPARE(flops.attention, 4.0 * h * (2.0 * encoder * encoder + 3.0 * s * s + 3.0 * s * encoder));
    }

    void bucketsHoldEveryParameter_data()
    {
        QTest::addColumn<bool>("bert");
        QTest::newRow("encoder and decoder") << false;
        QTest::newRow("BERT") << true;
    }
    void bucketsHoldEveryParameter()
    {
        QFETCH(bool, bert);
        Scenario scenario = encoderDecoder(2);
        if (bert) {
            scenario.model.encoder_layers = 0;
            scenario.model.token_types = 2;
            scenario.model.embedding_norm = true;
            scenario.model.final_norm = false;
            scenario.model.linear_bias = true;
            scenario.model.qk_norm = true;
            scenario.model.norms_per_layer = 4;
            scenario.model.output_head = OutputHead::bert;
        }
        const IterationFigures figures{scenario};
        const std::vector<StageShape> shapes = layOutStages(figures);
        const std::vector<std::int64_t> sizes = gradientTensors(figures, shapes.front()).dense;
        QCOMPARE(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), shapes.front().parameters());
    }

    // Units of the encoder, of the decoder, and the root: gathered twice but for the root.
    void zero3HasAUnitForEachLayer()
    {
        Scenario scenario = encoderDecoder(1);
        scenario.parallel.data = 2;
        scenario.parallel.zero_stage = 3;
        std::int64_t gathers = 0;
        for (const Message& message : stageOf(scenario).messages)
            gathers += message.kind == Kind::dp && message.op == Op::all_gather ? message.count : 0;
        QCOMPARE(gathers, std::int64_t{2 * (2 * 5 + 1)});
    }

    void whatIsNotPredictedIsSaid_data()
    {
        QTest::addColumn<QString>("field");
        QTest::newRow("pipeline") << "parallel.pipeline";
        QTest::newRow("context") << "parallel.context";
        QTest::newRow("experts") << "model.experts.count";
        QTest::newRow("li") << "time_model";
    }
    void whatIsNotPredictedIsSaid()
    {
        QFETCH(QString, field);
        Scenario scenario = encoderDecoder(1);
        if (field == "parallel.pipeline")
            scenario.parallel.pipeline = 3;
        if (field == "parallel.context")
            scenario.parallel.context = 2;
        if (field == "model.experts.count")
            scenario.model.experts.count = 8;
        if (field == "time_model")
            scenario.time_model = TimeModel::li;
        const std::vector<Problem> problems = validate(scenario);
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(problems.front().field), field);
    }
};

QTEST_APPLESS_MAIN(TestEncoder)
#include "tst_encoder.moc"
