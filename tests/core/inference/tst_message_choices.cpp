#include <QTest>

#include "core/inference/message_choices.h"
#include "tests/core/prediction/small_scenario.h"

using namespace shardscope;

namespace
{

// Of two replicas, sharded by FSDP.
Scenario sharded(PositionEmbedding positions)
{
    Scenario scenario = small(1, 1, 2);
    scenario.model.position_embedding = positions;
    scenario.parallel.zero_stage = 3;
    scenario.conventions =
        defaultConventions(Framework::fsdp, scenario.model, scenario.training, scenario.parallel);
    return scenario;
}

// A log of each rank with the scenario's messages.
TraceSet recorded(const Scenario& scenario)
{
    TraceSet traces;
    for (const std::int64_t rank : {0, 1}) {
        TraceFile file;
        file.rank = rank;
        file.rank_is_known = true;
        file.groups = {{"0", "", {0, 1}, 2}};
        for (const Message& message : messagesOf(scenario, 0)) {
            SizedCall call;
            call.name = word(message.op);
            call.dtype = "Float";
            call.in_bytes = message.message_bytes / (message.op == Op::all_gather ? 2 : 1);
            call.out_bytes = message.message_bytes / (message.op == Op::reduce_scatter ? 2 : 1);
            call.count = message.count;
            call.group = "0";
            call.group_description =
                message.kind == Kind::dp ? "DATA_PARALLEL_GROUP" : "MODEL_PARALLEL_GROUP";
            call.group_size = message.group_size;
            file.calls.push_back(call);
        }
        traces.files.push_back(file);
    }
    return traces;
}

} // namespace

class TestMessageChoices : public QObject
{
    Q_OBJECT

private slots:
    // The loss is not in the messages: it is what a scenario file says that names the framework alone.
    void aFrameworkBringsItsLoss_data()
    {
        QTest::addColumn<PositionEmbedding>("positions");
        QTest::addColumn<bool>("fused");
        QTest::newRow("llm-foundry's MPT") << PositionEmbedding::alibi << true;
        QTest::newRow("torchtitan's Llama") << PositionEmbedding::rope << false;
    }
    void aFrameworkBringsItsLoss()
    {
        QFETCH(const PositionEmbedding, positions);
        const Scenario scenario = sharded(positions);
        const TraceSet traces = recorded(scenario);
        Scenario first = scenario;
        first.parallel.zero_stage = 0;
        first.conventions =
            defaultConventions(Framework::megatron, first.model, first.training, first.parallel);
        ScenarioTrial trial{traces, ClassificationRules::shipped(), first, nullptr};
        chooseByMessages(trial);
        QVERIFY(trial.comparison() && trial.comparison()->equal());
        QCOMPARE(trial.best().conventions.framework, Framework::fsdp);
        QTEST(trial.best().conventions.fused_cross_entropy, "fused");
    }
};

QTEST_APPLESS_MAIN(TestMessageChoices)
#include "tst_message_choices.moc"
