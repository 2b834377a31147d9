#include "bench/accuracy/law_fit.h"

#include "core/prediction/prediction.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

namespace shardscope
{

namespace
{

struct Constant {
    const char* name;
    double ComputeLaw::*member;
};

// What each type's published steps can tell apart. The rest stays as the presets have it.
std::vector<Constant> constantsOf(const std::string& gpu)
{
    const Constant gemm{"gemm_efficiency", &ComputeLaw::gemm_efficiency};
    const Constant waves{"gemm_lost_waves", &ComputeLaw::gemm_lost_waves};
    const Constant memory{"memory_efficiency", &ComputeLaw::memory_efficiency};
    const Constant attention{"attention_efficiency", &ComputeLaw::attention_efficiency};
    const Constant biased{"biased_attention_efficiency", &ComputeLaw::biased_attention_efficiency};
    if (gpu == "A100")
        return {gemm,
                waves,
                memory,
                biased,
                {"kernel_us", &ComputeLaw::kernel_us},
                {"dispatch_us", &ComputeLaw::dispatch_us},
                {"overlap_contention", &ComputeLaw::overlap_contention},
                {"tensor_gather_efficiency", &ComputeLaw::tensor_gather_efficiency}};
    if (gpu == "H100")
        return {gemm,
                waves,
                memory,
                attention,
                biased,
                {"fp8_speedup", &ComputeLaw::fp8_speedup},
                {"tp_overlap_exposed", &ComputeLaw::tp_overlap_exposed},
                {"dp_overlap_exposed", &ComputeLaw::dp_overlap_exposed}};
    if (gpu == "B200")
        return {gemm, waves, memory, attention};
    if (gpu == "H100-96GB")
        return {gemm, waves, memory, attention};
    return {};
}

class Loss
{
public:
    explicit Loss(std::vector<TruthCase> cases) : m_cases{std::move(cases)}
    {
        std::map<std::string, int> sizes;
        for (const TruthCase& entry : m_cases)
            ++sizes[groupOf(entry)];
        for (const TruthCase& entry : m_cases)
            m_weights.push_back(1.0 / std::sqrt(sizes[groupOf(entry)]));
    }

    // Over the cases of one type of GPU; all of them when it is empty.
    double operator()(const Laws& laws, const std::string& gpu)
    {
        double sum = 0.0;
        for (std::size_t i = 0; i < m_cases.size(); ++i)
            if (gpu.empty() || m_cases[i].gpu == gpu)
                sum += m_weights[i]
                       * std::abs(std::log(predictedTime(m_cases[i], laws) / m_cases[i].measured_s));
        return sum;
    }

private:
    static std::string groupOf(const TruthCase& entry)
    {
        return entry.source + "|" + entry.gpu + "|" + entry.precision;
    }

    std::vector<TruthCase> m_cases;
    std::vector<double> m_weights;
};

// Multiplies or divides each value by its step while that helps; else the step halves.
void descend(const std::vector<double*>& values, const std::function<double()>& loss, int rounds)
{
    std::vector<double> steps(values.size(), 0.15);
    double best = loss();
    for (int round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double before = *values[i];
            bool better = false;
            for (const double factor : {1.0 + steps[i], 1.0 / (1.0 + steps[i])}) {
                *values[i] = before * factor;
                if (const double now = loss(); now < best - 1e-9) {
                    best = now;
                    better = true;
                    break;
                }
            }
            if (!better) {
                *values[i] = before;
                steps[i] *= 0.5;
            }
        }
}

} // namespace

Laws lawsOf(const std::vector<TruthCase>& cases)
{
    Laws laws;
    for (const TruthCase& entry : cases) {
        laws.gpus.insert({entry.gpu, entry.scenario.cluster.compute});
        const Conventions& conventions = entry.scenario.conventions;
        if (conventions.framework == Framework::deepspeed)
            laws.deepspeed_traffic = conventions.operator_traffic;
        if (conventions.framework == Framework::fsdp)
            laws.pytorch_traffic = conventions.operator_traffic;
    }
    return laws;
}

double predictedTime(TruthCase& entry, const Laws& laws)
{
    Scenario& scenario = entry.scenario;
    if (const auto found = laws.gpus.find(entry.gpu); found != laws.gpus.end())
        scenario.cluster.compute = found->second;
    if (scenario.conventions.framework == Framework::deepspeed)
        scenario.conventions.operator_traffic = laws.deepspeed_traffic;
    if (scenario.conventions.framework == Framework::fsdp)
        scenario.conventions.operator_traffic = laws.pytorch_traffic;
    const Result<Prediction> prediction = predict(scenario);
    return prediction ? prediction.value().time.iteration_s : 0.0;
}

Laws fitLaws(std::vector<TruthCase> cases, Laws start, int rounds)
{
    Loss loss{std::move(cases)};
    Laws laws = std::move(start);
    for (const char* gpu : {"A100", "H100", "B200", "H100-96GB"}) {
        const auto found = laws.gpus.find(gpu);
        if (found == laws.gpus.end())
            continue;
        std::vector<double*> values;
        for (const Constant& constant : constantsOf(gpu))
            values.push_back(&(found->second.*constant.member));
        if (std::string{gpu} == "A100")
            values.insert(values.end(), {&laws.deepspeed_traffic, &laws.pytorch_traffic});
        descend(
            values, [&] { return loss(laws, gpu); }, rounds);
    }
    return laws;
}

std::string describe(const Laws& laws)
{
    std::string text;
    std::array<char, 96> line{};
    for (const auto& [gpu, law] : laws.gpus) {
        text += gpu + ":";
        for (const Constant& constant : constantsOf(gpu)) {
            std::snprintf(line.data(), line.size(), " %s %.4g", constant.name, law.*constant.member);
            text += line.data();
        }
        text += "\n";
    }
    std::snprintf(line.data(), line.size(), "operator_traffic: deepspeed %.4g, fsdp and ddp %.4g\n",
                  laws.deepspeed_traffic, laws.pytorch_traffic);
    return text + line.data();
}

} // namespace shardscope
