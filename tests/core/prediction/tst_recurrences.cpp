#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/model/parameter_tensors.h"
#include "core/prediction/model/recurrence.h"
#include "core/prediction/time/layer_time.h"
#include "core/scenario/layer_form_words.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/small_scenario.h"
#include "tests/core/shipped_presets.h"

#include <cmath>
#include <numeric>

using namespace shardscope;

namespace
{

constexpr std::int64_t hidden = 64;
constexpr std::int64_t tokens = 64; // of a micro-batch of small()

// Recurrences of 8 heads of 16, 4 groups of keys of 8: values 128, keys 32.
Scenario hybrid(std::string_view pattern, RecurrenceKind kind, std::int64_t tensor = 1,
                bool splits_tokens = false)
{
    Scenario scenario = small(1, tensor, 1);
    scenario.model.recurrence = {kind, 8, 16, 4, 8, 4};
    scenario.model.layer_pattern = layerPattern(pattern).value();
    scenario.parallel.sequence_parallel = splits_tokens;
    return scenario;
}

Scenario mamba(std::string_view pattern, std::int64_t tensor = 1, bool splits_tokens = false)
{
    return hybrid(pattern, RecurrenceKind::mamba2, tensor, splits_tokens);
}

std::int64_t sumOf(const std::vector<std::int64_t>& sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

// Seconds of one forward scan on a GPU with so many multiprocessors.
double scan_s(const Recurrence& recurrence, std::int64_t length, double multiprocessors)
{
    Scenario scenario;
    scenario.model.recurrence = recurrence;
    scenario.model.sequence_length = length;
    scenario.model.layer_pattern = {LayerForm::recurrence};
    scenario.training.micro_batch_size = 1;
    scenario.cluster.compute.multiprocessors = multiprocessors;
    const IterationFigures figures{scenario};
    const Machine machine{scenario.cluster};
    for (const OperatorCost& cost : LayerTime{figures, machine}.layerOperators(LayerForm::recurrence))
        if (cost.step == LayerStep::attention)
            return cost.forward_s;
    return 0.0;
}

} // namespace

// Layers with a recurrence in the place of attention, and layers of one block: in everything predicted.
class TestRecurrences : public QObject
{
    Q_OBJECT
private slots:
    void aLayerHasItsParameters_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<qint64>("parameters");
        const std::int64_t projections = hidden * (2 * 128 + 2 * 32 + 8) + 128 * hidden;
        const std::int64_t convolution = (128 + 2 * 32) * 4;
        // Mamba-2: the convolution's bias, three numbers a head, a norm over the values.
        QTest::newRow("Mamba-2") << 0 << qint64{projections + convolution + (128 + 64) + 3 * 8 + 128};
        // A second number a head is projected; two numbers a head, and one head's norm.
        QTest::newRow("a gated delta rule")
            << 1 << qint64{projections + hidden * 8 + convolution + 2 * 8 + 16};
    }
    void aLayerHasItsParameters()
    {
        QFETCH(int, kind);
        QFETCH(qint64, parameters);
        const Scenario scenario = hybrid("M", static_cast<RecurrenceKind>(kind));
        const std::int64_t norm = 2 * hidden; // weight and bias
        QCOMPARE(layerParameters(scenario.model, LayerForm::recurrence, {}).total(), parameters + norm);
    }

    void twoLayersOfOneBlockHaveWhatOneOfTwoHas()
    {
        Scenario apart = mamba("M - * -");
        Scenario together = mamba("M- *-");
        apart.model.layers = 8;
        together.model.layers = 4;
        QCOMPARE(countParameters(apart.model).total, countParameters(together.model).total);
        QCOMPARE(countFlops(apart).model, countFlops(together).model);
    }

    void aPatternOfOrdinaryLayersChangesNothing()
    {
        const Scenario plain = withExperts(small(2, 2, 4), 0.0);
        Scenario written = plain;
        written.model.layer_pattern = layerPattern("*- *E").value();
        QCOMPARE(predicted(written).time.iteration_s, predicted(plain).time.iteration_s);
        QCOMPARE(predicted(written).parameters.per_rank_max, predicted(plain).parameters.per_rank_max);
        QCOMPARE(memoryOf(written).peak_bytes, memoryOf(plain).peak_bytes);
    }

