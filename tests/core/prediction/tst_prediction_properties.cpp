#include <QTest>

#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/predict.h"
#include "core/prediction/timeline/timeline.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "core/scenario/micro_batch_groups.h"
#include "core/scenario/scenario_json.h"
#include "random_scenario.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace shardscope;

namespace
{

constexpr std::uint64_t seed = 20240803;
constexpr int scenarios = 3000;

// Number of messages by size.
using Moved = std::map<std::int64_t, std::int64_t>;

Moved moved(const StagePrediction& stage, Op op, std::string_view what)
{
    Moved messages;
    for (const Message& message : stage.messages)
        if (message.kind == Kind::pp && message.op == op && message.what == what)
            messages[message.message_bytes] += message.count;
    return messages;
}

std::array<double, kind_count> wireBytesByKind(const std::vector<Message>& messages)
{
    std::array<double, kind_count> bytes{};
    for (const Message& message : messages)
        bytes[static_cast<std::size_t>(message.kind)] += message.wire_bytes;
    return bytes;
}

bool isFinite(const TimePrediction& time)
{
    const double figures[]{time.iteration_s,
                           time.compute_s,
                           time.tp_s,
                           time.cp_s,
                           time.ep_s,
                           time.pp_s,
                           time.dp_s,
                           time.bubble_s,
                           time.exposed_communication_s,
                           time.bubble_ratio,
                           time.communication_ratio,
                           time.tokens_per_s,
                           time.mfu,
                           time.hfu,
                           time.error_band[0]};
    return std::all_of(std::begin(figures), std::end(figures),
                       [](double figure) { return std::isfinite(figure) && figure >= 0.0; });
}

// The layout's own figures: what stands in a row of the table, without its order.
std::vector<std::int64_t> volumes(const Prediction& prediction)
{
    std::vector<std::int64_t> bytes;
    for (const StagePrediction& stage : prediction.stages)
        for (const Message& message : stage.messages)
            bytes.push_back(message.total_bytes);
    return bytes;
}

std::vector<double> sortedCells(const TrafficMatrix& matrix, Kind kind)
{
    std::vector<double> bytes;
    for (const TrafficCell& cell : matrix.cells(kind))
        bytes.push_back(cell.bytes);
    std::sort(bytes.begin(), bytes.end());
    return bytes;
}

// Calls of one kind in their order, as far as members of a group must agree: what a rank sends to a single
// peer is its own, and parts of an all_to_all follow the routing.
using Calls = std::vector<std::tuple<Op, Phase, Dtype, std::int64_t, std::int64_t>>;

Calls collectivesOf(const std::vector<Message>& messages, Kind kind)
{
    Calls calls;
    for (const Message& message : messages) {
        if (message.kind != kind || message.op == Op::send || message.op == Op::recv)
            continue;
        const bool routed = message.kind == Kind::ep;
        calls.emplace_back(message.op, message.phase, message.dtype, routed ? 0 : message.message_bytes,
                           message.count);
    }
    return calls;
}

double rowSum(const TrafficMatrix& matrix, Kind kind, std::int64_t sender)
{
    std::vector<TrafficCell> cells;
    matrix.appendRow(kind, sender, cells);
    double bytes = 0.0;
    for (const TrafficCell& cell : cells)
        bytes += cell.bytes;
    return bytes;
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

} // namespace

// What holds for every valid scenario, tried on seeded random ones.
class TestPredictionProperties : public QObject
{
    Q_OBJECT
private slots:
    void everySendHasItsReceive()
    {
        forEachScenario([](const Scenario&, const Prediction& prediction) {
            const std::size_t stages = prediction.stages.size();
            for (std::size_t i = 0; i < stages; ++i) {
                const StagePrediction& stage = prediction.stages[i];
                const StagePrediction& next = prediction.stages[(i + 1) % stages];
                for (const auto what : {"activation", "reversed_gradient"})
                    QCOMPARE(moved(stage, Op::send, what), moved(next, Op::recv, what));
                for (const auto what : {"gradient", "reversed_activation"})
                    QCOMPARE(moved(next, Op::send, what), moved(stage, Op::recv, what));
            }
        });
    }

    // What a search leaves unplayed is no faster than its bound; the bound is worth something.
    void noIterationIsFasterThanItsBound()
    {
        int close = 0;
        forEachScenario([&close](const Scenario& scenario, const Prediction& prediction) {
            const Result<CostAtLeast> least = costAtLeast(scenario);
            QVERIFY(least);
            QCOMPARE(least.value().device_bytes, prediction.memory.device_bytes);
            QCOMPARE(least.value().fits, prediction.memory.fits);
            QVERIFY(least.value().error_band[0] <= prediction.time.error_band[0]);
            QVERIFY(least.value().error_band[1] >= prediction.time.error_band[1]);
            QVERIFY(least.value().iteration_s <= prediction.time.iteration_s);
            close += least.value().iteration_s > 0.95 * prediction.time.iteration_s ? 1 : 0;
        });
        QVERIFY(close > scenarios / 2);
    }

