#include <QTest>

#include <QDir>
#include <QFile>
#include <QHash>
#include <QRegularExpression>

#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/memory/memory_moments.h"
#include "core/prediction/predict.h"
#include "core/report/explanation/explanation.h"
#include "core/scenario/layer_form_words.h"
#include "tests/core/report/arithmetic.h"
#include "tests/core/report/explanation/read_scenario.h"

using namespace shardscope;

namespace
{

QStringList linesOf(const Explanation& explanation)
{
    return QString::fromStdString(explanation.parts).split('\n', Qt::SkipEmptyParts);
}

// "the recomputed layer = symbols = values = result"; a term's name stands before what it means.
QString nameOf(const QString& line)
{
    return line.section(" = ", 0, 0).section(" (", 0, 0);
}
QString symbolsOf(const QString& line)
{
    return line.section(" = ", -3, -3);
}
QString valuesOf(const QString& line)
{
    return line.section(" = ", -2, -2);
}
QString resultOf(const QString& line)
{
    return line.section(" = ", -1);
}

QStringList factorsOf(const QString& expression)
{
    static const QRegularExpression operators{"[+*/()]"};
    QStringList factors;
    for (const QString& part : expression.split(operators))
        if (!part.trimmed().isEmpty())
            factors += part.trimmed();
    return factors;
}

// A run of a preset, or none where the layout does not fit the model.
struct Layout {
    const char* recompute = "none";
    int tensor = 1;
    bool splits_tokens = false;
    int context = 1;
    int expert = 1;
    const char* framework = "megatron";
    const char* method = "ring";
    bool flash_attention = false;

    QByteArray json(const QByteArray& preset) const
    {
        return R"({"model": {"preset": ")" + preset + R"("}, "training": {"recompute": ")" + recompute
               + R"(", "flash_attention": )" + word(flash_attention)
               + R"(, "micro_batch_size": 1, "global_batch_size": 64}, "parallel": {"data": 8, "tensor": )"
               + QByteArray::number(tensor) + R"(, "context": )" + QByteArray::number(context)
               + R"(, "expert": )" + QByteArray::number(expert) + R"(, "context_method": ")" + method
               + R"(", "sequence_parallel": )" + word(splits_tokens) + R"(}, "conventions": {"framework": ")"
               + framework + R"("}})";
    }

private:
    static const char* word(bool yes) { return yes ? "true" : "false"; }
};

std::vector<Layout> layouts()
{
    std::vector<Layout> all;
    for (const char* recompute : {"none", "selective", "full"})
        for (const int tensor : {1, 2, 8})
            for (const bool splits_tokens : {false, true})
                for (const int context : {1, 2})
                    for (const int expert : {1, 8}) {
                        const Layout layout{recompute, tensor, splits_tokens, context, expert};
                        all.push_back(layout);
                        all.push_back({recompute, tensor, splits_tokens, context, expert, "fsdp"});
                        all.push_back(
                            {recompute, tensor, splits_tokens, context, expert, "megatron", "ulysses", true});
                    }
    return all;
}

// What the prediction says of what a line is called.
std::int64_t predictedBytes(const QString& name, const IterationFigures& figures)
{
    const Repeats repeats = repeatsOf(figures.scenario);
    if (name == "a layer" || name == "a dense layer")
        return layerActivationBytes(figures, LayerForm::attention_mlp, repeats)
               - crossAttentionBytes(figures, LayerForm::attention_mlp, repeats);
    if (name == "a MoE layer")
        return layerActivationBytes(figures, LayerForm::attention_experts, repeats);
    if (name == "the recomputed layer") { // on the only stage, which has layers of experts if any has
        const LayerForm form = fullestLayerMoment(figures, layOutStages(figures).front()).form;
        return layerActivationBytes(figures, form, no_repeats)
               - crossAttentionBytes(figures, form, no_repeats);
    }
    for (std::size_t i = 0; i < layer_form_count; ++i) {
        const auto form = static_cast<LayerForm>(i);
        if (name == QString{"a layer of "} + layerFormWords(form).data())
            return layerActivationBytes(figures, form, repeats);
    }
    if (name == "cross-attention")
        return crossAttentionBytes(figures, LayerForm::attention_mlp, repeatsOfOthers(figures.scenario));
    if (name == "a layer of the encoder")
        return encoderLayerBytes(figures, repeats);
    if (name == "inputs and gradients" || name == "MoE inputs and gradients")
        return weightGradientWaitBytes(figures, name.startsWith("MoE") ? LayerForm::attention_experts
                                                                       : LayerForm::attention_mlp);
    return name == "the encoder's output" ? encoderLayerBytes(figures, whole_layer) : 0;
}

