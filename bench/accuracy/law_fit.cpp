#include "bench/accuracy/law_fit.h"

#include "core/prediction/time/time_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

namespace shardscope
{

namespace
{

// With the range in which it still means what its name says.
struct Constant {
    const char* name;
    double ComputeLaw::*member;
    double least;
    double most;
};

// A number that the fit may change within its range, and where it began.
struct Free {
    double* value;
    double least;
    double most;
    double start;
};

// What a case cannot tell shall stay where it was: a constant twice its start costs half of this, where a
// source of a hundred cases that are all 1 % off costs 0.1.
constexpr double pull_to_start = 0.2;

double pull(const std::vector<Free>& values)
{
    double sum = 0.0;
    for (const Free& value : values) {
        const double distance = std::log(*value.value / value.start);
        sum += pull_to_start * distance * distance;
    }
    return sum;
}

// Where the first type begins: for products what squares of 1,024 to 32,768 reach with cuBLASLt on an A100
// (0.80 of the peak behind a start of 6 to 9 us; Azure's ND A100 v4), else round figures of an earlier fit,
// which saw all cases.
ComputeLaw firstEstimate()
{
    ComputeLaw law;
    law.gemm_efficiency = 0.8;
    law.gemm_lost_waves = 0.3;
    law.kernel_us = 6.0;
    law.memory_efficiency = 0.8;
    law.overlap_contention = 0.73;
    return law;
}

// A type of GPU, the one whose constants it begins with, and what its published steps can tell apart. The
// rest stays as the presets have it.
struct Type {
    const char* gpu;
    const char* before;
    std::vector<Constant> constants;
};

const std::vector<Type>& types()
{
    static const Constant gemm{"gemm_efficiency", &ComputeLaw::gemm_efficiency, 0.2, 0.95};
    static const Constant waves{"gemm_lost_waves", &ComputeLaw::gemm_lost_waves, 0.1, 3.0};
    static const Constant memory{"memory_efficiency", &ComputeLaw::memory_efficiency, 0.2, 0.95};
    static const Constant attention{"attention_efficiency", &ComputeLaw::attention_efficiency, 0.1, 0.9};
    static const Constant biased{"biased_attention_efficiency", &ComputeLaw::biased_attention_efficiency,
                                 0.05, 0.9};
    static const std::vector<Type> all{
        {"A100",
         "",
         {gemm,
          waves,
          memory,
          biased,
          {"kernel_us", &ComputeLaw::kernel_us, 0.5, 10.0},
          {"dispatch_us", &ComputeLaw::dispatch_us, 2.0, 60.0},
          {"overlap_contention", &ComputeLaw::overlap_contention, 0.1, 1.5}}},
        {"H100",
         "A100",
         {gemm,
          waves,
          memory,
          attention,
          biased,
          {"fp8_speedup", &ComputeLaw::fp8_speedup, 1.0, 2.0},
          {"tp_overlap_exposed", &ComputeLaw::tp_overlap_exposed, 0.1, 0.9},
          {"dp_overlap_exposed", &ComputeLaw::dp_overlap_exposed, 0.1, 0.9}}},
        {"H100-96GB", "H100", {gemm, waves, memory, attention}},
        {"B200", "H100", {gemm, waves, memory, attention}},
        {"GB200", "H100", {}},
    };
    return all;
}

const Type* typeOf(const std::string& gpu)
{
    const auto found = std::ranges::find_if(types(), [&](const Type& type) { return gpu == type.gpu; });
    return found == types().end() ? nullptr : &*found;
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

    // Over the cases of one type of GPU.
    double operator()(const Laws& laws, const std::string& gpu) const
    {
        double sum = 0.0;
        for (std::size_t i = 0; i < m_cases.size(); ++i)
            if (m_cases[i].gpu == gpu)
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

// Multiplies or divides each value by its step while that helps; else the step halves. It ends where all
// steps are small.
void descend(const std::vector<Free>& values, double first_step, const std::function<double()>& loss)
{
    constexpr double last_step = 0.004;
    std::vector<double> steps(values.size(), first_step);
    double best = loss();
    while (std::ranges::any_of(steps, [](double step) { return step > last_step; }))
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (steps[i] <= last_step)
                continue;
            double& value = *values[i].value;
            const double before = value;
            bool better = false;
            for (const double factor : {1.0 + steps[i], 1.0 / (1.0 + steps[i])}) {
                value = std::clamp(before * factor, values[i].least, values[i].most);
                if (const double now = loss(); now < best - 1e-9) {
                    best = now;
                    better = true;
                    break;
                }
            }
            if (!better) {
                value = before;
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

double predictedTime(const TruthCase& entry, const Laws& laws)
{
    Scenario scenario = entry.scenario;
    if (const auto found = laws.gpus.find(entry.gpu); found != laws.gpus.end())
        scenario.cluster.compute = found->second;
    if (scenario.conventions.framework == Framework::deepspeed)
        scenario.conventions.operator_traffic = laws.deepspeed_traffic;
    if (scenario.conventions.framework == Framework::fsdp)
        scenario.conventions.operator_traffic = laws.pytorch_traffic;
    const IterationFigures figures{scenario};
    return predictTime(figures, entry.prediction).summary.iteration_s;
}

double predictedTimeOfLi(const TruthCase& entry)
{
    Scenario scenario = entry.scenario;
    scenario.time_model = TimeModel::li;
    const IterationFigures figures{scenario};
    return predictTime(figures, entry.prediction).summary.iteration_s;
}

Laws carriedOver(const Laws& laws, const std::string& gpu)
{
    Laws carried = laws;
    const Type* type = typeOf(gpu);
    const auto own = carried.gpus.find(gpu);
    if (type == nullptr || own == carried.gpus.end())
        return carried;
    const auto before = laws.gpus.find(type->before);
    const ComputeLaw from = before != laws.gpus.end() ? before->second : firstEstimate();
    for (const Constant& constant : type->constants)
        own->second.*constant.member = from.*constant.member;
    return carried;
}

Laws fitLaws(const std::vector<TruthCase>& cases, const Laws& presets, const std::set<std::string>& gpus)
{
    const Loss loss{cases};
    Laws laws = presets;
    for (const Type& type : types()) {
        const auto found = laws.gpus.find(type.gpu);
        if (found == laws.gpus.end() || (!gpus.empty() && !gpus.contains(type.gpu)))
            continue;
        laws = carriedOver(laws, type.gpu);
        std::vector<Free> values;
        const auto free = [&](double& value, double least, double most) {
            values.push_back({&value, least, most, value});
        };
        for (const Constant& constant : type.constants)
            free(laws.gpus.at(type.gpu).*constant.member, constant.least, constant.most);
        if (type.before == std::string{}) {
            laws.deepspeed_traffic = 2.0;
            laws.pytorch_traffic = 2.0;
            free(laws.deepspeed_traffic, 1.0, 10.0);
            free(laws.pytorch_traffic, 1.0, 10.0);
        }
        if (std::ranges::any_of(cases, [&](const TruthCase& entry) { return entry.gpu == type.gpu; }))
            for (const double first_step : {0.15, 0.05}) // again, as the first way down may end early
                descend(values, first_step, [&] { return loss(laws, type.gpu) + pull(values); });
    }
    return laws;
}

std::vector<TruthCase> casesForFit(const std::vector<TruthCase>& cases)
{
    constexpr int step = 8;
    std::vector<TruthCase> some;
    int of_sweeps = 0;
    for (const TruthCase& entry : cases)
        if (entry.source.find("single node") == std::string::npos || of_sweeps++ % step == 0)
            some.push_back(entry);
    return some;
}

std::string describe(const Laws& laws)
{
    std::string text;
    std::array<char, 96> line{};
    for (const auto& [gpu, law] : laws.gpus) {
        text += gpu + ":";
        const Type* type = typeOf(gpu);
        for (const Constant& constant : type != nullptr ? type->constants : std::vector<Constant>{}) {
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
