#include "bench/scenarios.h"
#include "core/sweep/axis_values.h"
#include "core/sweep/sweep.h"
#include "core/sweep/time_map.h"

#include <benchmark/benchmark.h>

using namespace shardscope;

namespace
{

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
BENCHMARK_CAPTURE(bars, weak_scaling_175b, detailed(gpt175b()), SweepAxis::gpus_weak)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(bars, stages_175b, detailed(gpt175b()), SweepAxis::pipeline)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