    // Whoever writes blocks as layers of their own predicts the same run.
    void blocksCostTheSameInEitherCount_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("time_model");
        QTest::addColumn<int>("zero_stage");
        QTest::newRow("Megatron-LM") << 0 << 1 << 0;
        QTest::newRow("Li et al.'s formula") << 0 << 0 << 0;
        QTest::newRow("DeepSpeed, ZeRO 1") << 1 << 1 << 1;
    }
    void blocksCostTheSameInEitherCount()
    {
        QFETCH(int, framework);
        QFETCH(int, time_model);
        QFETCH(int, zero_stage);
        const auto run = [&](std::string_view pattern, std::int64_t layers) {
            Scenario scenario = mamba(pattern, 2);
            scenario.model.layers = layers;
            scenario.model.position_embedding = PositionEmbedding::none;
            scenario.parallel.data = 2;
            scenario.parallel.zero_stage = zero_stage;
            scenario.training.global_batch_size = 16;
            scenario.conventions.framework = static_cast<Framework>(framework);
            scenario.time_model = static_cast<TimeModel>(time_model);
            scenario.cluster.compute.dispatch_us =
                0.0; // a layer of one block has a part of a layer's kernels
            return predicted(scenario);
        };
        const Prediction apart = run("M - * -", 8);
        const Prediction together = run("M- *-", 4);
        const double ratio = apart.time.iteration_s / together.time.iteration_s;
        QVERIFY2(std::fabs(ratio - 1.0) < 1e-6, qPrintable(QString::number(ratio, 'g', 9)));
        const StageMemory& one = apart.memory.stages.front();
        const StageMemory& other = together.memory.stages.front();
        QCOMPARE(one.buffers_bytes, other.buffers_bytes);
        QCOMPARE(one.weights_bytes, other.weights_bytes);
    }

    // PyTorch's checkpoints keep products; a scan is none.
    void checkpointsOfOperatorsScanAgain()
    {
        Scenario scenario = mamba("M");
        scenario.conventions.framework = Framework::fsdp;
        scenario.training.recompute = Recompute::selective;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        const LayerTime layers{figures, machine};
        const double again = layers.layer(LayerForm::recurrence).recompute_s;
        for (const OperatorCost& cost : layers.layerOperators(LayerForm::recurrence))
            if (cost.what == "state space scan")
                QVERIFY(again > cost.forward_s);
        const ForwardFlops forward = forwardFlops(scenario.model, false);
        QCOMPARE(repeatedFlops(scenario), 0.5 * forward.layers + forward.recurrence);
    }

    void wordsThatNoLayerHasCountForNothing()
    {
        Scenario scenario = withExperts(mamba("M- M- ME"), 0.0);
        scenario.parallel.expert = 1;
        scenario.model.layers = 2;
        scenario.model.mtp_layers = 1;
        QCOMPARE(layerForm(scenario.model, 2), LayerForm::attention_mlp);
        const ModelParameters count = countParameters(scenario.model);
        QCOMPARE(count.active, count.total);
        scenario.parallel.expert = 2;
        QVERIFY(!validate(scenario).empty());
    }

    void tensorRanksShareTheParametersOut()
    {
        for (const auto kind : {RecurrenceKind::mamba2, RecurrenceKind::gated_delta_net}) {
            const Model model = hybrid("M", kind).model;
            const LayerParameters whole = layerParameters(model, LayerForm::recurrence, {});
            const LayerParameters part = layerParameters(model, LayerForm::recurrence, {4, 1, 4});
            QCOMPARE(4 * part.sharded, whole.sharded);
            QCOMPARE(part.replicated, whole.replicated);
        }
    }

    // Whatever the framework makes of its matrices.
    void tensorsAddUpToTheParameters_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<QByteArray>("pattern");
        for (const char* pattern : {"M - * E", "M- *E ME", "M"})
            for (const int framework : {0, 2})
                QTest::addRow("%s, framework %d", pattern, framework) << framework << QByteArray{pattern};
    }
    void tensorsAddUpToTheParameters()
    {
        QFETCH(int, framework);
        QFETCH(QByteArray, pattern);
        for (const auto kind : {RecurrenceKind::mamba2, RecurrenceKind::gated_delta_net}) {
            Scenario scenario = withExperts(hybrid(pattern.toStdString(), kind, 2, true), 0.0);
            scenario.model.attention_gate = kind == RecurrenceKind::gated_delta_net;
            scenario.parallel.expert = 1;
            scenario.conventions.framework = static_cast<Framework>(framework);
            const IterationFigures figures{scenario};
            const StageShape shape = layOutStages(figures).front();
            const GradientTensors tensors = gradientTensors(figures, shape, TensorChoice::all);
            QCOMPARE(sumOf(tensors.dense) + sumOf(tensors.routed), shape.trainedParameters());
            const GradientTensors products = gradientTensors(figures, shape, TensorChoice::products);
            std::int64_t counted = 0;
            shape.counts.decoder.each([&](LayerForm form, std::int64_t layers) {
                const LayerParameters& layer = figures.layer(form);
                counted += layers * (layer.dense_products + layer.routed_products);
            });
            QCOMPARE(sumOf(products.dense) + sumOf(products.routed), counted);
        }
    }

    // Each letter of "M - * E" is a layer: eight layers have two of each.
    void aTensorGroupGathersAndScattersForEachBlock()
    {
        Scenario scenario = withExperts(mamba("M - * E", 2, true), 0.0);
        scenario.parallel.expert = 1;
        const auto messages = messagesOf(scenario, 0);
        const auto calls = [&](Op op, Phase phase, std::string_view what) {
            return callsOf(messages, Kind::tp, op, phase, {what});
        };
        for (const std::string_view block : {"recurrence", "mlp", "attention"}) {
            COMPARE_CALLS(calls(Op::all_gather, Phase::forward, block), 2 * 4, activation);
            COMPARE_CALLS(calls(Op::reduce_scatter, Phase::forward, block), 2 * 4, activation);
            COMPARE_CALLS(calls(Op::reduce_scatter, Phase::backward, block), 2 * 4, activation);
        }
        COMPARE_CALLS(calls(Op::all_gather, Phase::backward, "regather"), 3 * 2 * 4, activation);
    }

    // A call for each tensor: values and gate of 128 numbers a token, keys and queries of 32, heads of 8.
    void aContextGroupExchangesTensorByTensor_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("step_calls");
        QTest::newRow("Mamba-2: one number a head") << 0 << 1;
        QTest::newRow("a gated delta rule: two") << 1 << 2;
    }
    void aContextGroupExchangesTensorByTensor()
    {
        QFETCH(int, kind);
        QFETCH(int, step_calls);
        Scenario scenario = hybrid("M- *-", static_cast<RecurrenceKind>(kind));
        scenario.parallel.context = 2;
        const auto messages = messagesOf(scenario, 0);
        const std::int64_t calls = 4 * 4; // layers times micro-batches
        for (const Phase phase : {Phase::forward, Phase::backward}) {
            const auto exchanged = [&](std::string_view what) {
                return callsOf(messages, Kind::cp, Op::all_to_all, phase, {what});
            };
            for (const std::string_view wide : {"recurrence_gate", "recurrence_value", "recurrence_output"})
                COMPARE_CALLS(exchanged(wide), calls, tokens / 2 * 128 * 4);
            for (const std::string_view narrow : {"recurrence_key", "recurrence_query"})
                COMPARE_CALLS(exchanged(narrow), calls, tokens / 2 * 32 * 4);
            COMPARE_CALLS(exchanged("recurrence_step"), calls * step_calls, tokens / 2 * 8 * 4);
        }
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::send, Phase::forward, {"key_value"}), calls,
                      tokens / 2 * 2 * 64 * 4);
    }

    void fewerGroupsThanContextRanksAreCopied()
    {
        Scenario scenario = mamba("M");
        scenario.model.recurrence.key_groups = 1;
        scenario.parallel.context = 4;
        const auto messages = messagesOf(scenario, 0);
        COMPARE_CALLS(callsOf(messages, Kind::cp, Op::all_to_all, Phase::forward, {"recurrence_key"}), 8 * 4,
                      tokens / 4 * 4 * 8 * 4);
    }

    // Bytes of a token in bf16, as the tensors say that Megatron-Core's mixer saves: 4 h + 10 d + 4 g N + 2
    // heads (norm's input and output; what was projected; the scan's result, gated, normalised).
    void aMambaLayerKeepsWhatItsKernelsSave()
    {
        Scenario scenario = mamba("M");
        scenario.training.precision = Precision::bf16;
        scenario.model.position_embedding = PositionEmbedding::none; // no dropout
        const IterationFigures figures{scenario};
        QCOMPARE(layerActivationBytes(figures, LayerForm::recurrence, no_repeats),
                 tokens * (4 * hidden + 10 * 128 + 4 * 32 + 2 * 8));
        QCOMPARE(layerActivationBytes(figures, LayerForm::recurrence, whole_layer), tokens * 2 * hidden);
    }

    void splitTokensSplitAllThatIsKept()
    {
        for (const auto kind : {RecurrenceKind::mamba2, RecurrenceKind::gated_delta_net}) {
            const Scenario whole = hybrid("M", kind);
            const Scenario split = hybrid("M", kind, 4, true);
            const auto bytes = [](const Scenario& scenario) {
                return layerActivationBytes(IterationFigures{scenario}, LayerForm::recurrence, no_repeats);
            };
            QCOMPARE(4 * bytes(split), bytes(whole));
        }
    }

    // num_floating_point_operations of Megatron-LM, where heads are as wide as it takes for granted: 2 h.
    void floatingPointOperationsAreMegatrons()
    {
        Scenario scenario = mamba("M");
        scenario.model.layers = 1;
        const double s = 32.0;
        const double d = 2.0 * hidden;
        const double layer =
            2.0 * s * hidden * (2.0 * d + 2.0 * 32.0 + 8.0) + 7.0 * s * d * 8.0 + 2.0 * s * d * hidden;
        const double logits = 2.0 * s * hidden * 1000.0;
        QCOMPARE(countFlops(scenario).model, 3.0 * 8.0 * (layer + logits));
    }

    // Within a tenth of what was measured of the kernels alone.
    void scansTakeWhatKernelsTake_data()
    {
        QTest::addColumn<bool>("is_mamba");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("length");
        QTest::addColumn<double>("multiprocessors");
        QTest::addColumn<double>("measured_ms");
        const auto row = [](const char* name, bool is_mamba, int heads, int length, double processors,
                            double measured) {
            QTest::newRow(name) << is_mamba << heads << length << processors << measured;
        };
        row("delta rule, H200, 64 heads, 8,192 tokens", false, 64, 8192, 132.0, 0.814);
        row("delta rule, H200, 32 heads, 8,192 tokens", false, 32, 8192, 132.0, 0.466);
        row("delta rule, H200, 64 heads, 32,768 tokens", false, 64, 32768, 132.0, 3.331);
        row("delta rule, H200, 16 heads, 16,384 tokens", false, 16, 16384, 132.0, 0.614);
        row("delta rule, GB200, 64 heads, 8,192 tokens", false, 64, 8192, 148.0, 0.755);
        row("delta rule, GB200, 32 heads, 32,768 tokens", false, 32, 32768, 148.0, 1.747);
    }
    void scansTakeWhatKernelsTake()
    {
        QFETCH(bool, is_mamba);
        QFETCH(int, heads);
        QFETCH(int, length);
        QFETCH(double, multiprocessors);
        QFETCH(double, measured_ms);
        const Recurrence recurrence{is_mamba ? RecurrenceKind::mamba2 : RecurrenceKind::gated_delta_net,
                                    heads,
                                    is_mamba ? 64 : 128,
                                    is_mamba ? 1 : heads,
                                    128,
                                    4};
        const double predicted_ms = 1e3 * scan_s(recurrence, length, multiprocessors);
        QVERIFY2(std::fabs(predicted_ms / measured_ms - 1.0) < 0.1,
                 qPrintable(QString::number(predicted_ms)));
    }

    void whatDoesNotGoTogetherIsToldInASentence_data()
    {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("part");
        const auto row = [](const char* name, const char* field, const char* part) {
            QTest::newRow(name) << QByteArray{field} << QByteArray{part};
        };
        row("no heads", "model.recurrence.heads", "recurrence.heads is 0");
        row("no experts", "model.layer_pattern", "experts.count is 0");
        row("an encoder", "model.layer_pattern", "encoder_layers");
        row("groups", "parallel.tensor", "recurrence.key_groups");
        row("context", "parallel.context", "recurrence.heads / tensor");
        row("a gate on latent attention", "model.attention_gate", "latent attention");
        row("too many words", "model.layer_pattern", "10 001 words");
    }
    void whatDoesNotGoTogetherIsToldInASentence()
    {
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, part);
        const QByteArray name = QTest::currentDataTag();
        Scenario scenario = mamba(name == "no experts" ? "M E" : "M *-");
        if (name == "no heads")
            scenario.model.recurrence.heads = 0;
        scenario.model.encoder_layers = name == "an encoder" ? 2 : 0;
        if (name == "groups") {
            scenario.model.recurrence.key_groups = 2;
            scenario.parallel.tensor = 4;
        }
        if (name == "context") {
            scenario.parallel.context = 16;
            scenario.parallel.tensor = 2;
        }
        scenario.model.attention_gate = name == "a gate on latent attention";
        if (scenario.model.attention_gate)
            scenario = withLatents(scenario);
        if (name == "too many words")
            scenario.model.layer_pattern.resize(10001, LayerForm::mlp);
        const std::vector<Problem> problems = validate(scenario);
        const bool is_told = std::ranges::any_of(problems, [&](const Problem& problem) {
            return problem.field == field.toStdString()
                   && problem.sentence.find(part.toStdString()) != std::string::npos;
        });
        QVERIFY2(is_told, problems.empty() ? "no problem" : problems.front().sentence.c_str());
    }
};

QTEST_APPLESS_MAIN(TestRecurrences)
#include "tst_recurrences.moc"
