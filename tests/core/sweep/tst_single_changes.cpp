#include <QTest>

#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/sweep/single_changes.h"
#include "tests/core/prediction/llama_scenario.h"
#include "tests/core/sweep/scenarios.h"

#include <algorithm>
#include <set>

using namespace shardscope;

namespace
{

// Whose name begins so: what follows a change may stand behind it.
const SingleChange* changeNamed(const SingleChanges& changes, std::string_view name)
{
    const auto found = std::ranges::find_if(
        changes.changes, [&](const SingleChange& change) { return change.name.starts_with(name); });
    return found == changes.changes.end() ? nullptr : &*found;
}

Scenario resnet()
{
    Scenario scenario;
    scenario.model.kind = ModelKind::parameter_list;
    scenario.model.tensors = {{"conv.weight", 20'000'000}, {"fc.weight", 2'000'000}};
    scenario.model.flops_per_sample = 1.2e10;
    scenario.training.global_batch_size = 512;
    scenario.training.micro_batch_size = 32;
    scenario.parallel.data = 16;
    return scenario;
}

} // namespace

class TestSingleChanges : public QObject
{
    Q_OBJECT
private slots:
    void theWorkOfAnIterationStays_data()
    {
        QTest::addColumn<Scenario>("scenario");
        QTest::newRow("pipeline") << gpt3b();
        QTest::newRow("one stage") << test::laidOut(test::llama70b(), 8, 1, 4);
        QTest::newRow("a list of tensors") << resnet();
        Scenario li = gpt3b();
        li.time_model = TimeModel::li;
        QTest::newRow("Li et al.'s formula") << li;
    }
    void theWorkOfAnIterationStays()
    {
        QFETCH(Scenario, scenario);
        const SingleChanges answer = singleChanges(scenario);
        QVERIFY(answer.changes.size() > 3);
        QCOMPARE(answer.own.time.iteration_s, predict(scenario).value().time.iteration_s);
        std::set<std::string> names;
        for (const SingleChange& change : answer.changes) {
            QVERIFY2(change.point.isValid(), change.name.c_str());
            const Scenario& there = change.point.scenario;
            QVERIFY2(there.model == scenario.model, change.name.c_str());
            QCOMPARE(there.worldSize(), scenario.worldSize());
            QCOMPARE(there.training.global_batch_size, scenario.training.global_batch_size);
            QCOMPARE(there.cluster == scenario.cluster, change.of == ChangeOf::run);
            QCOMPARE(change.point.time.iteration_s, predict(there).value().time.iteration_s);
            QVERIFY2(names.insert(change.name).second, change.name.c_str());
        }
    }

    void aVocabularyThatNobodyPaddedMayBe()
    {
        Scenario scenario = gpt3b();
        QVERIFY(changeNamed(singleChanges(scenario), "vocabulary padded to 128") == nullptr);
        scenario.model.vocab_size = 50257;
        scenario.model.vocab_padding = 1;
        const SingleChanges answer = singleChanges(scenario);
        const SingleChange* padded = changeNamed(answer, "vocabulary padded to 128");
        QVERIFY(padded != nullptr);
        QVERIFY(padded->point.time.iteration_s < answer.own.time.iteration_s);
    }

    void kernelsStartedOneByOneMayBeQueued()
    {
        Scenario scenario = gpt3b();
        const double queued_s = predict(scenario).value().time.iteration_s;
        QVERIFY(changeNamed(singleChanges(scenario), "kernels queued") == nullptr);
        scenario.cluster.launch_blocking = true;
        const SingleChanges answer = singleChanges(scenario);
        const SingleChange* change = changeNamed(answer, "kernels queued");
        QVERIFY(change != nullptr);
        QCOMPARE(change->point.time.iteration_s, queued_s);
    }

    void whatFitsIsFirstAndTheFastestOfIt()
    {
        Scenario scenario = gpt3b();
        scenario.cluster.memory_GB = 24.0;
        const std::vector<SingleChange> changes = singleChanges(scenario).changes;
        QVERIFY(std::ranges::any_of(changes, [](const SingleChange& one) { return !one.point.fits; }));
        for (std::size_t i = 1; i < changes.size(); ++i) {
            const SweepPoint& before = changes[i - 1].point;
            const SweepPoint& here = changes[i].point;
            QVERIFY(before.fits >= here.fits);
            QVERIFY(before.fits != here.fits || before.time.iteration_s <= here.time.iteration_s);
        }
    }