// To the byte; a share that the tensor group does not divide is rounded down.
void checkLayer(const QString& line, const IterationFigures& figures)
{
    QString values = valuesOf(line);
    if (symbolsOf(line).endsWith(" + cross-attention"))
        values = values.section(" + ", 0, -2);
    const auto predicted = static_cast<double>(predictedBytes(nameOf(line), figures));
    QVERIFY2(predicted > 0.0 && std::fabs(Arithmetic::value(values) - predicted) < 2.0, qPrintable(line));
}

// Each name in the line has a line of its own that comes out at what stands for it; none is left in bytes
// alone.
void checkNames(const QString& line, const QHash<QString, QString>& results)
{
    static const QStringList figures{"s", "s of the encoder", "b", "c", "t", "e", "h"};
    const QStringList names = factorsOf(symbolsOf(line));
    const QStringList values = factorsOf(valuesOf(line));
    QCOMPARE(names.size(), values.size());
    for (qsizetype i = 0; i < names.size(); ++i) {
        if (figures.contains(names[i]))
            continue;
        QVERIFY2(results.contains(names[i]), qPrintable(names[i] + " in: " + line));
        const double result = Arithmetic::value(results[names[i]]);
        const bool is_size = names[i] == "cross-attention"; // five digits
        QVERIFY2(std::fabs(result - Arithmetic::value(values[i])) <= (is_size ? 1e-5 * result : 0.0),
                 qPrintable(line));
    }
}

void checkLines(const QStringList& lines, const IterationFigures& figures)
{
    static const QRegularExpression layer{"\\bs( of the encoder)? \\* b\\b"};
    QHash<QString, QString> results;
    for (const QString& line : lines) {
        QVERIFY2(!results.contains(nameOf(line)), qPrintable(line)); // names are not ambiguous
        results.insert(nameOf(line), resultOf(line));
    }
    for (const QString& line : lines) {
        const double shown = Arithmetic::value(resultOf(line));
        QVERIFY2(std::fabs(Arithmetic::value(valuesOf(line)) - shown) <= 2e-4 * shown, qPrintable(line));
        if (!symbolsOf(line).contains(layer))
            continue;
        checkLayer(line, figures);
        checkNames(line, results);
    }
}

Explanation activationsOf(const QByteArray& json, int stage = 0)
{
    const Scenario scenario = read(json);
    return explain(Figure::activations_memory, scenario, predict(scenario).value(), stage);
}

QByteArray fileText(const QString& path)
{
    QFile file{path};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

} // namespace

class TestActivationExplanation : public QObject
{
    Q_OBJECT
private slots:
    void termsOfLayersSumToThePrediction_data()
    {
        QTest::addColumn<QByteArray>("preset");
        for (const ModelPreset& model : shipped().models())
            QTest::newRow(model.name.c_str()) << QByteArray::fromStdString(model.name);
    }
    void termsOfLayersSumToThePrediction()
    {
        QFETCH(QByteArray, preset);
        int explained = 0;
        for (const Layout& layout : layouts()) {
            const auto reading = readScenario(layout.json(preset).toStdString(), shipped());
            if (!reading)
                continue;
            const Scenario& scenario = reading.value().scenario;
            const auto prediction = predict(scenario);
            if (!prediction || scenario.model.kind == ModelKind::parameter_list)
                continue;
            ++explained;
            checkLines(linesOf(explain(Figure::activations_memory, scenario, prediction.value())),
                       IterationFigures{scenario});
            if (QTest::currentTestFailed())
                return;
        }
        const bool has_layers =
            read(R"({"model": {"preset": ")" + preset + R"("}})").model.kind == ModelKind::transformer;
        QCOMPARE(explained > 0, has_layers);
    }

