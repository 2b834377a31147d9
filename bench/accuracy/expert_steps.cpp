#include "bench/accuracy/expert_steps.h"

#include "bench/accuracy/residuals.h"

#include <array>
#include <cstdio>

namespace shardscope
{

std::string expertSection(const std::vector<TruthCase>& cases)
{
    std::string rows;
    std::vector<double> errors;
    for (const TruthCase& entry : cases) {
        errors.push_back(entry.prediction.time.iteration_s / entry.measured_s - 1.0);
        std::array<char, 256> row{};
        std::snprintf(row.data(), row.size(), "| %s | %s | %lld | %.4g s | %+.1f %% |\n", entry.id.c_str(),
                      entry.gpu.c_str(), static_cast<long long>(entry.scenario.microBatches()),
                      entry.measured_s, 100.0 * errors.back());
        rows += row.data();
    }
    std::array<char, 128> mean{};
    std::snprintf(mean.data(), mean.size(), "| **mean size, bias** | | | | %.1f %%, %+.1f %% |\n",
                  100.0 * meanSize(errors), 100.0 * meanOf(errors));
    return "\n## Models with experts\n\nNothing was fitted to these steps: the constants are those of dense "
           "models. The sources name the model and leave its sizes to its authors; NVIDIA's do not tell how "
           "tokens are dispatched, which is predicted as one all_to_all.\n\n"
           "| case | GPU | micro-batches | measured | error |\n| --- | --- | ---: | ---: | ---: |\n"
           + rows + mean.data();
}

} // namespace shardscope