    void neighboursOfEverySettingAreThere_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"no recomputation", "selective recomputation", "micro-batches of 16", "micro-batches of 64",
              "(p, t, d) = (2, 2, 8)", "(p, t, d) = (4, 4, 2)", "(p, t, d) = (2, 4, 4)", "schedule ZB-H1",
              "schedule Interleaved, v 2", "ZeRO stage 1", "with sequence parallelism",
              "with fused attention", "network twice as fast", "links in a node twice as fast",
              "GPU arithmetic twice as fast"})
            QTest::newRow(name) << name;
    }
    void neighboursOfEverySettingAreThere()
    {
        QFETCH(QString, name);
        const SingleChanges answer = singleChanges(gpt3b());
        QVERIFY(changeNamed(answer, name.toStdString()));
    }

    // The setting that the scenario has, one that follows nothing, and a format that the GPU gains nothing
    // from.
    void whatChangesNothingIsLeftOut()
    {
        const SingleChanges answer = singleChanges(gpt3b());
        for (const char* name : {"no ZeRO", "schedule 1F1B", "with pipeline messages overlapped",
                                 "with expert messages overlapped", "without experts split over tensor ranks",
                                 "number format fp8"})
            QVERIFY2(!changeNamed(answer, name), name);
        QVERIFY(std::ranges::find(answer.changes, "full recomputation", &SingleChange::name)
                == answer.changes.end());
    }

    // None of the layers does not fit, all are more than it takes.
    void fewerLayersAreComputedAgainWhereAllNeedNotBe()
    {
        Scenario scenario = gpt3b();
        const SingleChanges answer = singleChanges(scenario);
        const SingleChange* none = changeNamed(answer, "no recomputation");
        QVERIFY(none != nullptr && !none->point.fits);
        const SingleChange* some = changeNamed(answer, "recomputation of ");
        QVERIFY(some != nullptr && some->point.fits);
        QVERIFY(some->point.time.iteration_s < answer.own.time.iteration_s);
        const std::int64_t layers = some->point.scenario.training.recompute_layers;
        QVERIFY(layers > 0);
        scenario.training.recompute_layers = layers - 1;
        const MemoryPrediction memory = predictMemory(scenario).value();
        QVERIFY(!memory.fits || isNearlyFull(memory.device_bytes, scenario.cluster));
    }

    void pipelinesTakeOnlyTheZeroStagesThatTheirFrameworkRuns()
    {
        QVERIFY(!changeNamed(singleChanges(gpt3b()), "ZeRO stage 2"));
        QVERIFY(changeNamed(singleChanges(test::laidOut(test::llama70b(), 8, 1, 4)), "ZeRO stage 2"));
    }

    void changesLeaveOutStagesThatTheFrameworkHasNot()
    {
        Scenario scenario = test::laidOut(test::llama70b(), 8, 1, 4);
        scenario.conventions.framework = Framework::fsdp;
        scenario.parallel.zero_stage = 3;
        const SingleChanges of_fsdp = singleChanges(scenario);
        QVERIFY(!changeNamed(of_fsdp, "ZeRO stage 1") && changeNamed(of_fsdp, "ZeRO stage 2"));
        scenario.conventions.framework = Framework::ddp;
        scenario.parallel.zero_stage = 0;
        const SingleChanges of_ddp = singleChanges(scenario);
        QVERIFY(changeNamed(of_ddp, "ZeRO stage 1") && !changeNamed(of_ddp, "ZeRO stage 2"));
    }

    // Megatron-LM's distributed optimizer overlaps gradients and parameters. Its users overlap other messages
    // with them, which is a change of its own.
    void overlapsThatFollowAChangeAreNamed()
    {
        Scenario scenario = gpt3b();
        scenario.parallel.sequence_parallel = true;
        const SingleChanges answer = singleChanges(scenario);
        const SingleChange* zero = changeNamed(answer, "ZeRO stage 1");
        QVERIFY(zero != nullptr);
        QCOMPARE(zero->name, std::string{"ZeRO stage 1 (+ overlap of gradients, parameters)"});
        QVERIFY(changeNamed(answer, "with tensor messages overlapped"));
    }

    // What collectives take of it is in their law.
    void halfTheLatencyReachesEveryMessage()
    {
        Scenario scenario = gpt3b();
        scenario.parallel.sequence_parallel = true;
        const SingleChanges answer = singleChanges(scenario);
        const SingleChange* latency = changeNamed(answer, "half the latency of all links");
        QVERIFY(latency != nullptr);
        QVERIFY(latency->point.time.tp_s < answer.own.time.tp_s);
    }

    void aStopEndsIt()
    {
        const std::atomic<bool> stop{true};
        QVERIFY(singleChanges(gpt3b(), &stop).changes.empty());
    }
};

QTEST_APPLESS_MAIN(TestSingleChanges)
#include "tst_single_changes.moc"
