#include "bench/accuracy/accuracy_files.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace shardscope
{

namespace
{

using nlohmann::ordered_json;

constexpr const char* made_by = "shardscope-accuracy write";

double rounded(double value)
{
    constexpr double digits = 1e5;
    return value == 0.0 ? 0.0 : std::round(value * digits) / digits;
}

} // namespace

std::string timeErrorsFile(const Residuals& residuals)
{
    ordered_json errors = ordered_json::object();
    for (const auto& [gpu, error] : timeErrors(residuals))
        errors[gpu.empty() ? "others" : gpu] = {{"time_error", error.large},
                                                {"time_error_small", error.small},
                                                {"time_error_fp8", error.fp8},
                                                {"time_error_li", error.li},
                                                {"time_error_li_small", error.li_small}};
    const ordered_json file{
        {"made_by", made_by},
        {"what",
         "share of the predicted time that four of five measured ones of a source stay within, with "
         "constants found without that source; others: with constants of another type of GPU; li: the "
         "factor less one of Li et al.'s formula with bandwidths from data sheets"},
        {"gpus", errors}};
    return file.dump(2) + "\n";
}

std::string casesFile(const Residuals& residuals)
{
    std::string text = std::string{"{\"made_by\": \""} + made_by + "\",\n\"cases\": [\n";
    for (std::size_t i = 0; i < residuals.cases.size(); ++i) {
        const TruthCase& entry = residuals.cases[i];
        const ordered_json row{{"id", entry.id},
                               {"source", entry.source},
                               {"reference", entry.reference},
                               {"gpu", entry.gpu},
                               {"gpus", entry.gpus},
                               {"parameters", std::round(entry.parameters)},
                               {"measured_s", entry.measured_s},
                               {"source_left_out_s", rounded(residuals.source_left_out_s[i])},
                               {"scenario", ordered_json::parse(entry.scenario_text)}};
        text += row.dump() + (i + 1 < residuals.cases.size() ? ",\n" : "\n");
    }
    return text + "]}\n";
}

} // namespace shardscope
