#include "bench/accuracy/law_fit.h"
#include "bench/accuracy/ordering.h"

#include "core/base/resources.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace shardscope;

namespace
{

struct Errors {
    std::vector<double> signed_errors;
    void print(const char* title) const
    {
        double sum = 0;
        double bias = 0;
        double most = 0;
        for (const double e : signed_errors) {
            sum += std::abs(e);
            bias += e;
            most = std::max(most, std::abs(e));
        }
        const auto n = static_cast<double>(signed_errors.size());
        std::printf("%-52s n %4zu  MAPE %6.2f %%  bias %+6.2f %%  max %6.1f %%\n", title,
                    signed_errors.size(), 100 * sum / n, 100 * bias / n, 100 * most);
    }
};

void report(std::vector<TruthCase>& cases, const Laws& laws, std::size_t worst, const char* filter)
{
    std::map<std::string, Errors> groups;
    Errors large, all;
    std::vector<std::pair<double, std::string>> each;
    for (TruthCase& entry : cases) {
        const double e = predictedTime(entry, laws) / entry.measured_s - 1;
        groups[entry.source.substr(0, 30) + "|" + entry.gpu + "|" + entry.precision].signed_errors.push_back(
            e);
        if (entry.source.find("single") == std::string::npos || true) {
            if (entry.large && entry.source.find("single") == std::string::npos)
                large.signed_errors.push_back(e);
            all.signed_errors.push_back(e);
        }
        if (entry.id.find(filter) != std::string::npos)
            each.push_back({e, entry.id});
    }
    for (const auto& [name, errors] : groups)
        errors.print(name.c_str());
    large.print(">=1B 16 bit");
    {
        std::vector<TruthCase> multi;
        std::vector<double> t;
        for (TruthCase& e : cases)
            if (e.file == "public") {
                multi.push_back(e);
                t.push_back(predictedTime(e, laws));
            }
        const Ordering o = orderingOf(multi, t);
        double sum = 0;
        for (size_t i = 0; i < t.size(); ++i)
            sum += std::abs(t[i] / multi[i].measured_s - 1);
        std::printf("public: MAPE %.2f  spearman %.3f near %d of %d\n", 100 * sum / t.size(), o.spearman,
                    o.near_best, o.groups);
    }
    std::ranges::sort(each, [](auto& a, auto& b) { return std::abs(a.first) > std::abs(b.first); });
    for (std::size_t i = 0; i < std::min(worst, each.size()); ++i)
        std::printf("   %+7.1f %% %s\n", 100 * each[i].first, each[i].second.c_str());
}

} // namespace

int main(int argc, char** argv)
{
    const Result<Presets> presets = Presets::load(resourcesFolder() / "presets");
    if (!presets) {
        std::puts(presets.error().sentence.c_str());
        return 1;
    }
    auto cases = readTruthCases({SHARDSCOPE_SHARED_FOLDER "/truth/public.json",
                                 SHARDSCOPE_SHARED_FOLDER "/truth/vtrain_single_public.json"},
                                presets.value());
    if (!cases) {
        std::puts(cases.error().sentence.c_str());
        return 1;
    }
    Laws laws = lawsOf(cases.value());
    if (argc > 1 && std::strcmp(argv[1], "fit") == 0) {
        std::vector<TruthCase> some;
        int i = 0;
        for (const TruthCase& entry : cases.value())
            if (entry.source.find("single") == std::string::npos || i++ % 5 == 0)
                some.push_back(entry);
        laws = fitLaws(some, laws, 25);
        std::puts(describe(laws).c_str());
    }
    report(cases.value(), laws, argc > 2 ? 1000 : 25, argc > 2 ? argv[2] : "");
}
