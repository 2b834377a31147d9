#include "widgets/panels/scenario/scenario_stops.h"

#include "core/prediction/model/recomputation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace shardscope
{

namespace
{

std::vector<double> powersOfTwo(double first, double last)
{
    std::vector<double> stops;
    for (double value = first; value <= last; value *= 2)
        stops.push_back(value);
    return stops;
}

// Multiples of `step` from `first` to `last`, about `per_octave` of them between a value and its double.
std::vector<double> multiples(double step, double first, double last, int per_octave)
{
    std::vector<double> stops;
    if (!(step > 0.0) || step > last)
        return stops;
    const double growth = std::exp2(1.0 / per_octave);
    for (double value = std::max(first, step); value <= last * 1.0001; value *= growth) {
        const double stop = std::max(1.0, std::round(value / step)) * step;
        if (stops.empty() || stop > stops.back())
            stops.push_back(stop);
    }
    return stops;
}

template<class Accepts>
std::vector<double> only(std::vector<double> stops, Accepts accepts)
{
    std::erase_if(stops, [&](double stop) { return !accepts(static_cast<std::int64_t>(stop)); });
    return stops;
}

// Divisors of `whole` that are not above `limit`.
std::vector<double> divisors(std::int64_t whole, std::int64_t limit)
{
    std::vector<double> stops;
    for (std::int64_t divisor = 1; divisor <= std::min(whole, limit); ++divisor) {
        if (whole % divisor == 0)
            stops.push_back(static_cast<double>(divisor));
    }
    return stops;
}

constexpr double most_gpus = 131072;

} // namespace

std::vector<double> layerStops(const Scenario&)
{
    return multiples(1, 1, 192, 12);
}

std::vector<double> hiddenStops(const Scenario& scenario)
{
    const auto heads = static_cast<double>(scenario.model.attention_heads);
    // A head dimension that is a multiple of 8 wherever the range leaves room for it.
    const double step = heads * 8 <= 1024 ? heads * 8 : heads;
    return multiples(step, 32, 65536, 8);
}

std::vector<double> headStops(const Scenario& scenario)
{
    const std::int64_t hidden = scenario.model.hidden_size;
    return only(divisors(hidden, 256), [hidden](std::int64_t heads) {
        const std::int64_t head_dim = hidden / heads;
        return head_dim >= 16 && head_dim <= 512;
    });
}

std::vector<double> kvHeadStops(const Scenario& scenario)
{
    return divisors(scenario.model.attention_heads, 1024);
}

std::vector<double> sequenceStops(const Scenario&)
{
    std::vector<double> stops;
    for (double power = 32; power <= 1048576; power *= 2) {
        stops.push_back(power);
        if (power < 1048576)
            stops.push_back(power * 1.5);
    }
    return stops;
}

std::vector<double> vocabularyStops(const Scenario&)
{
    // Every 1,024, and the vocabularies that models in use have: BERT, Llama 2, GPT-2, Megatron's GPT,
    // cl100k, Llama 3, DeepSeek-V3, Qwen 2, o200k, Gemma.
    std::vector<double> stops = multiples(1024, 1024, 262144, 6);
    for (const double known :
         {30522.0, 32000.0, 50257.0, 51200.0, 100277.0, 128256.0, 129280.0, 151936.0, 200019.0, 256000.0})
        stops.push_back(known);
    std::sort(stops.begin(), stops.end());
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    return stops;
}

std::vector<double> microBatchStops(const Scenario& scenario)
{
    const std::int64_t data = scenario.parallel.data;
    const std::int64_t global = scenario.training.global_batch_size;
    if (data <= 0 || global % data != 0)
        return powersOfTwo(1, 1024);
    return divisors(global / data, 1024);
}

std::vector<double> globalBatchStops(const Scenario& scenario)
{
    const double step =
        static_cast<double>(scenario.training.micro_batch_size) * static_cast<double>(scenario.parallel.data);
    return multiples(step, 1, 65536, 4);
}

std::vector<double> worldStops(const Scenario&)
{
    return powersOfTwo(1, most_gpus);
}

std::vector<double> pipelineStops(const Scenario& scenario)
{
    const std::int64_t layers = scenario.model.layers;
    return only(powersOfTwo(1, 256), [layers](std::int64_t stages) { return stages <= layers; });
}

std::vector<double> tensorStops(const Scenario& scenario)
{
    const std::int64_t heads = scenario.model.attention_heads;
    return only(powersOfTwo(1, 256), [heads](std::int64_t tensor) { return heads % tensor == 0; });
}

std::vector<double> dataStops(const Scenario&)
{
    return powersOfTwo(1, most_gpus);
}

std::vector<double> contextStops(const Scenario& scenario)
{
    const std::int64_t length = scenario.model.sequence_length;
    return only(powersOfTwo(1, 1024), [length](std::int64_t context) { return length % context == 0; });
}

std::vector<double> expertParallelStops(const Scenario& scenario)
{
    const Parallel& parallel = scenario.parallel;
    double ranks = static_cast<double>(parallel.data) * static_cast<double>(parallel.context);
    if (!parallel.expert_tensor_parallel)
        ranks *= static_cast<double>(parallel.tensor);
    return only(powersOfTwo(1, 1024), [ranks](std::int64_t expert) {
        return std::fmod(ranks, static_cast<double>(expert)) == 0.0;
    });
}

std::vector<double> virtualStageStops(const Scenario& scenario)
{
    const std::int64_t stages = std::max<std::int64_t>(1, scenario.parallel.pipeline);
    const std::int64_t most = std::clamp<std::int64_t>(scenario.model.layers / stages, 1, 32);
    std::vector<double> stops;
    for (std::int64_t value = 1; value <= most; ++value)
        stops.push_back(static_cast<double>(value));
    return stops;
}

std::vector<double> layersAgainStops(const Scenario& scenario)
{
    std::vector<double> stops;
    for (std::int64_t value = 1; value <= layersOfVirtualStage(scenario); ++value)
        stops.push_back(static_cast<double>(value));
    return stops;
}

std::vector<double> bandwidthStops(const Scenario&)
{
    std::vector<double> stops;
    for (double decade = 0.1; decade < 1000.0; decade *= 10) {
        for (const double step : {1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0})
            stops.push_back(std::round(decade * step * 1000.0) / 1000.0);
    }
    stops.push_back(1000.0);
    return stops;
}

std::vector<double> shareStops(const Scenario&)
{
    std::vector<double> stops;
    for (int percent = 2; percent <= 100; ++percent)
        stops.push_back(percent / 100.0);
    return stops;
}

} // namespace shardscope
