#include <QTest>

#include "bench/accuracy/partial_steps.h"
#include "bench/accuracy/truth_entry.h"

#include "core/base/resources.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

using namespace shardscope;
using nlohmann::json;

namespace
{

const std::filesystem::path public_cases =
    std::filesystem::path{SHARDSCOPE_SHARED_FOLDER} / "truth/public.json";

const Presets& shippedPresets()
{
    static const Presets presets = Presets::load(resourcesFolder() / "presets").value();
    return presets;
}

// A step on 16 H100 that leaves its micro-batch open.
json someEntry()
{
    return json::parse(R"({
        "id": "some", "kind": "training_step", "evidence": "measured", "completeness": "partial",
        "source": {"title": "Somebody", "where": "Table 1", "ref": "paper"},
        "model": {"name": "GPT", "l": 24, "h": 2048, "a": 16, "s": 2048, "vocab": 51200, "act": "gelu"},
        "parallel": {"t": 2, "p": 1, "d": 8, "microbatch": null, "global_batch": 64, "zero_stage": 1,
                     "sequence_parallel": true, "recompute": "full", "schedule": "none"},
        "hardware": {"gpu": "H100-SXM5-80GB", "gpus": 16, "gpus_per_node": 8},
        "precision": "bf16", "measured": {"iteration_time_s": 1.5}, "missing": ["microbatch"], "notes": ""})");
}

Result<PartialSteps> readBack(const json& entry)
{
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("cases.json").toStdString();
    std::ofstream{file} << json::array({entry}).dump();
    return readPartialSteps(file, shippedPresets());
}

} // namespace

class TestPartialSteps : public QObject
{
    Q_OBJECT
private slots:
    void whatIsOpenHasADefaultAndIsNamed()
    {
        json entry = someEntry();
        entry["parallel"]["recompute"] = nullptr;
        entry["missing"] = {"microbatch", "recompute", "inter_node_GBps_per_gpu_uni"};
        const auto steps = readBack(entry);
        QVERIFY2(steps, steps ? "" : steps.error().sentence.c_str());
        QCOMPARE(steps.value().told.size(), 1U);
        const PartialStep& step = steps.value().told.front();
        QCOMPARE(step.run.scenario.training.micro_batch_size, 1);
        QCOMPARE(step.run.scenario.training.recompute, Recompute::none);
        QCOMPARE(step.run.scenario.cluster.inter_node.bandwidth_GBps, 50.0); // the DGX H100's
        QCOMPARE(step.run.measured_s, 1.5);
        QVERIFY((step.left_open
                 == std::vector<std::string>{"micro-batch", "recomputation", "bandwidth between nodes"}));
        QVERIFY(!step.sequence_parallel_s);
    }

    void aValueThatIsSupposedBesideTheGapIsTaken()
    {
        json entry = someEntry();
        entry["parallel"]["microbatch"] = 4;
        const auto steps = readBack(entry);
        QVERIFY(steps);
        QCOMPARE(steps.value().told.front().run.scenario.training.micro_batch_size, 4);
    }

    void sequenceParallelismThatIsOpenIsPredictedBothWays()
    {
        json entry = someEntry();
        entry["parallel"]["sequence_parallel"] = nullptr;
        const auto steps = readBack(entry);
        QVERIFY(steps);
        const PartialStep& step = steps.value().told.front();
        QVERIFY(!step.run.scenario.parallel.sequence_parallel);
        QVERIFY(step.sequence_parallel_s);
        QVERIFY(*step.sequence_parallel_s != step.run.prediction.time.iteration_s);
    }

    void aRateOfTheModelsFlopsStandsForATime()
    {
        json entry = someEntry();
        entry["measured"] = {{"tflops_per_gpu", 400.0}, {"tflops_convention", "model FLOPs"}};
        const auto steps = readBack(entry);
        QVERIFY(steps);
        const PartialStep& step = steps.value().told.front();
        QCOMPARE(step.run.measured_s, step.run.prediction.flops.model / (400e12 * 16));
        QCOMPARE(step.left_open.back(), std::string{"time (TFLOP/s instead)"});
    }

    void aGpuThatIsNamedByItsClassHasItsTypesPreset()
    {
        json entry = someEntry();
        entry["hardware"]["gpu"] = "NVIDIA Ampere (A100-class)";
        const auto steps = readBack(entry);
        QVERIFY(steps);
        QCOMPARE(steps.value().told.front().run.scenario.cluster.gpu, std::string{"A100"});
        QCOMPARE(steps.value().told.front().left_open.back(), std::string{"exact GPU"});
    }

