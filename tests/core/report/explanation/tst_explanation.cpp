#include <QTest>

#include <QDir>
#include <QRegularExpression>

#include "core/base/format.h"
#include "core/prediction/predict.h"
#include "core/report/explanation/explanation.h"
#include "core/report/explanation/worked_formula.h"
#include "tests/core/report/arithmetic.h"
#include "tests/core/report/explanation/read_scenario.h"

using namespace shardscope;

// The value that a figure explains, and as the program shows it.
struct Shown {
    double value = 0.0;
    std::string text;
};

static Shown shownCount(double value)
{
    return {value, formatCount(value)};
}
static Shown shownOperations(double value)
{
    return {value, plainFlops(value)};
}
static Shown shownWhole(std::int64_t value)
{
    return {static_cast<double>(value), std::to_string(value)};
}
static Shown shownBytes(std::int64_t value)
{
    return {static_cast<double>(value), formatBytes(static_cast<double>(value))};
}
static Shown shownSeconds(double value)
{
    return {value, formatSeconds(value)};
}
static Shown shownRatio(double value)
{
    return {value, formatRatio(value)};
}

static Shown shown(Figure figure, const Prediction& prediction, int stage)
{
    const TimePrediction& time = prediction.time;
    const StageMemory& memory = prediction.memory.stages[static_cast<std::size_t>(stage)];
    switch (figure) {
    case Figure::parameters_total:
        return shownCount(static_cast<double>(prediction.parameters.total));
    case Figure::parameters_active:
        return shownCount(static_cast<double>(prediction.parameters.active));
    case Figure::parameters_per_rank:
        return shownCount(static_cast<double>(prediction.parameters.per_rank_max));
    case Figure::world_size:
        return shownWhole(prediction.world_size);
    case Figure::micro_batches:
        return shownWhole(prediction.micro_batches);
    case Figure::model_flops:
        return shownOperations(prediction.flops.model);
    case Figure::hardware_flops:
        return shownOperations(prediction.flops.hardware);
    case Figure::peak_memory:
        return shownBytes(prediction.memory.device_bytes);
    case Figure::weights_memory:
        return shownBytes(memory.weights_bytes);
    case Figure::gradients_memory:
        return shownBytes(memory.gradients_bytes);
    case Figure::optimizer_memory:
        return shownBytes(memory.optimizer_bytes);
    case Figure::activations_memory:
        return shownBytes(memory.activations_bytes);
    case Figure::temporaries_memory:
        return shownBytes(memory.temporaries_bytes);
    case Figure::buffers_memory:
        return shownBytes(memory.buffers_bytes);
    case Figure::cached_memory:
        return shownBytes(memory.cached_bytes);
    case Figure::context_memory:
        return shownBytes(memory.context_bytes);
    case Figure::iteration_time:
        return shownSeconds(time.iteration_s);
    case Figure::compute_time:
        return shownSeconds(time.compute_s);
    case Figure::tp_time:
        return shownSeconds(time.tp_s);
    case Figure::cp_time:
        return shownSeconds(time.cp_s);
    case Figure::ep_time:
        return shownSeconds(time.ep_s);
    case Figure::pp_time:
        return shownSeconds(time.pp_s);
    case Figure::dp_time:
        return shownSeconds(time.dp_s);
    case Figure::emb_time:
        return shownSeconds(time.emb_s);
    case Figure::mp_time:
        return shownSeconds(time.mp_s);
    case Figure::bubble_time:
        return shownSeconds(time.bubble_s);
    case Figure::tokens_per_second:
        return shownCount(time.tokens_per_s);
    case Figure::mfu:
        return shownRatio(time.mfu);
    case Figure::hfu:
        return shownRatio(time.hfu);
    case Figure::communication_ratio:
        return shownRatio(time.communication_ratio);
    case Figure::bubble_ratio:
        return shownRatio(time.bubble_ratio);
    }
    return {};
}