    void termsOfExamplesSumToThePrediction_data()
    {
        QTest::addColumn<QByteArray>("json");
        const QDir folder{SHARDSCOPE_SOURCE_FOLDER "/resources/examples"};
        for (const QString& name : folder.entryList({"*.scenario.json"}))
            QTest::newRow(qPrintable(name)) << fileText(folder.filePath(name));
    }
    void termsOfExamplesSumToThePrediction()
    {
        QFETCH(QByteArray, json);
        Scenario scenario = read(json);
        for (const Schedule schedule : {scenario.parallel.schedule, Schedule::zb_h1})
            for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
                scenario.training.recompute = recompute;
                scenario.parallel.schedule = schedule;
                const auto prediction = predict(scenario);
                if (!prediction) // an interleaved one with zero bubbles
                    continue;
                const IterationFigures figures{scenario};
                for (int stage = 0; stage < static_cast<int>(scenario.parallel.pipeline); ++stage)
                    checkLines(
                        linesOf(explain(Figure::activations_memory, scenario, prediction.value(), stage)),
                        figures);
            }
    }

    // Stages without ends: 14 layers keep their input each, and the one at work is whole, s b h (10 + 24 / t
    // + 5 a s / (h t)) (Korthikanti et al. 2022). The first stage has the embedding's mask, s b h, besides.
    void theRecomputedLayerIsNamed_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<QString>("formula");
        QTest::addColumn<QString>("values");
        QTest::newRow("first")
            << 0
            << "layers of the stage * in flight + the embedding's dropout mask * in flight + "
               "the recomputed layer"
            << "1.709 GiB * 4 + 62.5 MiB * 4 + 4.4678 GiB = 11.5 GiB";
        QTest::newRow("without ends") << 1 << "layers of the stage * in flight + the recomputed layer"
                                      << "1.709 GiB * 3 + 4.4678 GiB = 9.595 GiB";
    }
    void theRecomputedLayerIsNamed()
    {
        QFETCH(int, stage);
        const Explanation explanation = activationsOf(li_table_3, stage);
        QTEST(QString::fromStdString(explanation.formula), "formula");
        QTEST(QString::fromStdString(explanation.with_values), "values");
        QCOMPARE(
            linesOf(explanation),
            (QStringList{
                "layers of the stage = layers * a layer = 14 * 125 MiB = 1.709 GiB",
                "a layer = s * b * e * h = 1024 * 32 * 2 * 2000 = 125 MiB",
                "the recomputed layer = s * b * (norms + dropout masks + (attention + scores + MLP) / t) = "
                "1024 * 32 * (16 000 + 4000 + (16 000 + 204 800 + 32 000) / 2) = 4.4678 GiB",
                "norms (input and output of each) = 4 * e * h = 4 * 2 * 2000 = 16 000 B",
                "dropout masks (after attention and MLP, a byte each) = 2 * h = 2 * 2000 = 4000 B",
                "attention (queries, keys, values and what it returns) = 2 * e * dh * (a + k) = "
                "2 * 2 * 50 * (40 + 40) = 16 000 B",
                "scores (the softmax, what dropout leaves of it, and its mask) = (2 * e + 1) * a * s = "
                "(2 * 2 + 1) * 40 * 1024 = 204 800 B",
                "MLP (what goes into the nonlinear function, and what comes out) = 2 * e * f = "
                "2 * 2 * 8000 = 32 000 B"}));
    }

    // Table 2 of Korthikanti et al. 2022, where the model is theirs.
    void thePapersFormulaIsGivenWhereItHolds_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QString>("formula");
        const auto row = [](const char* name, const char* json, const char* formula) {
            QTest::newRow(name) << QByteArray{json} << QString{formula};
        };
        row("tensor", R"({"model": {"preset": "gpt-22b"}, "parallel": {"tensor": 8},
            "training": {"flash_attention": false}})",
            "s b h (10 + 24 / t + 5 a s / (h t))");
        row("tensor and tokens", R"({"model": {"preset": "gpt-22b"}, "training": {"flash_attention": false},
            "parallel": {"tensor": 8, "sequence_parallel": true}})",
            "s b h / t (34 + 5 a s / h)");
        row("selective", R"({"model": {"preset": "gpt-22b"}, "parallel": {"tensor": 8},
            "training": {"recompute": "selective"}})",
            "s b h (10 + 24 / t)");
        row("selective, tokens", R"({"model": {"preset": "gpt-22b"}, "training": {"recompute": "selective"},
            "parallel": {"tensor": 8, "sequence_parallel": true}})",
            "34 s b h / t");
        row("no scores are kept", R"({"model": {"preset": "gpt-22b"}, "parallel": {"tensor": 8},
            "training": {"flash_attention": true}})",
            "");
        row("a gated MLP", R"({"model": {"preset": "llama3-8b"}, "training": {"recompute": "selective"}})",
            "");
    }
    void thePapersFormulaIsGivenWhereItHolds()
    {
        QFETCH(QByteArray, json);
        QFETCH(QString, formula);
        const QString why = QString::fromStdString(activationsOf(json).why);
        QVERIFY2(formula.isEmpty() ? !why.contains("Korthikanti")
                                   : why.contains("Korthikanti et al. write the layer as " + formula + ","),
                 qPrintable(why));
    }

    void termsAreNamed_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QStringList>("lines");
        const auto row = [](const char* name, const char* json, const QStringList& lines) {
            QTest::newRow(name) << QByteArray{json} << lines;
        };
        row("Mixtral: tokens are gathered for the experts", R"({"model": {"preset": "mixtral-8x7b"},
            "parallel": {"data": 8, "expert": 4, "tensor": 2, "sequence_parallel": true}})",
            {"a MoE layer = s * b * ((norms + attention + statistics + experts + experts' results) / t + "
             "experts' inputs) = 4096 * 4 * ((32 768 + 20 480 + 128 + 172 032 + 16 384) / 2 + 16 384) = "
             "2.0947 GiB",
             "experts' inputs (tokens as they are sent, all of them on each tensor rank) = e * h * experts "
             "per "
             "token = 2 * 4096 * 2 = 16 384 B",
             "width (of the experts that a token passes) = experts per token * f of an expert = 2 * 14 336 = "
             "28 672"});
        row("capacity", R"({"model": {"preset": "mixtral-8x7b", "experts": {"capacity_factor": 1.25}},
            "parallel": {"data": 4, "expert": 2}})",
            {"experts' results (as they come back) = e * h * rows = 2 * 4096 * 2.5 = 20 480 B",
             "rows (that experts compute for a token) = experts * slots of each / tokens = 8 * 5120 / 16 384 "
             "= "
             "2.5"});
        row("DeepSeek-V3: latents and shared experts", R"({"model": {"preset": "deepseek-v3"},
            "training": {"micro_batch_size": 1}, "parallel": {"data": 64, "expert": 64, "pipeline": 16}})",
            {"latents (queries, and keys with values, compressed; keys that rotate) = e * (rq + rkv + dr) = "
             "2 * (1536 + 512 + 64) = 4224 B",
             "attention (queries, keys, values and what it returns) = 2 * e * a * (dn + dr + dv) = "
             "2 * 2 * 128 * (128 + 64 + 128) = 163 840 B",
             "width (of the experts that a token passes) = (experts per token + shared experts) * f of an "
             "expert = (8 + 1) * 2048 = 18 432"});
        row("T5: attention to the encoder", R"({"model": {"preset": "t5-small"}, "parallel": {"tensor": 2}})",
            {"cross-attention = s * b * (cross norm + (cross queries + scores with the encoder) / t) + "
             "s of the encoder * b * cross keys / t = 512 * 4 * (2048 + (2048 + 8192) / 2) + "
             "512 * 4 * 2048 / 2 = 16 MiB",
             "cross keys (and values) = 2 * e * k * dh = 2 * 2 * 8 * 64 = 2048 B"});
        row("PyTorch's checkpoints of operators", R"({"model": {"preset": "llama3-8b"},
            "training": {"recompute": "selective"}, "conventions": {"framework": "fsdp"}})",
            {"attention's products (queries, values and what it returns) = e * dh * (2 * a + k) = "
             "2 * 128 * (2 * 32 + 8) = 18 432 B"});
        row("Ulysses", R"({"model": {"preset": "llama3-8b"}, "parallel": {"context": 4,
            "context_method": "ulysses"}})",
            {"exchanged result (what attention returns once more, by tokens) = e * a * dh = 2 * 32 * 128 = "
             "8192 B"});
        row("fewer heads of keys than tensor ranks", R"({"model": {"preset": "palm-8b"},
            "parallel": {"tensor": 8}})",
            {"attention (queries, keys, values and what it returns) = 2 * e * dh * (a + max(k, t)) = "
             "2 * 2 * 256 * (16 + 8) = 24 576 B"});
    }
    void termsAreNamed()
    {
        QFETCH(QByteArray, json);
        QFETCH(QStringList, lines);
        const QStringList written = linesOf(activationsOf(json));
        for (const QString& line : lines)
            QVERIFY2(written.contains(line), qPrintable(line + "\n\n" + written.join('\n')));
    }

    // What stands beyond the layers is named: with ZB-H1 it is most of a late stage's activations.
    void gradientsThatArePutOffAreNamed()
    {
        const Explanation explanation = activationsOf(R"({"parallel": {"pipeline": 4, "schedule": "zb-h1"},
            "training": {"recompute": "full", "global_batch_size": 64, "micro_batch_size": 1}})",
                                                      2);
        QCOMPARE(explanation.formula,
                 "layers of the stage * in flight + put-off weight gradients + the recomputed layer");
        QVERIFY2(explanation.why.find("put off wait") != std::string::npos, explanation.why.c_str());
        QVERIFY(explanation.why.find("Full recomputation saves nothing of that") != std::string::npos);
        // 32 s b h of a layer (Qi et al. 2024, Table 1).
        const QStringList lines = linesOf(explanation);
        QVERIFY2(
            lines.contains("inputs and gradients = s * b * (blocks' ends + attention's gradients + MLP's "
                           "gradients) = 2048 * 1 * (16 384 + 16 384 + 32 768) = 128 MiB"),
            qPrintable(lines.join('\n')));
    }
};

QTEST_APPLESS_MAIN(TestActivationExplanation)
#include "tst_activation_explanation.moc"
