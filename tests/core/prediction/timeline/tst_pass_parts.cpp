#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/timeline/timeline.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/scenarios.h"

#include <cmath>
#include <map>

using namespace shardscope;

namespace
{

Scenario detailed(int pipeline, int tensor, int data)
{
    Scenario scenario = test::gpt3b(pipeline, tensor, data);
    scenario.time_model = TimeModel::detailed;
    return scenario;
}

const PassParts& passOf(const PredictedTimeline& timeline, int place, PassForm form)
{
    return timeline.passes.at(passPartsIndex(place, form));
}

// "attention_norm attention* ...": messages have a star.
QStringList namesOf(const PassParts& pass, int layer)
{
    QStringList names;
    for (const PassPart& part : pass.in_turn)
        if (part.layer == layer)
            names << QString::fromUtf8(part.what.data(), static_cast<qsizetype>(part.what.size()))
                         + (part.is_message ? QStringLiteral(" ") + QString::fromUtf8(word(part.op).data())
                                            : QString{});
    return names;
}

double hiddenSeconds(const PassParts& pass, Kind kind)
{
    double seconds = 0.0;
    for (const PassPart& part : pass.beside)
        if (part.kind == kind)
            seconds += part.duration_s;
    return seconds;
}

} // namespace

class TestPassParts : public QObject
{
    Q_OBJECT
private slots:
    void tensorRanksSumBehindAttentionAndMlp()
    {
        Scenario scenario = detailed(2, 2, 1);
        scenario.training.recompute = Recompute::none;
        const PredictedTimeline timeline = timelineOf(scenario);
        QCOMPARE(
            namesOf(passOf(timeline, 0, PassForm::forward), 3),
            (QStringList{"norm, dropout, residual", "queries, keys, values", "attention", "output projection",
                         "attention all_reduce", "norm, dropout, residual", "MLP, first product",
                         "activation function", "MLP, second product", "mlp all_reduce"}));
        QCOMPARE(namesOf(passOf(timeline, 0, PassForm::backward), 3),
                 (QStringList{"MLP, second product", "activation function", "MLP, first product",
                              "mlp all_reduce", "norm, dropout, residual", "output projection", "attention",
                              "queries, keys, values", "attention all_reduce", "norm, dropout, residual"}));
    }

    void sequenceParallelRanksGatherBeforeAndScatterBehindTheProducts()
    {
        Scenario scenario = detailed(1, 2, 1);
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.tp_overlap = false;
        const QStringList names = namesOf(passOf(timelineOf(scenario), 0, PassForm::forward), 0);
        QCOMPARE(names.filter("all_gather").size(), 2);
        QVERIFY(names.indexOf("attention all_gather") < names.indexOf("queries, keys, values"));
        QVERIFY(names.indexOf("attention reduce_scatter") > names.indexOf("output projection"));
        QVERIFY(names.indexOf("mlp all_gather") < names.indexOf("MLP, first product"));
        QVERIFY(names.indexOf("mlp reduce_scatter") > names.indexOf("MLP, second product"));
    }

    void aLayerIsComputedAgainJustBeforeItsGradients()
    {
        Scenario scenario = detailed(1, 2, 1);
        scenario.training.recompute = Recompute::full;
        const PredictedTimeline timeline = timelineOf(scenario);
        Phase before = Phase::backward;
        int layer = 100;
        for (const PassPart& part : passOf(timeline, 0, PassForm::backward).in_turn) {
            if (part.layer < 0)
                continue;
            QVERIFY(part.layer <= layer);
            if (part.layer == layer)
                QVERIFY(before == Phase::recompute || part.phase == Phase::backward);
            else
                QCOMPARE(static_cast<int>(part.phase), static_cast<int>(Phase::recompute));
            layer = part.layer;
            before = part.phase;
        }
        QCOMPARE(layer, 0);
    }

