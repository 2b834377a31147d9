#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "recorded_run.h"

#include <cmath>
#include <map>
#include <tuple>

using namespace shardscope;
using shardscope::test::RecordedRun;

namespace
{

// Calls by kind, op, phase, dtype and size: their number and their bytes.
using Key = std::tuple<std::string, std::string, std::string, std::string, std::int64_t>;
using Calls = std::map<Key, std::pair<std::int64_t, std::int64_t>>;

// Sizes that are not compared: those that follow the routing, and single buckets of DDP.
constexpr std::int64_t any_size = -1;

struct Comparison {
    bool routing_is_free = false;
    bool has_buckets = false;

    void add(Calls& calls, Key key, std::int64_t count, std::int64_t bytes) const
    {
        auto& [kind, op, phase, dtype, size] = key;
        const bool free = routing_is_free && kind == "ep";
        const bool bucket = has_buckets && kind == "dp" && phase == "backward";
        if (free || bucket)
            size = any_size;
        auto& sum = calls[key];
        sum.first += count;
        sum.second += free ? 0 : bytes;
    }
};

std::string text(const Calls& calls)
{
    std::string lines;
    for (const auto& [key, sum] : calls) {
        const auto& [kind, op, phase, dtype, size] = key;
        lines += kind + " " + op + " " + phase + " " + dtype + " " + std::to_string(size)
                 + " B: " + std::to_string(sum.first) + " calls, " + std::to_string(sum.second) + " B\n";
    }
    return lines;
}

std::string wordOf(const std::string& recorded)
{
    static const std::map<std::string, std::string> words{{"fwd", "forward"},
                                                          {"bwd", "backward"},
                                                          {"float32", "fp32"},
                                                          {"float16", "fp16"},
                                                          {"bfloat16", "bf16"}};
    const auto found = words.find(recorded);
    return found == words.end() ? recorded : found->second;
}

Calls recordedCalls(const nlohmann::json& rank, const Comparison& comparison)
{
    Calls calls;
    for (const nlohmann::json& row : rank.at("operations"))
        comparison.add(calls,
                       {row.at("kind"), row.at("op"), wordOf(row.at("phase")), wordOf(row.at("dtype")),
                        row.at("message_bytes")},
                       row.at("count"), row.at("total_bytes"));
    return calls;
}

Calls predictedCalls(const StagePrediction& stage, const Comparison& comparison)
{
    Calls calls;
    for (const Message& message : stage.messages)
        comparison.add(calls,
                       {std::string{word(message.kind)}, std::string{word(message.op)},
                        std::string{word(message.phase)}, std::string{word(message.dtype)},
                        message.message_bytes},
                       message.count, message.total_bytes);
    return calls;
}

} // namespace

class TestRecordedRuns : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase()
    {
        m_runs = test::recordedRuns();
        if (m_runs.empty())
            QSKIP("the recorded runs are not in ../shared/rig");
    }

    void everyRankMakesTheRecordedCalls_data() { addRuns(); }
    void everyRankMakesTheRecordedCalls()
    {
        const RecordedRun& run = currentRun();
        const nlohmann::json& configuration = run.truth.at("config");
        const Scenario scenario = test::scenarioOf(configuration);
        const Result<Prediction> prediction = predict(scenario);
        QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
        const Comparison comparison{scenario.model.experts.count > 0
                                        && scenario.model.experts.capacity_factor == 0.0,
                                    configuration.at("ddp")};
        const RankLayout layout{scenario.parallel};
        QCOMPARE(layout.worldSize(), configuration.at("world").get<std::int64_t>());
        for (const nlohmann::json& rank : run.truth.at("ranks")) {
            const RankCoordinates place = layout.coordinates(rank.at("rank"));
            QCOMPARE(place.tp, rank.at("tp").get<int>());
            QCOMPARE(place.dp, rank.at("dp").get<int>());
            QCOMPARE(place.pp, rank.at("pp").get<int>());
            const StagePrediction& stage = prediction.value().stages.at(static_cast<std::size_t>(place.pp));
            QCOMPARE(stage.parameters, rank.at("parameters").get<std::int64_t>());
            QCOMPARE(stage.layers, rank.at("layers").get<std::vector<int>>());
            QCOMPARE(QString::fromStdString(text(predictedCalls(stage, comparison))),
                     QString::fromStdString(text(recordedCalls(rank, comparison))));
        }
    }

    void groupsHoldTheRecordedRanks_data() { addRuns(); }
    void groupsHoldTheRecordedRanks()
    {
        const RecordedRun& run = currentRun();
        const RankLayout layout{test::scenarioOf(run.truth.at("config")).parallel};
        for (const auto& [kind, groups] : run.truth.at("groups").items())
            for (const nlohmann::json& recorded : groups) {
                const auto ranks = recorded.get<std::vector<std::int64_t>>();
                QCOMPARE(layout.group(*kindFromWord(kind), ranks.front()), ranks);
                for (std::size_t i = 0; i < ranks.size(); ++i)
                    QCOMPARE(layout.next(*kindFromWord(kind), ranks[i]), ranks[(i + 1) % ranks.size()]);
            }
    }

    void matrixHoldsTheRecordedBytes_data() { addRuns(); }
    void matrixHoldsTheRecordedBytes()
    {
        const RecordedRun& run = currentRun();
        const Scenario scenario = test::scenarioOf(run.truth.at("config"));
        const Result<Prediction> prediction = predict(scenario);
        QVERIFY(prediction);
        const TrafficMatrix matrix{scenario, prediction.value()};
        const bool routed = scenario.model.experts.count > 0 && scenario.model.experts.capacity_factor == 0.0;
        for (const auto& [word, rows] : run.truth.at("matrix").items()) {
            const auto kind = kindFromWord(word);
            if (!kind || (routed && *kind == Kind::ep))
                continue;
            std::vector<std::vector<double>> left = rows;
            for (const TrafficCell& cell : matrix.cells(*kind))
                left[static_cast<std::size_t>(cell.sender)][static_cast<std::size_t>(cell.receiver)] -=
                    cell.bytes;
            // Rings cut a buffer in n parts; the record rounds them.
            for (const std::vector<double>& row : left)
                for (const double bytes : row)
                    QVERIFY2(std::abs(bytes) <= 0.5, word.c_str());
        }
    }

private:
    void addRuns() const
    {
        QTest::addColumn<int>("run");
        for (std::size_t i = 0; i < m_runs.size(); ++i)
            QTest::newRow(m_runs[i].name.c_str()) << static_cast<int>(i);
    }
    const RecordedRun& currentRun() const
    {
        QFETCH(int, run);
        return m_runs[static_cast<std::size_t>(run)];
    }

    std::vector<RecordedRun> m_runs;
};

QTEST_APPLESS_MAIN(TestRecordedRuns)
#include "tst_recorded_runs.moc"
