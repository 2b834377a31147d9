#include <QTest>

#include "core/sweep/layout_candidates.h"
#include "tests/core/sweep/scenarios.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace shardscope;

namespace
{

Scenario fused()
{
    Scenario scenario = gpt3b();
    scenario.training.flash_attention = true;
    return scenario;
}

Scenario withExperts()
{
    Scenario scenario = fused();
    scenario.model.experts.count = 12;
    scenario.model.experts.ffn_hidden_size = 2000;
    return scenario;
}

std::set<std::int64_t> degreesOf(const Scenario& base, std::int64_t gpus, std::int64_t Parallel::*degree)
{
    std::set<std::int64_t> degrees;
    for (const Layout& layout : layoutCandidates(base, gpus))
        degrees.insert(layout.parallel.*degree);
    return degrees;
}

bool varies(const Scenario& base, std::string_view key)
{
    return std::ranges::any_of(variedFigures(base),
                               [&](const VariedFigure& figure) { return figure.key == key; });
}

} // namespace

class TestLayoutCandidates : public QObject
{
    Q_OBJECT
private slots:
    void everyDegreeThatSharesSequencesIsTried()
    {
        Scenario base = fused();
        base.model.sequence_length = 8 * 3 * 1000;
        QCOMPARE(degreesOf(base, 48, &Parallel::context),
                 (std::set<std::int64_t>{1, 2, 3, 4, 6, 8, 12, 16, 24, 48}));
        base.model.sequence_length = 4 * 7;
        QCOMPARE(degreesOf(base, 48, &Parallel::context), (std::set<std::int64_t>{1, 2, 4}));
        QVERIFY(varies(base, "parallel.context"));
    }

    void everyDegreeThatSharesExpertsIsTried()
    {
        QCOMPARE(degreesOf(withExperts(), 32, &Parallel::expert), (std::set<std::int64_t>{1, 2, 4}));
        QVERIFY(varies(withExperts(), "parallel.expert"));
        QCOMPARE(degreesOf(fused(), 32, &Parallel::expert), (std::set<std::int64_t>{1}));
        QVERIFY(!varies(fused(), "parallel.expert"));
    }

    // Split by the tensor group or whole on each of its ranks, which then share them out: where those split
    // tokens.
    void expertsAreTriedSplitAndWhole()
    {
        std::set<std::int64_t> expert_ranks;
        for (const Layout& layout : layoutCandidates(withExperts(), 32)) {
            const Parallel& parallel = layout.parallel;
            QVERIFY(!parallel.holdsExpertsWhole() || parallel.sequence_parallel);
            QVERIFY(parallel.expert_tensor_parallel || parallel.tensor > 1); // no layout twice
            if (parallel.holdsExpertsWhole() && parallel.data == 1 && parallel.context == 1)
                expert_ranks.insert(parallel.expert);
        }
        QCOMPARE(expert_ranks, (std::set<std::int64_t>{1, 2, 4})); // of the tensor ranks alone
        QVERIFY(varies(withExperts(), "parallel.expert_tensor_parallel"));
        QVERIFY(!varies(fused(), "parallel.expert_tensor_parallel"));
        Scenario deepspeed = withExperts();
        deepspeed.conventions.framework =
            Framework::deepspeed; // splits them or sends each token more than once
        QVERIFY(!varies(deepspeed, "parallel.expert_tensor_parallel"));
    }