    void tokensTravelBetweenRouterAndExperts()
    {
        Scenario scenario = detailed(1, 1, 4);
        scenario.model.experts.count = 8;
        scenario.model.experts.per_token = 2;
        scenario.model.experts.ffn_hidden_size = scenario.model.ffn_hidden_size;
        scenario.parallel.expert = 4;
        const QStringList names = namesOf(passOf(timelineOf(scenario), 0, PassForm::forward), 0);
        QVERIFY(names.indexOf("router") < names.indexOf("dispatch all_to_all"));
        QVERIFY(names.indexOf("dispatch all_to_all") < names.indexOf("experts, first product"));
        QVERIFY(names.indexOf("experts, second product") < names.indexOf("combine all_to_all"));
    }

    void virtualStagesHaveTheirOwnLayers()
    {
        Scenario scenario = detailed(2, 1, 1);
        scenario.parallel.schedule = Schedule::interleaved;
        scenario.parallel.virtual_stages = 2;
        const PredictedTimeline timeline = timelineOf(scenario);
        int next = 0;
        for (int place = 0; place < 4; ++place)
            for (const PassPart& part : passOf(timeline, place, PassForm::forward).in_turn)
                if (part.layer >= 0) {
                    QVERIFY(part.layer == next || part.layer == next - 1);
                    next = std::max(next, part.layer + 1);
                }
        QCOMPARE(next, static_cast<int>(scenario.model.layers));
        QCOMPARE(passOf(timeline, 0, PassForm::forward).in_turn.front().layer, -1); // the embedding
        QCOMPARE(passOf(timeline, 3, PassForm::forward).in_turn.back().layer, -1);  // the loss
    }

    void hiddenMessagesRunBeneathTheProducts()
    {
        Scenario scenario = detailed(1, 2, 1);
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.tp_overlap = false;
        QCOMPARE(passOf(timelineOf(scenario), 0, PassForm::forward).beside.size(), std::size_t{0});
        scenario.conventions.tp_overlap = true;
        const Result<Prediction> prediction = predict(scenario);
        const PredictedTimeline timeline = predictTimeline(scenario, prediction.value());
        const double m = static_cast<double>(prediction.value().micro_batches);
        const double hidden = m
                              * (hiddenSeconds(passOf(timeline, 0, PassForm::forward), Kind::tp)
                                 + hiddenSeconds(passOf(timeline, 0, PassForm::backward), Kind::tp));
        const double told = prediction.value().time.hidden_communication_s;
        QVERIFY(told > 0.0);
        QVERIFY2(std::abs(hidden - told) < 0.02 * told, qPrintable(QString::number(hidden / told)));
    }

    // Around a ring keys and values travel while attention works on those that have come.
    void ringsRunBeneathTheAttention_data()
    {
        QTest::addColumn<int>("form");
        QTest::newRow("forward") << static_cast<int>(PassForm::forward);
        QTest::newRow("backward") << static_cast<int>(PassForm::backward);
    }
    void ringsRunBeneathTheAttention()
    {
        QFETCH(const int, form);
        Scenario scenario = detailed(1, 2, 2);
        scenario.parallel.context = 2;
        scenario.parallel.sequence_parallel = true;
        scenario.training.flash_attention = true;
        scenario.training.recompute = Recompute::none;
        const PredictedTimeline timeline = timelineOf(scenario);
        const PassParts& pass = passOf(timeline, 0, static_cast<PassForm>(form));
        double sent_s = 0.0;
        double beneath_s = 0.0;
        for (const PassPart& ring : pass.beside)
            for (const PassPart& part : pass.in_turn) {
                if (ring.kind != Kind::cp)
                    continue;
                sent_s += &part == &pass.in_turn.front() ? ring.duration_s : 0.0;
                if (part.what == "attention")
                    beneath_s += std::max(0.0, std::min(part.end_s(), ring.end_s())
                                                   - std::max(part.start_s, ring.start_s));
            }
        QVERIFY(sent_s > 0.0);
        QVERIFY2(beneath_s > 0.98 * sent_s, qPrintable(QString::number(beneath_s / sent_s)));
    }

    void parametersOfStage3AreGatheredAhead()
    {
        Scenario scenario = detailed(1, 1, 4);
        scenario.conventions.framework = Framework::fsdp;
        scenario.parallel.zero_stage = 3;
        scenario.conventions.dp_overlap = true;
        const PredictedTimeline timeline = timelineOf(scenario);
        const PassParts& pass = passOf(timeline, 0, PassForm::backward);
        double gathers = 0.0;
        double reductions = 0.0;
        for (const PassPart& part : pass.beside)
            (part.op == Op::all_gather ? gathers : reductions) += part.duration_s;
        QVERIFY(gathers > 0.0);
        QVERIFY(reductions > 0.0);
    }

