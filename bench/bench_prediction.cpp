#include "core/prediction/prediction.h"
#include "core/prediction/rank_layout.h"
#include "core/prediction/rank_parts.h"
#include "core/prediction/timeline.h"
#include "core/prediction/traffic_matrix.h"
#include "core/report/prediction_report.h"

#include <benchmark/benchmark.h>

#include <cstdlib>

using namespace shardscope;

namespace
{

Scenario gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads)
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = layers;
    model.hidden_size = hidden;
    model.attention_heads = heads;
    model.kv_heads = heads;
    model.head_dim = hidden / heads;
    model.ffn_hidden_size = 4 * hidden;
    scenario.time_model = TimeModel::li;
    return scenario;
}

// Li et al. 2024, Table 3: 32 GPUs.
Scenario gpt3b()
{
    Scenario scenario = gpt(54, 2000, 40);
    scenario.model.sequence_length = 1024;
    scenario.training.global_batch_size = 1024;
    scenario.training.micro_batch_size = 32;
    scenario.training.recompute = Recompute::full;
    scenario.parallel.pipeline = 4;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 4;
    return scenario;
}

// 1,024 GPUs: (p, t, d) = (8, 8, 16), interleaved, sequence parallelism.
Scenario gpt175b()
{
    Scenario scenario = gpt(96, 12288, 96);
    scenario.training.global_batch_size = 1024;
    scenario.training.micro_batch_size = 1;
    scenario.parallel.pipeline = 8;
    scenario.parallel.tensor = 8;
    scenario.parallel.data = 16;
    scenario.parallel.sequence_parallel = true;
    scenario.parallel.virtual_stages = 3;
    scenario.parallel.schedule = Schedule::interleaved;
    scenario.parallel.zero_stage = 1;
    return scenario;
}

Scenario detailed(Scenario scenario)
{
    scenario.time_model = TimeModel::detailed;
    return scenario;
}

// 131,072 GPUs: 16 stages, experts over 64 ranks.
Scenario deepSeekV3()
{
    Scenario scenario = gpt(61, 7168, 128);
    Model& model = scenario.model;
    model.head_dim = 128;
    model.ffn_hidden_size = 18432;
    model.gated_mlp = true;
    model.linear_bias = false;
    model.tied_embeddings = false;
    model.vocab_size = 129280;
    model.sequence_length = 4096;
    model.norm = Norm::rmsnorm;
    model.position_embedding = PositionEmbedding::rope;
    model.mla = {1536, 512, 128, 64, 128};
    model.experts.count = 256;
    model.experts.per_token = 8;
    model.experts.ffn_hidden_size = 2048;
    model.experts.every = 1;
    model.experts.first = 3;
    model.experts.shared = 1;
    scenario.training.micro_batch_size = 1;
    scenario.training.global_batch_size = 8192 * 32;
    scenario.parallel.pipeline = 16;
    scenario.parallel.data = 8192;
    scenario.parallel.expert = 64;
    scenario.parallel.zero_stage = 1;
    return scenario;
}

Prediction predicted(const Scenario& scenario)
{
    Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        std::abort();
    return std::move(prediction.value());
}

void predictScenario(benchmark::State& state, const Scenario& scenario)
{
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
BENCHMARK_CAPTURE(predictScenario, deepseek_v3_detailed, detailed(deepSeekV3()))
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predictScenario, deepseek_v3_131072_gpus, deepSeekV3())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(predictEveryRank, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(writeEveryRank, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(drawTimeline, gpt3b_32_gpus, gpt3b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(drawTimeline, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(fillMatrix, gpt3b_32_gpus, gpt3b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(fillMatrix, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(askForRows, gpt175b_1024_gpus, gpt175b())->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(askForRows, deepseek_v3_131072_gpus, deepSeekV3())->Unit(benchmark::kMicrosecond);

} // namespace

BENCHMARK_MAIN();