    void figuresAreFiniteAndConsistent()
    {
        forEachScenario([](const Scenario& scenario, const Prediction& prediction) {
            QVERIFY(isFinite(prediction.time));
            QVERIFY(prediction.parameters.total >= prediction.parameters.active);
            QVERIFY(prediction.parameters.active > 0);
            QVERIFY(prediction.flops.hardware >= prediction.flops.model);
            std::int64_t layers = 0;
            for (std::size_t i = 0; i < prediction.stages.size(); ++i) {
                const StageMemory& memory = prediction.memory.stages[i];
                QVERIFY(memory.weights_bytes >= 0 && memory.gradients_bytes >= 0
                        && memory.optimizer_bytes >= 0 && memory.activations_bytes >= 0);
                QVERIFY(memory.total_bytes <= prediction.memory.peak_bytes);
                layers += static_cast<std::int64_t>(prediction.stages[i].layers.size());
                for (const Message& message : prediction.stages[i].messages) {
                    QVERIFY(message.message_bytes > 0 && message.count > 0 && message.group_size > 1);
                    QCOMPARE(message.total_bytes, message.count * message.message_bytes);
                    QVERIFY(std::isfinite(message.wire_bytes));
                }
            }
            const bool mirrored = hasMirroredStages(scenario.parallel);
            const Model& model = scenario.model;
            QCOMPARE(layers, (model.layers + model.mtp_layers + model.encoder_layers) * (mirrored ? 2 : 1));
        });
    }

    void membersOfAGroupIssueTheSameCollectivesInTheSameOrder()
    {
        forEachScenario([](const Scenario& scenario, const Prediction& prediction) {
            const RankLayout layout{scenario.parallel};
            const RankParts parts{scenario};
            std::vector<std::vector<Message>> messages;
            for (std::size_t part = 0; part < parts.size(); ++part)
                messages.push_back(parts.messages(prediction, part));
            const auto calls = [&](std::int64_t rank, Kind kind) {
                return collectivesOf(messages[parts.part(layout.coordinates(rank))], kind);
            };
            for (int i = 0; i < kind_count; ++i) {
                const auto kind = static_cast<Kind>(i);
                if (kind == Kind::unknown)
                    continue;
                for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank) {
                    const Calls own = calls(rank, kind);
                    if (!own.empty())
                        QCOMPARE(own, calls(layout.group(kind, rank).front(), kind));
                }
            }
        });
    }

    void matrixRowsAreTheRanksWireBytes()
    {
        forEachScenario([](const Scenario& scenario, const Prediction& prediction) {
            const TrafficMatrix matrix{scenario, prediction};
            const RankParts parts{scenario};
            for (std::int64_t rank = 0; rank < matrix.worldSize(); ++rank) {
                const std::size_t part = parts.part(matrix.layout().coordinates(rank));
                const auto bytes = wireBytesByKind(parts.messages(prediction, part));
                for (int kind = 0; kind < kind_count; ++kind)
                    QVERIFY(near(rowSum(matrix, static_cast<Kind>(kind), rank),
                                 bytes[static_cast<std::size_t>(kind)]));
            }
        });
    }

    void volumesDoNotDependOnTheRankOrder()
    {
        forEachScenario([](const Scenario& scenario, const Prediction& prediction) {
            if (scenario.conventions.token_dispatcher == TokenDispatcher::deepep) // the order decides who
                return;                                                           // shares a node
            Scenario renumbered = scenario;
            renumbered.parallel.rank_order = megatron_rank_order;
            const Prediction same = predict(renumbered).value();
            QCOMPARE(volumes(prediction), volumes(same));
            const TrafficMatrix matrix{scenario, prediction};
            const TrafficMatrix other{renumbered, same};
            QCOMPARE(matrix.kinds(), other.kinds());
            for (const Kind kind : matrix.kinds()) {
                // The order decides whether tensor ranks hold the same whole experts, and whose norms are one
                // sum.
                if (kind == Kind::mp && !scenario.parallel.expert_tensor_parallel)
                    continue;
                const std::vector<double> a = sortedCells(matrix, kind);
                const std::vector<double> b = sortedCells(other, kind);
                QCOMPARE(a.size(), b.size());
                for (std::size_t i = 0; i < a.size(); ++i)
                    QVERIFY(near(a[i], b[i]));
            }
        });
    }

