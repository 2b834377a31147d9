#include <QtTest>

#include "core/analysis/comparison.h"
#include "core/analysis/memory_comparison.h"

#include <vector>

using namespace shardscope;

namespace
{

// Two stages of two ranks; the first is predicted to hold 100 bytes of tensors and 120 in all, the second 50
// and 60.
Scenario twoStages(std::int64_t pipeline = 2)
{
    Scenario scenario;
    scenario.parallel.pipeline = static_cast<int>(pipeline);
    scenario.parallel.tensor = 2;
    return scenario;
}

Prediction predictionOf(const Scenario& scenario)
{
    Prediction prediction;
    for (int stage = 0; stage < scenario.parallel.pipeline; ++stage) {
        StageMemory memory;
        memory.stage = stage;
        memory.weights_bytes = stage == 0 ? 100 : 50;
        memory.cached_bytes = memory.weights_bytes / 5;
        prediction.memory.stages.push_back(memory);
    }
    return prediction;
}

TraceSet runOf(std::int64_t world_size)
{
    TraceSet traces;
    traces.files.emplace_back().world_size = world_size;
    return traces;
}

Measurement measuredOf(const std::vector<RankMemory>& memory)
{
    Measurement measurement;
    measurement.memory = memory;
    return measurement;
}

} // namespace

class TestMemoryComparison : public QObject
{
    Q_OBJECT
private slots:
    void everyRankStandsBesideItsStage()
    {
        const Scenario scenario = twoStages();
        const MemoryComparison compared =
            compareMemory(scenario, predictionOf(scenario), runOf(4),
                          measuredOf({{1, 90, 130, MemoryFrom::log}, {2, 55, -1, MemoryFrom::log}}));
        QVERIFY(compared.problem.empty());
        QCOMPARE(compared.ranks.size(), std::size_t{2});
        QCOMPARE(compared.ranks[0].stage, 0);
        QCOMPARE(compared.ranks[0].predicted_allocated_bytes, std::int64_t{100});
        QCOMPARE(compared.ranks[0].predicted_reserved_bytes, std::int64_t{120});
        QCOMPARE(compared.ranks[1].stage, 1);
        QCOMPARE(compared.ranks[1].predicted_reserved_bytes, std::int64_t{60});
        QCOMPARE(compared.ranks[1].measured.peak_allocated_bytes, std::int64_t{55});
    }

    void aRunOfOtherDegreesIsNotCompared_data()
    {
        QTest::addColumn<qint64>("world_size");
        QTest::addColumn<QString>("problem");
        QTest::newRow("larger") << qint64{8} << "the run has 8 ranks and the scenario 4";
        QTest::newRow("not told") << qint64{0} << "do not tell how many ranks the run has";
    }
    void aRunOfOtherDegreesIsNotCompared()
    {
        QFETCH(qint64, world_size);
        QFETCH(QString, problem);
        const Scenario scenario = twoStages();
        const MemoryComparison compared = compareMemory(scenario, predictionOf(scenario), runOf(world_size),
                                                        measuredOf({{1, 90, 130, MemoryFrom::log}}));
        QVERIFY(compared.ranks.empty());
        QVERIFY2(compared.problem.find(problem.toStdString()) != std::string::npos, compared.problem.c_str());
    }

    void aRankWithoutANameHasItsPlaceInOneStageAlone_data()
    {
        QTest::addColumn<qint64>("pipeline");
        QTest::addColumn<int>("ranks");
        QTest::newRow("one stage") << qint64{1} << 1;
        QTest::newRow("two stages") << qint64{2} << 0;
    }
    void aRankWithoutANameHasItsPlaceInOneStageAlone()
    {
        QFETCH(qint64, pipeline);
        QFETCH(int, ranks);
        const Scenario scenario = twoStages(pipeline);
        const MemoryComparison compared = compareMemory(scenario, predictionOf(scenario), runOf(2 * pipeline),
                                                        measuredOf({{-1, 90, 130, MemoryFrom::log}}));
        QCOMPARE(static_cast<int>(compared.ranks.size()), ranks);
        QCOMPARE(compared.problem.empty(), ranks == 1);
    }

    void aRunWithoutMemoryHasNoProblem()
    {
        const Scenario scenario = twoStages();
        const MemoryComparison compared = compareMemory(scenario, predictionOf(scenario), runOf(8), {});
        QVERIFY(compared.ranks.empty());
        QVERIFY(compared.problem.empty());
    }

    void theFullestRankStandsForItsStage()
    {
        const Scenario scenario = twoStages();
        const MemoryComparison compared = compareMemory(scenario, predictionOf(scenario), runOf(4),
                                                        measuredOf({{0, 90, 130, MemoryFrom::log},
                                                                    {1, 95, 125, MemoryFrom::log},
                                                                    {3, -1, 70, MemoryFrom::schedule}}));
        const std::vector<StagePeaks> stages = compared.stages();
        QCOMPARE(stages.size(), std::size_t{2});
        QCOMPARE(stages[0].allocated->measured.rank, std::int64_t{1});
        QCOMPARE(stages[0].reserved->measured.rank, std::int64_t{0});
        QVERIFY(!stages[1].allocated);
        QCOMPARE(stages[1].reserved->measured.peak_reserved_bytes, std::int64_t{70});
    }

    // In Li et al.'s order the stages alternate.
    void ranksStandWhereTheyStoodInTheRun()
    {
        Scenario scenario = twoStages();
        scenario.parallel.tensor = 1;
        scenario.parallel.data = 2;
        Measurement measurement = measuredOf({{1, 55, 66, MemoryFrom::log}});
        const auto stageOf = [&] {
            return compareMemory(scenario, predictionOf(scenario), runOf(4), measurement).ranks.at(0).stage;
        };
        QCOMPARE(stageOf(), 0);
        measurement.other_order =
            RankOrder{Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp, Dimension::dp};
        QCOMPARE(stageOf(), 1);
    }

    void theComparisonHasItAndSaysWhyNot()
    {
        const Scenario scenario = twoStages();
        Prediction prediction = predictionOf(scenario);
        prediction.stages.resize(2);
        const Measurement measurement = measuredOf({{1, 90, 130, MemoryFrom::log}});
        QCOMPARE(compare(scenario, prediction, runOf(4), measurement).memory.ranks.size(), std::size_t{1});
        const Comparison other = compare(scenario, prediction, runOf(8), measurement);
        QVERIFY(other.memory.ranks.empty());
        QVERIFY(std::ranges::find(other.notes, other.memory.problem) != other.notes.end());
    }
};

QTEST_APPLESS_MAIN(TestMemoryComparison)
#include "tst_memory_comparison.moc"