    void aStepWithoutWhatIsEssentialIsLeftOutWithItsReason_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QString>("reason");
        QTest::newRow("no layers") << QByteArray{R"({"model": {"l": null}})"} << "the model's sizes";
        QTest::newRow("no batch") << QByteArray{R"({"parallel": {"global_batch": null}})"} << "the batch";
        QTest::newRow("a supposed tensor degree") << QByteArray{R"({"missing": ["t"]})"} << "the layout";
        QTest::newRow("out of memory") << QByteArray{R"({"measured": {"oom": true}})"} << "out of memory";
        QTest::newRow("an unknown GPU") << QByteArray{R"({"hardware": {"gpu": "Max 1550"}})"} << "no preset";
        QTest::newRow("another block") << QByteArray{R"({"notes": "NOT a plain GPT block"})"} << "windows";
        QTest::newRow("no time") << QByteArray{R"({"measured": {"iteration_time_s": null, "mfu_pct": 42}})"}
                                 << "no time";
    }
    void aStepWithoutWhatIsEssentialIsLeftOutWithItsReason()
    {
        QFETCH(QByteArray, change);
        QFETCH(QString, reason);
        json entry = someEntry();
        entry.merge_patch(json::parse(change.toStdString()));
        const auto steps = readBack(entry);
        QVERIFY2(steps, steps ? "" : steps.error().sentence.c_str());
        QVERIFY(steps.value().told.empty());
        QCOMPARE(steps.value().left_out.size(), 1U);
        QVERIFY2(QString::fromStdString(steps.value().left_out.front().reason).contains(reason),
                 steps.value().left_out.front().reason.c_str());
        QVERIFY(partialSection(steps.value()).find("Not shown are 1 more") != std::string::npos);
    }

    void aStepThatIsShownElsewhereIsNotTakenTwice_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::newRow("a complete one")
            << QByteArray{R"({"completeness": "full", "parallel": {"microbatch": 2}, "missing": []})"};
        QTest::newRow("a schedule") << QByteArray{R"({"source": {"title": "Zero Bubble"}})"};
        QTest::newRow("experts") << QByteArray{R"({"model": {"name": "deepseekv3", "moe": true}})"};
        QTest::newRow("a projection") << QByteArray{R"({"evidence": "projected"})"};
    }
    void aStepThatIsShownElsewhereIsNotTakenTwice()
    {
        QFETCH(QByteArray, change);
        json entry = someEntry();
        entry.merge_patch(json::parse(change.toStdString()));
        const auto steps = readBack(entry);
        QVERIFY2(steps, steps ? "" : steps.error().sentence.c_str());
        QVERIFY(steps.value().told.empty() && steps.value().left_out.empty());
    }

    void aFileThatIsNoneIsRefused()
    {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("cases.json").toStdString();
        QVERIFY(!readPartialSteps(file, shippedPresets())); // not there
        std::ofstream{file} << R"([{"kind": "training_step", "evidence": "measured"}])";
        QVERIFY(!readPartialSteps(file, shippedPresets()));
    }

    void everyPublicStepIsShownOrLeftOutWithAReason()
    {
        if (!std::filesystem::exists(public_cases))
            QSKIP("the folder ../shared with published cases is not here");
        const Presets& presets = shippedPresets();
        const auto steps = readPartialSteps(public_cases, presets);
        QVERIFY2(steps, steps ? "" : steps.error().sentence.c_str());
        std::set<std::string> ids;
        for (const PartialStep& step : steps.value().told) {
            QVERIFY2(!step.left_open.empty() && step.run.measured_s > 0.0, step.run.id.c_str());
            QVERIFY2(std::abs(step.error()) < 0.6, step.run.id.c_str());
            ids.insert(step.run.id);
        }
        for (const StepLeftOut& step : steps.value().left_out)
            ids.insert(step.id);
        std::size_t shown = 0;
        for (const auto& read :
             {readTruthCases({public_cases}, presets), readScheduleCases(public_cases, presets),
              readExpertCases(public_cases, presets), readMemoryCases(public_cases, presets)}) {
            QVERIFY(read);
            for (const TruthCase& entry : read.value())
                shown += ids.insert(entry.id).second ? 1 : 0;
        }
        std::ifstream stream{public_cases};
        const json all = json::parse(stream);
        const auto measured = std::ranges::count_if(all, [](const json& entry) {
            return textOf(entry, "kind") == "training_step" && textOf(entry, "evidence") == "measured";
        });
        QCOMPARE(steps.value().told.size() + steps.value().left_out.size() + shown,
                 static_cast<std::size_t>(measured));
    }
};

QTEST_APPLESS_MAIN(TestPartialSteps)
#include "tst_partial_steps.moc"