    // Rajbhandari et al. 2020, section 7: 3 Psi against 2 Psi. The root unit, which stays gathered, takes
    // part twice.
    void zero3SendsHalfAsMuchAgain()
    {
        forEachScenario([](const Scenario& drawn, const Prediction&) {
            Scenario scenario = drawn;
            scenario.training.precision = Precision::fp16;
            scenario.training.gradient_bytes = 2;
            scenario.conventions = Conventions{};
            scenario.conventions.report_loss = false;
            scenario.parallel.zero_stage = 0;
            if (scenario.parallel.schedule == Schedule::interleaved
                && !fillGroups(scenario.parallel, Framework::megatron, scenario.microBatches()))
                return; // rounds of PyTorch's
            const Prediction plain = predict(scenario).value();
            scenario.parallel.zero_stage = 3;
            const Prediction sharded = predict(scenario).value();
            const bool mirrored = hasMirroredStages(scenario.parallel);
            const double m = static_cast<double>(scenario.microBatches()) / (mirrored ? 2.0 : 1.0);
            for (std::size_t i = 0; i < plain.stages.size(); ++i) {
                if (i == 0 || i + 1 == plain.stages.size())
                    continue;
                const auto before = wireBytesByKind(plain.stages[i].messages);
                const auto after = wireBytesByKind(sharded.stages[i].messages);
                for (const Kind kind : {Kind::dp, Kind::edp}) {
                    const auto k = static_cast<std::size_t>(kind);
                    // Each unit, a layer, is padded to a multiple of its group: fewer than `group` elements.
                    const Parallel& parallel = scenario.parallel;
                    const std::int64_t replicas =
                        kind == Kind::edp ? parallel.expertRanks() : parallel.data * parallel.context;
                    const double group = static_cast<double>(replicas) * (mirrored ? 2.0 : 1.0);
                    const auto units = static_cast<double>(sharded.stages[i].layers.size());
                    const double padding = m * units * 3.0 * 2.0 * group;
                    const double exact = 1.5 * m * before[k];
                    QVERIFY(after[k] >= exact * (1.0 - 1e-9) && after[k] <= exact * (1.0 + 1e-9) + padding);
                }
            }
        });
    }

    void timelinesCoverTheIteration()
    {
        forEachScenario([](const Scenario& scenario, const Prediction& prediction) {
            const PredictedTimeline timeline = predictTimeline(scenario, prediction);
            QVERIFY(std::isfinite(timeline.iteration_s));
            std::vector<double> spent(prediction.stages.size(), 0.0);
            for (const TimelineSpan& span : timeline.spans) {
                QVERIFY(span.duration_s > 0.0);
                spent[static_cast<std::size_t>(span.stage)] += span.duration_s;
            }
            for (const double seconds : spent)
                QVERIFY(std::abs(seconds - timeline.iteration_s) <= 1e-6 * timeline.iteration_s);
        });
    }

    void passesAreTheirParts()
    {
        forEachScenario([](const Scenario& scenario, const Prediction& prediction) {
            const PredictedTimeline timeline = predictTimeline(scenario, prediction);
            const double little = 1e-6 * timeline.iteration_s;
            for (std::size_t i = 0; i < timeline.spans.size(); ++i) {
                const TimelineSpan& work = timeline.spans[i];
                if (work.pass < 0)
                    continue;
                const PassParts& pass = timeline.passes[static_cast<std::size_t>(work.pass)];
                QVERIFY(pass.duration_s >= work.duration_s - little);
                // What stands behind the work, up to the messages between stages, is in its parts.
                double end_s = work.end_s();
                for (std::size_t j = i + 1; j < timeline.spans.size(); ++j) {
                    const TimelineSpan& next = timeline.spans[j];
                    if (next.stage != work.stage || next.activity != Activity::communication
                        || next.kind == Kind::pp || next.phase == Phase::step
                        || next.micro_batch != work.micro_batch)
                        break;
                    end_s = next.end_s();
                }
                QVERIFY(std::abs(work.start_s + pass.duration_s - end_s) <= little);
            }
            for (const PassParts& pass : timeline.passes) {
                double end_s = 0.0;
                for (const PassPart& part : pass.in_turn) {
                    QVERIFY(part.duration_s > 0.0 && std::abs(part.start_s - end_s) <= little);
                    end_s = part.end_s();
                }
                QVERIFY(std::abs(end_s - pass.duration_s) <= little);
                end_s = 0.0;
                for (const PassPart& part : pass.beside) {
                    QVERIFY(part.is_message && part.start_s >= end_s - little);
                    end_s = part.end_s();
                }
                QVERIFY(end_s <= pass.duration_s + little);
            }
        });
    }

private:
    template<class Check>
    static void forEachScenario(Check check)
    {
        test::RandomScenarios random{seed};
        for (int i = 0; i < scenarios && !QTest::currentTestFailed(); ++i) {
            const Scenario scenario = random.next();
            const Result<Prediction> prediction = predict(scenario);
            QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
            check(scenario, prediction.value());
            if (QTest::currentTestFailed())
                qWarning("failed at scenario %d: %s", i, writeScenario(scenario, -1).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestPredictionProperties)
#include "tst_prediction_properties.moc"
