#include "bench/accuracy/memory_runs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <utility>

namespace shardscope
{

namespace
{

constexpr const char* introduction =
    "\n## Memory\n\nWhat the fullest GPU held at its peak, as the run's framework counts it "
    "(`docs/memory.md`): "
    "predicted over measured, less one. Nothing was fitted to single runs; the allocator's shares of what "
    "is cached come from all of a framework. nvidia-smi's figures are whole GiB, one sample each. Qi et al. "
    "do not tell their vocabulary, and their peaks are the same for all numbers of micro-batches.\n";

const char* counted(MemoryMeasure measure)
{
    switch (measure) {
    case MemoryMeasure::allocated:
        return "max allocated";
    case MemoryMeasure::reserved:
        return "max reserved";
    case MemoryMeasure::device:
        return "nvidia-smi";
    }
    return "";
}

std::string rows(const std::vector<TruthCase>& cases)
{
    std::map<std::pair<std::string, std::string>, std::vector<double>> errors;
    for (const TruthCase& entry : cases)
        if (entry.memory_bytes)
            errors[{entry.source, counted(entry.scenario.conventions.memory_measure)}].push_back(
                static_cast<double>(entry.prediction.memory.peak_bytes) / *entry.memory_bytes - 1.0);
    std::string text;
    for (const auto& [key, of] : errors) {
        std::array<char, 256> row{};
        std::snprintf(row.data(), row.size(), "| %s | %s | %zu | %.1f %% | %+.1f %% | %.1f %% |\n",
                      key.first.c_str(), key.second.c_str(), of.size(), 100.0 * meanSize(of),
                      100.0 * meanOf(of), 100.0 * sizeBelow(of, 1.0));
        text += row.data();
    }
    return text;
}

std::string fits(const PublishedRuns& published, const Residuals& residuals)
{
    const auto fit = [](const auto& entry) { return entry.prediction.memory.fits; };
    const auto ran = residuals.cases.size() + published.experts.size() + published.unseen.size();
    const auto said_to_fit = std::ranges::count_if(residuals.cases, fit)
                             + std::ranges::count_if(published.experts, fit)
                             + std::ranges::count_if(published.unseen, fit);
    const auto out = std::ranges::count_if(published.memory, &TruthCase::ran_out_of_memory);
    const auto said_not_to = std::ranges::count_if(
        published.memory, [&](const TruthCase& entry) { return entry.ran_out_of_memory && !fit(entry); });
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(),
                  "\nOf the %zu steps above that ran, %td are said to fit into the GPU's memory; of %td runs "
                  "that went out of it, %td are said not to.\n",
                  ran, said_to_fit, out, said_not_to);
    return text.data();
}

} // namespace

std::string memorySection(const PublishedRuns& published, const Residuals& residuals)
{
    return std::string{introduction}
           + "\n| source | counted | runs | mean size | bias | largest |\n"
             "| --- | --- | ---: | ---: | ---: | ---: |\n"
           + rows(published.memory) + fits(published, residuals);
}

} // namespace shardscope