    void fusedAttentionIsNotComputedAgainForNothing_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<bool>("is_fused");
        QTest::addColumn<int>("modules");
        const auto row = [](const char* name, Framework framework, bool is_fused, int modules) {
            QTest::newRow(name) << static_cast<int>(framework) << is_fused << modules;
        };
        row("Megatron-LM: norms and activation functions", Framework::megatron, true, 2);
        row("attention that stores its scores", Framework::megatron, false, 0);
        row("FSDP: every second product", Framework::fsdp, true, 0);
    }
    void fusedAttentionIsNotComputedAgainForNothing()
    {
        QFETCH(int, framework);
        QFETCH(bool, is_fused);
        QFETCH(int, modules);
        Scenario base = withExperts();
        base.conventions.framework = static_cast<Framework>(framework);
        base.training.flash_attention = is_fused;
        for (const Layout& layout : layoutCandidates(base, 8)) {
            const bool is_selective = layout.recompute == Recompute::selective;
            QCOMPARE(static_cast<int>(layout.recompute_modules.size()), is_selective ? modules : 0);
        }
        QCOMPARE(varies(base, "training.recompute_modules"), modules > 0);
    }

    void whatHasNoContextKeepsIt_data()
    {
        QTest::addColumn<qint64>("context");
        QTest::newRow("no ring where attention is not fused") << qint64{1};
        QTest::newRow("nor without it where it is a ring's") << qint64{4};
    }
    void whatHasNoContextKeepsIt()
    {
        QFETCH(qint64, context);
        Scenario base = gpt3b();
        base.parallel.context = context;
        QCOMPARE(degreesOf(base, 32, &Parallel::context), (std::set<std::int64_t>{context}));
        QVERIFY(!varies(base, "parallel.context"));
        base.parallel.context_method = ContextMethod::ulysses; // whatever the kernels
        QVERIFY(varies(base, "parallel.context"));
    }

    void aListOfParametersIsTrainedByReplicasAlone()
    {
        Scenario base = gpt3b();
        base.model.kind = ModelKind::parameter_list;
        base.model.tensors = {{"weights", 1000}};
        for (const Layout& layout : layoutCandidates(base, 8))
            QCOMPARE(layout.parallel.data, std::int64_t{8});
        std::vector<std::string> letters;
        for (const VariedFigure& figure : variedFigures(base))
            letters.emplace_back(figure.letter);
        QCOMPARE(letters, (std::vector<std::string>{"d", "b", "z"}));
    }

    // Two sequences shared by two ranks are the same work as one sequence on each.
    void contextAndMicroBatchHaveNoCommonFactor()
    {
        Scenario base = fused();
        const auto haveOne = [](const Layout& layout) {
            return std::gcd(layout.parallel.context, layout.micro_batch_size) > 1;
        };
        QVERIFY(std::ranges::none_of(layoutCandidates(base, 32), haveOne));
        // Ranks that become replicas would send over other links.
        base.parallel.rank_order = {Dimension::cp, Dimension::tp, Dimension::ep, Dimension::dp,
                                    Dimension::pp};
        QVERIFY(std::ranges::any_of(layoutCandidates(base, 32), haveOne));
    }

    // PyTorch has no FSDP of stage 1; DDP's only stage is that one; Megatron-LM's pipelines have no more.
    void frameworksAreAskedForTheStagesThatTheyHave_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<bool>("has_pipeline");
        QTest::addColumn<QString>("stages");
        QTest::newRow("FSDP") << static_cast<int>(Framework::fsdp) << false << "023";
        QTest::newRow("FSDP with a pipeline") << static_cast<int>(Framework::fsdp) << true << "023";
        QTest::newRow("DDP") << static_cast<int>(Framework::ddp) << false << "01";
        QTest::newRow("Megatron-LM") << static_cast<int>(Framework::megatron) << false << "0123";
        QTest::newRow("Megatron-LM's pipelines") << static_cast<int>(Framework::megatron) << true << "01";
    }
    void frameworksAreAskedForTheStagesThatTheyHave()
    {
        QFETCH(int, framework);
        QFETCH(bool, has_pipeline);
        Scenario base = gpt3b();
        base.conventions.framework = static_cast<Framework>(framework);
        std::set<int> stages;
        for (const Layout& layout : layoutCandidates(base, 32))
            if ((layout.parallel.pipeline > 1) == has_pipeline)
                stages.insert(layout.parallel.zero_stage);
        QString text;
        for (const int stage : stages)
            text += QString::number(stage);
        QTEST(text, "stages");
    }

    void aLayoutIsNamedByAllThatTheSearchVaries()
    {
        Layout layout;
        layout.parallel.pipeline = 8;
        layout.parallel.tensor = 4;
        layout.parallel.data = 32;
        layout.parallel.schedule = Schedule::interleaved;
        layout.parallel.virtual_stages = 6;
        layout.parallel.zero_stage = 1;
        layout.parallel.sequence_parallel = true;
        layout.micro_batch_size = 2;
        layout.recompute = Recompute::selective;
        QCOMPARE(layoutText(layout),
                 std::string{"(p, t, d) = (8, 4, 32), micro-batch 2, interleaved 6, ZeRO 1, "
                             "sequence parallel, selective recomputation"});
        layout.parallel.context = 2;
        layout.parallel.expert = 16;
        QVERIFY(layoutText(layout).starts_with("(p, t, c, d) = (8, 4, 2, 32), ep 16, micro-batch 2, "));
    }
};

QTEST_APPLESS_MAIN(TestLayoutCandidates)
#include "tst_layout_candidates.moc"