class TestExplanation : public QObject
{
    Q_OBJECT
private slots:
    void everyFigureComesOutAtThePrediction_data() { scenarios(); }
    void everyFigureComesOutAtThePrediction()
    {
        QFETCH(QByteArray, json);
        const Scenario scenario = read(json);
        const auto prediction = predict(scenario);
        QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
        for (int stage = 0; stage < static_cast<int>(scenario.parallel.pipeline); ++stage)
            for (int figure = 0; figure < figure_count; ++figure) {
                const Explanation explanation =
                    explain(static_cast<Figure>(figure), scenario, prediction.value(), stage);
                checkWords(explanation);
                checkLine(QString::fromStdString(explanation.with_values),
                          shown(static_cast<Figure>(figure), prediction.value(), stage));
            }
    }

    void everyMessageComesOutAtThePrediction_data() { scenarios(); }
    void everyMessageComesOutAtThePrediction()
    {
        QFETCH(QByteArray, json);
        const Scenario scenario = read(json);
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        for (const StagePrediction& stage : prediction.value().stages)
            for (const Message& message : stage.messages) {
                const Explanation explanation = explain(message, stage.stage, scenario, prediction.value());
                checkWords(explanation);
                const QStringList lines = QString::fromStdString(explanation.with_values).split('\n');
                QCOMPARE(lines.size(), 4);
                checkLine(lines[0].mid(6), shownWhole(message.count));
                checkLine(lines[1].mid(5), shownBytes(message.message_bytes));
                checkLine(lines[2].mid(8), shownBytes(message.total_bytes));
                checkLine(lines[3].mid(5), {message.wire_bytes, formatBytes(message.wire_bytes)});
            }
    }

