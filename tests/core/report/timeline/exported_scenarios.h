#pragma once

#include "core/import/importer.h"
#include "core/prediction/predict.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/scenario/scenario_change.h"

#include <QString>
#include <QTest>

#include <array>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

Q_DECLARE_METATYPE(shardscope::Scenario)

namespace shardscope
{

// Scenarios whose timelines are exported, and how tests read them back.

inline Scenario scenarioOf(Schedule schedule)
{
    Scenario scenario;
    scenario.name = "a \"quoted\" name";
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    setSchedule(scenario.parallel, schedule);
    scenario.training.global_batch_size = 64;
    return scenario;
}

inline TraceSet imported(const QString& path)
{
    const std::array<std::filesystem::path, 1> paths{path.toStdString()};
    Result<TraceSet> traces = importTraces(paths);
    if (!traces)
        qFatal("%s", traces.error().sentence.c_str());
    return std::move(traces).value();
}

// The first ranks of their tensor and data groups: all stages of a pipeline, and the ring of each.
inline std::vector<std::int64_t> onePipeline(const Scenario& scenario)
{
    const RankLayout layout{scenario.parallel};
    std::vector<std::int64_t> ranks;
    for (std::int64_t rank = 0; rank < scenario.worldSize(); ++rank)
        if (const RankCoordinates place = layout.coordinates(rank); place.tp == 0 && place.dp == 0)
            ranks.push_back(rank);
    return ranks;
}

inline void row(const char* name, const std::function<void(Scenario&)>& change)
{
    Scenario scenario = scenarioOf(Schedule::one_f_one_b);
    scenario.time_model = TimeModel::detailed;
    change(scenario);
    QTest::newRow(name) << scenario;
}

// Layers, the model's ends and buckets are of different sizes, and there are more or fewer of them than
// layers.
inline void addUnits()
{
    const auto of = [](const char* name, int zero_stage, const std::function<void(Scenario&)>& change) {
        row(name, [&](Scenario& scenario) {
            scenario.parallel.zero_stage = zero_stage;
            scenario.conventions.zero_reduction = ZeroReduction::reduce_scatter;
            scenario.conventions.zero_unit = ZeroUnit::layer;
            change(scenario);
        });
    };
    const auto scheduled = [&](const char* name, int zero_stage, Schedule schedule, int virtual_stages = 1) {
        of(name, zero_stage, [&](Scenario& scenario) {
            scenario.parallel.schedule = schedule;
            scenario.parallel.virtual_stages = virtual_stages;
        });
    };
    scheduled("ZeRO 2, 1f1b", 2, Schedule::one_f_one_b);
    scheduled("ZeRO 2, interleaved", 2, Schedule::interleaved, 2);
    scheduled("ZeRO 2, zb-h1", 2, Schedule::zb_h1);
    scheduled("ZeRO 2, dualpipe", 2, Schedule::dualpipe);
    scheduled("ZeRO 3, gpipe", 3, Schedule::gpipe);
    scheduled("ZeRO 3, 1f1b", 3, Schedule::one_f_one_b);
    scheduled("ZeRO 3, interleaved", 3, Schedule::interleaved, 2);
    scheduled("ZeRO 3, zb-h2", 3, Schedule::zb_h2);
    scheduled("ZeRO 3, dualpipe", 3, Schedule::dualpipe);
    of("some layers computed again", 0, [](Scenario& scenario) {
        scenario.training.recompute = Recompute::full;
        scenario.training.recompute_layers = 1;
    });
    of("modules computed again", 1, [](Scenario& scenario) {
        scenario.model.experts.count = 4;
        scenario.model.experts.shared = 1;
        scenario.model.experts.every = 2;
        scenario.parallel.sequence_parallel = true;
        scenario.parallel.expert = 2;
        scenario.training.recompute = Recompute::selective;
        scenario.training.recompute_modules = {RecomputeModule::mlp, RecomputeModule::moe};
    });
    of("buckets of ZeRO 2", 2, [](Scenario& scenario) {
        scenario.conventions.zero_reduction = ZeroReduction::all_reduce;
        scenario.conventions.report_loss = true;
    });
    of("small buckets of ZeRO 2", 2, [](Scenario& scenario) {
        scenario.conventions.zero_reduction = ZeroReduction::all_reduce;
        scenario.conventions.dp_bucket_bytes = 4'000'000;
    });
    of("a reduce for each owner", 2,
       [](Scenario& scenario) { scenario.conventions.zero_reduction = ZeroReduction::reduce; });
    of("ZeRO 3, the model as one", 3,
       [](Scenario& scenario) { scenario.conventions.zero_unit = ZeroUnit::model; });
    of("ZeRO 3, the last layer kept", 3,
       [](Scenario& scenario) { scenario.conventions.zero3_keeps = ZeroKeeps::root_and_last; });
    of("ZeRO 3, nothing kept", 3,
       [](Scenario& scenario) { scenario.conventions.zero3_keeps = ZeroKeeps::none; });
    of("ZeRO 3 beneath the computing", 3, [](Scenario& scenario) { scenario.conventions.dp_overlap = true; });
    of("ZeRO 3, a stage without layers", 3, [](Scenario& scenario) {
        const std::int64_t rest = scenario.model.layers - 3;
        scenario.parallel.stage_layers = {rest, 2, 1, 0};
    });
    of("ZeRO 3 and experts", 3, [](Scenario& scenario) {
        scenario.model.experts.count = 4;
        scenario.parallel.data = 4;
        scenario.parallel.expert = 2;
    });
}

// Schedules, conventions and stages of ZeRO whose messages stand in the timeline in different ways.
inline void everyScenario()
{
    QTest::addColumn<Scenario>("scenario");
    const auto of = [&](const char* name, Schedule schedule, int virtual_stages = 1) {
        row(name, [&](Scenario& scenario) {
            scenario.parallel.schedule = schedule;
            scenario.parallel.virtual_stages = virtual_stages;
        });
    };
    of("gpipe", Schedule::gpipe);
    of("1f1b", Schedule::one_f_one_b);
    of("interleaved", Schedule::interleaved, 2);
    of("zb-h1", Schedule::zb_h1);
    of("zb-h2", Schedule::zb_h2);
    of("dualpipe", Schedule::dualpipe);
    of("zb-v", Schedule::zb_v, 2);
    of("v-half", Schedule::v_half, 2);
    of("v-min", Schedule::v_min, 2);
    row("parameters of replicas", [](Scenario& scenario) { scenario.parallel.zero_stage = 1; });
    row("buckets beneath", [](Scenario& scenario) {
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_overlap = true;
    });
    row("sequence parallelism", [](Scenario& scenario) { scenario.parallel.sequence_parallel = true; });
    row("parameters of replicas beneath a ring", [](Scenario& scenario) {
        scenario.parallel.context = 2;
        scenario.parallel.zero_stage = 2;
        scenario.conventions.param_overlap = true;
    });
    row("ring of a context group", [](Scenario& scenario) { scenario.parallel.context = 2; });
    row("tied embeddings", [](Scenario& scenario) { scenario.model.tied_embeddings = true; });
    addUnits();
    row("messages between stages in parts",
        [](Scenario& scenario) { scenario.conventions.pp_partitioned = true; });
    row("experts that receive unlike numbers of tokens", [](Scenario& scenario) {
        scenario.model.experts.count = 4;
        scenario.model.experts.skew = 0.7;
        scenario.parallel.data = 4;
        scenario.parallel.expert = 4;
    });
    row("batches that are handed on",
        [](Scenario& scenario) { scenario.conventions.tp_broadcast_batch = true; });
    row("batches that are handed on, interleaved", [](Scenario& scenario) {
        scenario.conventions.tp_broadcast_batch = true;
        scenario.parallel.schedule = Schedule::interleaved;
        scenario.parallel.virtual_stages = 2;
    });
}

} // namespace shardscope
