#include "core/sweep/axis_values.h"
#include "core/sweep/sweep.h"
#include "core/sweep/time_map.h"

#include <benchmark/benchmark.h>

using namespace shardscope;

namespace
{

// Li et al. 2024, Table 3: 32 GPUs.
Scenario gpt3b()
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = 54;
    model.hidden_size = 2000;
    model.attention_heads = 40;
    model.kv_heads = 40;
    model.head_dim = 50;
    model.ffn_hidden_size = 8000;
    model.sequence_length = 1024;
    scenario.training.global_batch_size = 1024;
    scenario.training.micro_batch_size = 32;
    scenario.training.recompute = Recompute::full;
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 4;
    return scenario;
}

// 1,024 GPUs: (p, t, d) = (8, 8, 16).
Scenario gpt175b()
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = 96;
    model.hidden_size = 12288;
    model.attention_heads = 96;
    model.kv_heads = 96;
    model.ffn_hidden_size = 49152;
    scenario.training.global_batch_size = 1024;
    scenario.training.micro_batch_size = 1;
    scenario.parallel.pipeline = 8;
    scenario.parallel.tensor = 8;
    scenario.parallel.data = 16;
    scenario.parallel.sequence_parallel = true;
    return scenario;
}

void map(benchmark::State& state, const Scenario& scenario, SweepAxis x, SweepAxis y, MapModel model)
{
    TimeMap filled;
    filled.x_axis = x;
    filled.y_axis = y;
    filled.model = model;
    filled.x_values = mapValues(scenario, x, mapSide(model, scenario));
    filled.y_values = mapValues(scenario, y, mapSide(model, scenario));
    for (auto _ : state) {
        fillMap(filled, scenario);
        benchmark::DoNotOptimize(filled.cells.data());
    }
    const auto cells = static_cast<double>(filled.cells.size());
    state.counters["cells"] = cells;
    state.counters["per_cell"] = benchmark::Counter(cells, benchmark::Counter::kIsIterationInvariantRate
                                                               | benchmark::Counter::kInvert);
}

void bars(benchmark::State& state, const Scenario& scenario, SweepAxis axis)
{
    const Sweep sweep{scenario, axis, barValues(scenario, axis), {}, {}};
    for (auto _ : state)
        benchmark::DoNotOptimize(runSweep(sweep));
    state.counters["points"] = static_cast<double>(sweep.values.size());
}

BENCHMARK_CAPTURE(map, links_3b, gpt3b(), SweepAxis::network_bandwidth, SweepAxis::node_bandwidth,
                  MapModel::closed_form)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map, length_and_network_3b, gpt3b(), SweepAxis::sequence_length,
                  SweepAxis::network_bandwidth, MapModel::closed_form)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map, length_and_batch_175b, gpt175b(), SweepAxis::sequence_length,
                  SweepAxis::global_batch_size, MapModel::closed_form)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map, length_and_network_3b_detailed, gpt3b(), SweepAxis::sequence_length,
                  SweepAxis::network_bandwidth, MapModel::detailed)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(map, length_and_network_175b_detailed, gpt175b(), SweepAxis::sequence_length,
                  SweepAxis::network_bandwidth, MapModel::detailed)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bars, weak_scaling_175b, gpt175b(), SweepAxis::gpus_weak)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bars, stages_175b, gpt175b(), SweepAxis::pipeline)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
