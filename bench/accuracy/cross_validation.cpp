#include "bench/accuracy/cross_validation.h"

#include <array>
#include <map>
#include <string_view>

namespace shardscope
{

namespace
{

struct SizeClass {
    double below; // parameters
    std::string_view name;
};
constexpr std::array<SizeClass, 9> size_classes{{{0.5e9, "below 0.5 billion"},
                                                 {1e9, "0.5 to 1 billion"},
                                                 {2e9, "1 to 2 billion"},
                                                 {5e9, "2 to 5 billion"},
                                                 {10e9, "5 to 10 billion"},
                                                 {30e9, "10 to 30 billion"},
                                                 {100e9, "30 to 100 billion"},
                                                 {300e9, "100 to 300 billion"},
                                                 {1e99, "300 billion and more"}}};

} // namespace

std::string sizeClass(const TruthCase& entry)
{
    for (const SizeClass& size : size_classes)
        if (entry.parameters < size.below)
            return std::string{size.name};
    return {};
}

std::vector<double> crossValidated(const std::vector<TruthCase>& cases, const Laws& presets,
                                   const std::function<std::string(const TruthCase&)>& foldOf)
{
    std::map<std::string, std::vector<std::size_t>> folds;
    for (std::size_t i = 0; i < cases.size(); ++i)
        folds[foldOf(cases[i])].push_back(i);
    std::vector<double> predicted(cases.size());
    for (const auto& [name, members] : folds) {
        std::set<std::string> gpus;
        for (const std::size_t i : members)
            gpus.insert(cases[i].gpu);
        std::vector<TruthCase> others;
        for (const TruthCase& entry : casesForFit(cases))
            if (foldOf(entry) != name)
                others.push_back(entry);
        const Laws laws = fitLaws(others, presets, gpus);
        for (const std::size_t i : members)
            predicted[i] = predictedTime(cases[i], laws);
    }
    return predicted;
}

} // namespace shardscope