    void gradientsOfReplicasTravelBeneathTheLastBackwardPass()
    {
        Scenario scenario = detailed(2, 1, 4);
        scenario.conventions.dp_overlap = true;
        const PredictedTimeline timeline = timelineOf(scenario);
        QVERIFY(!timeline.hidden.empty());
        for (const TimelineSpan& span : timeline.hidden) {
            QCOMPARE(static_cast<int>(span.kind), static_cast<int>(Kind::dp));
            QVERIFY(span.start_s > 0.5 * timeline.iteration_s);
            QVERIFY(span.end_s() <= timeline.iteration_s);
        }
        scenario.conventions.dp_overlap = false;
        for (const TimelineSpan& span : timelineOf(scenario).hidden)
            QCOMPARE(span.stage, 1); // is through before stage 0
    }

    // The model's ends are a unit of their own, gathered with the first layer and reduced behind its
    // gradients.
    void unitsOfStage3StandWithTheirLayers()
    {
        Scenario scenario = detailed(1, 1, 4);
        scenario.parallel.zero_stage = 3;
        scenario.conventions.zero_unit = ZeroUnit::layer;
        scenario.conventions.dp_overlap = false;
        const PredictedTimeline timeline = timelineOf(scenario);
        const auto sizesOf = [&](PassForm form, Op op, int layer) {
            std::vector<std::int64_t> sizes;
            for (const PassPart& part : passOf(timeline, 0, form).in_turn)
                if (part.is_message && part.op == op && part.layer == layer)
                    sizes.insert(sizes.end(), static_cast<std::size_t>(std::llround(part.calls)),
                                 part.message_bytes);
            return sizes;
        };
        const std::vector<std::int64_t> gathered = sizesOf(PassForm::forward, Op::all_gather, 0);
        QCOMPARE(gathered.size(), std::size_t{2});
        QVERIFY(gathered[0] != gathered[1]);
        QCOMPARE(sizesOf(PassForm::forward, Op::all_gather, 1), std::vector{gathered[1]});
        QCOMPARE(sizesOf(PassForm::backward, Op::all_gather, 0), std::vector{gathered[1]});
        QCOMPARE(sizesOf(PassForm::backward, Op::reduce_scatter, 0),
                 (std::vector{gathered[1], gathered[0]})); // of 16 bits too
    }

    // Megatron-FSDP has two for each layer where weights are gathered in fp8.
    void unitsOfEitherFormatStandWithTheirLayers()
    {
        Scenario scenario = detailed(1, 1, 4);
        scenario.training.precision = Precision::fp8;
        scenario.parallel.zero_stage = 3;
        scenario.conventions.fp8_param_gather = true;
        scenario.conventions.dp_overlap = false;
        const PredictedTimeline timeline = timelineOf(scenario);
        for (const auto& [form, op] : {std::pair{PassForm::forward, Op::all_gather},
                                       {PassForm::backward, Op::all_gather},
                                       {PassForm::backward, Op::reduce_scatter}}) {
            std::map<int, double> calls; // by layer
            for (const PassPart& part : passOf(timeline, 0, form).in_turn)
                if (part.is_message && part.kind == Kind::dp && part.op == op)
                    calls[part.layer] += part.calls;
            QCOMPARE(calls.size(), static_cast<std::size_t>(scenario.model.layers));
            for (const auto& [layer, count] : calls)
                QVERIFY(layer == 0 || std::llround(count) == 2);
        }
    }

    void whatHasNoLayersHasNoParts()
    {
        Scenario scenario = test::gpt3b(2, 2, 1);
        scenario.time_model = TimeModel::li;
        const PredictedTimeline timeline = timelineOf(scenario);
        QVERIFY(timeline.passes.empty());
        for (const TimelineSpan& span : timeline.spans)
            QCOMPARE(span.pass, -1);
    }
};

QTEST_APPLESS_MAIN(TestPassParts)
#include "tst_pass_parts.moc"
