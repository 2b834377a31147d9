#include "bench/scenarios.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/predict.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/timeline/timeline.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "core/report/prediction_report.h"

#include <benchmark/benchmark.h>

#include <cstdlib>

using namespace shardscope;

namespace
{

Prediction predicted(const Scenario& scenario)
{
    Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        std::abort();
    return std::move(prediction.value());
}

void predictScenario(benchmark::State& state, const Scenario& scenario)
{
    predicted(scenario); // one that cannot be would be quick
    for (auto _ : state)
        benchmark::DoNotOptimize(predict(scenario));
}

// Each rank's place, part and messages as values.
void predictEveryRank(benchmark::State& state, const Scenario& scenario)
{
    for (auto _ : state) {
        const Prediction prediction = predicted(scenario);
        const RankLayout layout{scenario.parallel};
        const RankParts parts{scenario};
        for (std::int64_t rank = 0; rank < prediction.world_size; ++rank)
            benchmark::DoNotOptimize(parts.messages(prediction, parts.part(layout.coordinates(rank))));
    }
}

// The same as the text that `shardscope-cli predict --ranks all --json` prints.
void writeEveryRank(benchmark::State& state, const Scenario& scenario)
{
    PredictionReportOptions options;
    options.ranks.mode = RankChoice::Mode::all;
    for (auto _ : state)
        benchmark::DoNotOptimize(predictionJson(scenario, predicted(scenario), options));
}

void drawTimeline(benchmark::State& state, const Scenario& scenario)
{
    const Prediction prediction = predicted(scenario);
    for (auto _ : state)
        benchmark::DoNotOptimize(predictTimeline(scenario, prediction));
}

void fillMatrix(benchmark::State& state, const Scenario& scenario)
{
    const Prediction prediction = predicted(scenario);
    for (auto _ : state) {
        const TrafficMatrix matrix{scenario, prediction};
        for (const Kind kind : matrix.kinds())
            benchmark::DoNotOptimize(matrix.cells(kind));
    }
}

// One row of every kind, as a heatmap asks for the rows that it shows.
void askForRows(benchmark::State& state, const Scenario& scenario)
{
    const Prediction prediction = predicted(scenario);
    const TrafficMatrix matrix{scenario, prediction};
    std::vector<TrafficCell> cells;
    std::int64_t rank = 0;
    for (auto _ : state) {
        cells.clear();
        for (const Kind kind : matrix.kinds())
            matrix.appendRow(kind, rank, cells);
        rank = (rank + 12345) % matrix.worldSize();
        benchmark::DoNotOptimize(cells.data());
    }
}

BENCHMARK_CAPTURE(predictScenario, gpt3b_32_gpus, gpt3b());
BENCHMARK_CAPTURE(predictScenario, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predictScenario, gpt3b_32_gpus_detailed, detailed(gpt3b()))->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predictScenario, gpt175b_1024_gpus_detailed, detailed(gpt175b()))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predictScenario, gpt175b_1024_gpus_in_buckets, inBuckets(detailed(gpt175b())))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predictScenario, deepseek_v3_detailed, detailed(deepSeekV3()))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predictScenario, million_passes, millionPasses(Schedule::one_f_one_b))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predictScenario, million_passes_interleaved, millionPasses(Schedule::interleaved))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predictScenario, deepseek_v3_131072_gpus, deepSeekV3())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predictEveryRank, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(writeEveryRank, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(drawTimeline, gpt3b_32_gpus, gpt3b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(drawTimeline, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(drawTimeline, gpt175b_1024_gpus_detailed, detailed(gpt175b()))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(fillMatrix, gpt3b_32_gpus, gpt3b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(fillMatrix, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(askForRows, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(askForRows, deepseek_v3_131072_gpus, deepSeekV3())->Unit(benchmark::kMicrosecond);

} // namespace

BENCHMARK_MAIN();