    void optimizersSayWhatTheyKeep_data()
    {
        QTest::addColumn<QByteArray>("training");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* training, const char* sentence) {
            QTest::newRow(training) << QByteArray{training} << QString{sentence};
        };
        row(R"("precision": "bf16")",
            "Adam keeps K = 12 bytes for each parameter, a copy of the weight in fp32 included. ");
        row(R"("precision": "fp32")", "Adam keeps K = 8 bytes for each parameter. ");
        row(R"("master_bytes": 2, "exp_avg_bytes": 2, "exp_avg_sq_bytes": 1)",
            "Adam keeps K = 5 bytes for each parameter: 2 of a copy of the weight, 2 and 1 of its moments. ");
        row(R"("master_bytes": 0, "optimizer": "sgd", "exp_avg_bytes": 2)",
            "SGD keeps K = 2 bytes for each parameter: no copy of the weight, 2 of the momentum. ");
    }
    void optimizersSayWhatTheyKeep()
    {
        QFETCH(QByteArray, training);
        QFETCH(QString, sentence);
        const Scenario scenario = read("{\"training\": {" + training + "}}");
        const std::string why = explain(Figure::optimizer_memory, scenario, predict(scenario).value(), 0).why;
        QVERIFY2(QString::fromStdString(why).startsWith(sentence), why.c_str());
    }

    // Li et al., Table 3: 14 layers of stage 0 and 8 micro-batches make 112 of each, of
    // 2 * 32 * 1024 * 2000 B = 125 MiB.
    void messageOfLiEtAl()
    {
        const Scenario scenario = read(li_table_3);
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        const std::vector<Message>& messages = prediction.value().stages[0].messages;
        const auto attention = std::ranges::find(messages, std::string_view{"attention"}, &Message::what);
        QVERIFY(attention != messages.end());
        const Explanation explanation = explain(*attention, 0, scenario, prediction.value());
        QCOMPARE(QString::fromStdString(explanation.title), "tp all_reduce: attention, forward");
        QCOMPARE(QString::fromStdString(explanation.formula),
                 "count m * layers; size e * b * s * h; payload count * size; wire 2 (n - 1) / n * payload");
        QCOMPARE(QString::fromStdString(explanation.with_values),
                 "count 8 * 14 = 112\nsize 2 * 32 * 1024 * 2000 = 125 MiB\n"
                 "payload 112 * 125 MiB = 13.7 GiB\nwire 2 * (2 - 1) / 2 * 13.672 GiB = 13.7 GiB");
    }

    // Down to the model's own figures, and each line stands in the one above it.
    void theNumeratorOfTheUtilisationIsWorkedOut_data() { scenarios(); }
    void theNumeratorOfTheUtilisationIsWorkedOut()
    {
        QFETCH(QByteArray, json);
        const Scenario scenario = read(json);
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        for (const Figure figure : {Figure::mfu, Figure::hfu}) {
            const Explanation explanation = explain(figure, scenario, prediction.value());
            const QStringList lines = QString::fromStdString(explanation.parts).split('\n');
            const QString numerator = lines[0].section(" = ", -1);
            QVERIFY2(QString::fromStdString(explanation.with_values).startsWith(numerator + " / ("),
                     explanation.with_values.c_str());
            QCOMPARE(lines.size() > 1, scenario.model.kind == ModelKind::transformer);
            for (const QString& line : lines) {
                const double value = Arithmetic::value(line.section(" = ", -2, -2));
                const double shown = Arithmetic::value(line.section(" = ", -1));
                QVERIFY2(std::fabs(value - shown) <= 2e-5 * shown, qPrintable(line));
                QVERIFY2(&line == &lines[0] || lines.join('\n').count(line.section(" = ", 0, 0)) > 1,
                         qPrintable(line));
            }
        }
    }

    // GPT-3 175B, fp16: 2 * 2048 * 12288 B = 48 MiB, in each of stage 0's 12 layers 6 times with full
    // recomputation, and once for the embedding: 73 calls for each of 32 micro-batches.
    void callsOfTheDetailedModel()
    {
        const Scenario scenario = read(R"({"model": {"preset": "gpt3-175b"}, "time_model": "detailed",
            "cluster": {"preset": "dgx-a100"}, "parallel": {"pipeline": 8, "tensor": 8, "data": 4},
            "training": {"global_batch_size": 128, "micro_batch_size": 1, "precision": "fp16", "recompute": "full"}})");
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        const Explanation calls = explain(Figure::tp_time, scenario, prediction.value());
        QVERIFY2(QString::fromStdString(calls.parts)
                     .startsWith("all_reduce of 48 MiB over 8 ranks of a node: 2336 of "),
                 calls.parts.c_str());
        for (const Message& message : prediction.value().stages[0].messages) {
            const QString parts =
                QString::fromStdString(explain(message, 0, scenario, prediction.value()).parts);
            QVERIFY2(parts.isEmpty() == (message.op == Op::recv), qPrintable(parts));
            QCOMPARE(parts.contains("bus bandwidth"), message.op != Op::recv && message.op != Op::send);
        }
    }

    void whatActivationsAreMadeOfComesOut_data() { scenarios(); }
    void whatActivationsAreMadeOfComesOut()
    {
        QFETCH(QByteArray, json);
        const Scenario scenario = read(json);
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        for (int stage = 0; stage < static_cast<int>(scenario.parallel.pipeline); ++stage) {
            const Explanation explanation =
                explain(Figure::activations_memory, scenario, prediction.value(), stage);
            QCOMPARE(explanation.parts.empty(), scenario.model.kind == ModelKind::parameter_list);
            for (const QString& line :
                 QString::fromStdString(explanation.parts).split('\n', Qt::SkipEmptyParts)) {
                const double value = Arithmetic::value(line.section(" = ", -2, -2));
                const double shown = Arithmetic::value(line.section(" = ", -1));
                QVERIFY2(std::fabs(value - shown) <= 2e-4 * shown, qPrintable(line));
            }
        }
    }

    void figuresOfLiEtAl_data()
    {
        QTest::addColumn<Figure>("figure");
        QTest::addColumn<QString>("values");
        QTest::newRow("parameters") << Figure::parameters_total
                                    << "54 * 48 026 000 + 50 257 * 2000 + 2 048 000 + 4000 = 2.696 B";
        QTest::newRow("GPUs") << Figure::world_size << "4 * 2 * 1 * 4 = 32";
        QTest::newRow("micro-batches") << Figure::micro_batches << "1024 / 32 / 4 = 8";
    }
    void figuresOfLiEtAl()
    {
        QFETCH(Figure, figure);
        const Scenario scenario = read(li_table_3);
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        QTEST(QString::fromStdString(explain(figure, scenario, prediction.value()).with_values), "values");
    }

