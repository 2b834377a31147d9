#include <QTest>

#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/memory/memory.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/predict.h"
#include "reference_model.h"

#include <cmath>

using namespace shardscope;
using shardscope::test::ReferenceModel;

namespace
{

std::int64_t countOf(const StagePrediction& stage, Kind kind, Op op, std::int64_t bytes)
{
    std::int64_t count = 0;
    for (const Message& message : stage.messages)
        if (message.kind == kind && message.op == op && message.message_bytes == bytes)
            count += message.count;
    return count;
}

double wireBytesOf(const StagePrediction& stage, Kind kind)
{
    double bytes = 0.0;
    for (const Message& message : stage.messages)
        if (message.kind == kind)
            bytes += message.wire_bytes;
    return bytes;
}

// The reference has whole numbers as decimals.
std::int64_t whole(const nlohmann::json& figure)
{
    return std::llround(figure.get<double>());
}

StagePrediction firstStage(const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    return prediction.value().stages.front();
}

} // namespace

// Exact counts of 25 published models, worked out by a program that shares no code with this one.
class TestReferenceModels : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        m_models = test::referenceModels();
        if (m_models.empty())
            QSKIP("reference_parameters.json is not in ../shared/truth");
    }

    void parametersAreExact_data() { addModels(); }
    void parametersAreExact()
    {
        const ReferenceModel& model = current();
        const ModelParameters count = countParameters(model.scenario.model);
        const nlohmann::json& exact = model.figures.at("parameters").at("exact");
        QCOMPARE(count.total, whole(exact.at("total")));
        QCOMPARE(count.active, whole(exact.at("active")));
        const StagePrediction stage = firstStage(model.scenario);
        QCOMPARE(stage.parameters, whole(model.figures.at("parameters").at("stage0").at("total")));
    }

    void operationsAreExact_data() { addModels(); }
    void operationsAreExact()
    {
        const ReferenceModel& model = current();
        const nlohmann::json& exact = model.figures.at("flops_per_iteration").at("exact");
        Scenario scenario = model.scenario;
        QCOMPARE(countFlops(scenario).model, exact.at("model_noncausal").get<double>());
        QCOMPARE(countFlops(scenario).hardware, exact.at("model_noncausal").get<double>());
        scenario.training.recompute = Recompute::selective;
        QCOMPARE(countFlops(scenario).hardware, exact.at("hardware_selective_noncausal").get<double>());
        scenario.training.recompute = Recompute::full;
        QCOMPARE(countFlops(scenario).hardware, exact.at("hardware_full_noncausal").get<double>());
        scenario.training.causal_flops = true;
        QCOMPARE(countFlops(scenario).model, exact.at("model_causal").get<double>());
    }

    void statesAreExact_data() { addModels(); }
    void statesAreExact()
    {
        const ReferenceModel& model = current();
        for (int zero = 0; zero < 3; ++zero) {
            const std::string key = "zero" + std::to_string(zero);
            const nlohmann::json& exact = model.figures.at("memory_bytes_per_gpu").at("exact");
            if (!exact.contains(key) || exact.at(key).is_null())
                continue;
            Scenario scenario = model.scenario;
            scenario.parallel.zero_stage = zero;
            const StageMemory memory = memoryOfFirstStage(scenario);
            QCOMPARE(memory.weights_bytes, whole(exact.at(key).at("weights")));
            // A share that d does not divide is rounded up.
            const auto share = static_cast<double>(memory.optimizer_bytes);
            QVERIFY(std::abs(share - exact.at(key).at("optimizer").get<double>()) <= 24.0);
            if (zero < 2)
                QCOMPARE(memory.gradients_bytes, whole(exact.at(key).at("grads_fp16")));
        }
    }

    void layersKeepTheReferencesBytes_data() { addModels(); }
    void layersKeepTheReferencesBytes()
    {
        const ReferenceModel& model = current();
        const nlohmann::json& exact = model.figures.at("memory_bytes_per_gpu").at("exact").at("activations");
        const std::pair<const char*, Recompute> cases[]{
            {"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}};
        for (const auto& [word, recompute] : cases)
            for (const bool split : {false, true}) {
                const nlohmann::json& figure = exact.at(std::string{word} + (split ? "_sp" : "_nosp"));
                if (figure.is_null())
                    continue;
                Scenario scenario = model.scenario;
                scenario.parallel.sequence_parallel = split && scenario.parallel.tensor > 1;
                scenario.training.recompute = recompute;
                const IterationFigures figures{scenario};
                const LayerForm form = layerForm(scenario.model, 0);
                QCOMPARE(layerActivationBytes(figures, form, repeatsOf(scenario)),
                         whole(figure.at("per_layer_per_microbatch")));
            }
    }

    void messagesOfRank0AreExact_data() { addModels(); }
    void messagesOfRank0AreExact()
    {
        const ReferenceModel& model = current();
        const nlohmann::json& exact = model.figures.at("communication_rank0");
        const std::int64_t bytes = whole(exact.at("tp_message_bytes"));
        Scenario scenario = model.scenario;
        const StagePrediction plain = firstStage(scenario);
        const std::int64_t handed_on = whole(exact.at("pp").at("message_bytes"));
        QCOMPARE(countOf(plain, Kind::pp, Op::send, handed_on), whole(exact.at("pp").at("sends")));
        QCOMPARE(countOf(plain, Kind::pp, Op::recv, handed_on), whole(exact.at("pp").at("recvs")));
        const std::int64_t tied = whole(exact.at("embedding_sync_bytes"));
        QCOMPARE(countOf(plain, Kind::emb, Op::all_reduce, tied), tied > 0 ? 1 : 0);
        QCOMPARE(countOf(plain, Kind::tp, Op::all_reduce, bytes),
                 whole(exact.at("tp_allreduce_none_or_selective").at("messages")));
        scenario.training.recompute = Recompute::full;
        QCOMPARE(countOf(firstStage(scenario), Kind::tp, Op::all_reduce, bytes),
                 whole(exact.at("tp_allreduce_full").at("messages")));
        if (scenario.parallel.tensor < 2)
            return;
        // The reference scatters the embedding's sum.
        scenario.parallel.sequence_parallel = true;
        scenario.conventions.sp_reduce_scatter_embedding = true;
        const StagePrediction split = firstStage(scenario);
        QCOMPARE(countOf(split, Kind::tp, Op::all_gather, bytes),
                 whole(exact.at("tp_sp_full").at("all_gathers")));
        QCOMPARE(countOf(split, Kind::tp, Op::reduce_scatter, bytes),
                 whole(exact.at("tp_sp_full").at("reduce_scatters")));
    }

    void dataParallelBytesAreExact_data() { addModels(); }
    void dataParallelBytesAreExact()
    {
        const ReferenceModel& model = current();
        const nlohmann::json& exact = model.figures.at("communication_rank0");
        Scenario scenario = model.scenario;
        if (exact.at("dp_allreduce_fp16").is_null() || scenario.parallel.data < 2
            || hasExperts(scenario.model))
            return;
        QCOMPARE(wireBytesOf(firstStage(scenario), Kind::dp),
                 exact.at("dp_allreduce_fp16").at("ring_wire_bytes_sent_per_rank").get<double>());
        scenario.training.gradient_bytes = 4;
        QCOMPARE(wireBytesOf(firstStage(scenario), Kind::dp),
                 exact.at("dp_allreduce_fp32").at("ring_wire_bytes_sent_per_rank").get<double>());
    }

private:
    static StageMemory memoryOfFirstStage(const Scenario& scenario)
    {
        const IterationFigures figures{scenario};
        return predictMemory(figures, layOutStages(figures)).stages.front();
    }
    void addModels() const
    {
        QTest::addColumn<int>("model");
        for (std::size_t i = 0; i < m_models.size(); ++i)
            QTest::newRow(m_models[i].name.c_str()) << static_cast<int>(i);
    }
    const ReferenceModel& current() const
    {
        QFETCH(int, model);
        return m_models[static_cast<std::size_t>(model)];
    }

    std::vector<ReferenceModel> m_models;
};

QTEST_APPLESS_MAIN(TestReferenceModels)
#include "tst_reference_models.moc"