private:
    static void scenarios()
    {
        QTest::addColumn<QByteArray>("json");
        const auto row = [](const char* name, const char* json) { QTest::newRow(name) << QByteArray{json}; };
        row("Li et al.", li_table_3);
        row("default", R"({"time_model": "li"})");
        row("ZeRO 1", R"({"parallel": {"data": 8, "zero_stage": 1}, "time_model": "li"})");
        row("ZeRO 2", R"({"parallel": {"data": 8, "zero_stage": 2, "tensor": 2}, "time_model": "li"})");
        row("ZeRO 3",
            R"({"conventions": {"framework": "fsdp"}, "parallel": {"data": 8}, "time_model": "li"})");
        row("DeepSpeed", R"({"conventions": {"framework": "deepspeed"}, "time_model": "li",
            "parallel": {"data": 4, "tensor": 2, "pipeline": 2, "zero_stage": 1}})");
        row("one reduce for each owner", R"({"conventions": {"zero_reduction": "reduce"}, "time_model": "li",
            "parallel": {"data": 4, "zero_stage": 2}})");
        row("DDP", R"({"conventions": {"framework": "ddp"}, "parallel": {"data": 8}, "time_model": "li"})");
        row("sequence parallelism", R"({"parallel": {"tensor": 4, "pipeline": 2, "sequence_parallel": true},
            "training": {"recompute": "full"}, "time_model": "li"})");
        row("broadcast batch", R"({"parallel": {"tensor": 4}, "conventions": {"tp_broadcast_batch": true},
            "training": {"recompute": "selective"}, "time_model": "li"})");
        row("interleaved", R"({"parallel": {"pipeline": 4, "virtual_stages": 3}, "time_model": "li"})");
        row("zero bubble 1", R"({"parallel": {"pipeline": 4, "schedule": "zb-h1"}, "time_model": "li"})");
        row("zero bubble 2", R"({"parallel": {"pipeline": 4, "schedule": "zb-h2"}, "time_model": "li"})");
        row("DualPipe", R"({"parallel": {"pipeline": 8, "schedule": "dualpipe"}, "time_model": "li"})");
        row("ring attention", R"({"model": {"preset": "llama3-8b"}, "time_model": "li",
            "parallel": {"context": 4, "tensor": 2, "data": 2}})");
        row("Ulysses", R"({"model": {"preset": "llama3-8b"}, "time_model": "li",
            "parallel": {"context": 4, "tensor": 2, "context_method": "ulysses"}})");
        row("gathered keys and values", R"({"model": {"preset": "llama3-8b"}, "time_model": "li",
            "parallel": {"context": 4, "tensor": 2, "context_method": "all_gather"}})");
        row("the same by PyTorch", R"({"model": {"preset": "llama3-8b"}, "time_model": "li",
            "conventions": {"framework": "fsdp"}, "parallel": {"context": 4}})");
        row("Mixtral", R"({"model": {"preset": "mixtral-8x7b"}, "time_model": "li",
            "parallel": {"data": 8, "expert": 4, "tensor": 2, "sequence_parallel": true}})");
        row("fixed capacity", R"({"model": {"preset": "mixtral-8x7b", "experts": {"capacity_factor": 1.25}},
            "parallel": {"data": 4, "expert": 2}, "time_model": "li"})");
        row("DeepSeek-V3", R"({"model": {"preset": "deepseek-v3"}, "time_model": "li",
            "parallel": {"data": 64, "expert": 64, "pipeline": 16}})");
        row("further tokens", R"({"model": {"preset": "deepseek-v3", "mtp_layers": 2}, "time_model": "li",
            "parallel": {"data": 64, "expert": 64, "pipeline": 16}})");
        row("T5", R"({"model": {"preset": "t5-small"}, "parallel": {"data": 2, "tensor": 2,
            "sequence_parallel": true}})");
        row("BERT", R"({"model": {"preset": "bert-base"}, "parallel": {"pipeline": 2, "tensor": 2},
            "time_model": "li"})");
        // Every part of a played schedule: overlap, sequence parallelism, both ends of the model on a stage,
        // uneven stages, experts.
        row("detailed",
            R"({"model": {"preset": "gpt3-175b"}, "parallel": {"pipeline": 8, "tensor": 8, "data": 4},
            "training": {"global_batch_size": 128, "recompute": "full"}})");
        row("detailed, overlapped", R"({"model": {"preset": "llama3-8b"}, "conventions": {"dp_overlap": true,
            "tp_overlap": true}, "parallel": {"tensor": 4, "data": 8, "zero_stage": 1, "sequence_parallel": true}})");
        row("FSDP in fp8", R"({"model": {"preset": "llama3-8b"}, "training": {"precision": "fp8"},
            "conventions": {"framework": "fsdp", "fp8_param_gather": true}, "parallel": {"data": 64}})");
        row("detailed, interleaved, scattered",
            R"({"parallel": {"pipeline": 4, "tensor": 2, "virtual_stages": 3},
            "conventions": {"pp_partitioned": true}})");
        row("detailed, zero bubble", R"({"parallel": {"pipeline": 4, "schedule": "zb-h2"}})");
        row("detailed, ring attention", R"({"model": {"preset": "llama3-8b"},
            "parallel": {"context": 4, "tensor": 2, "data": 2}})");
        row("detailed, Mixtral", R"({"model": {"preset": "mixtral-8x7b"},
            "parallel": {"data": 8, "expert": 4, "tensor": 2, "sequence_parallel": true}})");
        row("DualPipe, DeepEP",
            R"({"model": {"preset": "deepseek-v3"}, "training": {"global_batch_size": 8192},
            "conventions": {"token_dispatcher": "deepep", "fp8_dispatch": true},
            "parallel": {"data": 64, "expert": 64, "pipeline": 16, "schedule": "dualpipe"}})");
        row("detailed, multi-token prediction",
            R"({"model": {"preset": "mixtral-8x7b", "mtp_layers": 1},
            "parallel": {"data": 8, "expert": 4, "tensor": 2, "sequence_parallel": true, "pipeline": 2}})");
        row("zero bubble, multi-token prediction", R"({"model": {"mtp_layers": 1},
            "parallel": {"pipeline": 4, "schedule": "zb-h2"}})");
        row("zero bubble, recomputed", R"({"parallel": {"pipeline": 4, "schedule": "zb-h1"},
            "training": {"recompute": "full"}})");
        row("operators kept", R"({"model": {"preset": "llama3-8b"}, "training": {"recompute": "selective"},
            "conventions": {"framework": "fsdp"}, "parallel": {"data": 8}})");
        row("DDP, scores computed again", R"({"training": {"recompute": "selective"},
            "conventions": {"framework": "ddp"}, "parallel": {"data": 8}})");
        row("VGG16", R"({"model": {"preset": "vgg16"}, "conventions": {"framework": "ddp"},
            "training": {"precision": "fp32"}, "parallel": {"data": 8}, "time_model": "li"})");
    }

    static void checkWords(const Explanation& explanation)
    {
        QVERIFY(!explanation.title.empty());
        QVERIFY2(!explanation.why.empty(), explanation.title.c_str());
        QVERIFY2(!explanation.formula.empty(), explanation.title.c_str());
        QVERIFY2(!explanation.source.empty(), explanation.title.c_str());
    }

    // "8 * 14 = 112": the left side has to come out at the predicted value, the right side to show it.
    static void checkLine(const QString& line, const Shown& expected)
    {
        const QString left = line.section(" = ", 0, 0);
        QCOMPARE(line.section(" = ", 1), QString::fromStdString(expected.text));
        const double value = Arithmetic::value(left);
        // Times are shown with four digits and their unit, sizes with five.
        static const QRegularExpression time{"\\d (s|ms|\u00b5s|ns)\\b"};
        static const QRegularExpression size{"\\d ([KMGTPE]i)?B\\b"};
        const double within = time.match(left).hasMatch()   ? 1.5e-3
                              : size.match(left).hasMatch() ? 2e-4
                                                            : 2e-5;
        QVERIFY2(std::fabs(value - expected.value) <= within * std::fabs(expected.value) + 1e-12,
                 qPrintable(line));
    }
};

QTEST_APPLESS_MAIN(TestExplanation)
#include "tst_explanation.moc"
