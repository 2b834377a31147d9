#include "core/prediction/messages/token_exchange.h"

#include "core/prediction/model/expert_routing.h"
#include "core/prediction/model/token_copies.h"

#include <cmath>

namespace shardscope
{

namespace
{

// DeepSeek-AI 2024, section 3.3.2: tiles of 1 x 128 numbers share a scale.
constexpr std::int64_t tile = 128;
constexpr std::int64_t scale_bytes = 4;

} // namespace

TokenExchange::TokenExchange(const IterationFigures& figures)
{
    const Scenario& scenario = figures.scenario;
    const ExpertRouting routing{figures};
    const bool is_by_rank = scenario.conventions.token_dispatcher == TokenDispatcher::deepep;
    rows = is_by_rank ? std::llround(static_cast<double>(routing.tokens)
                                     * partsOfToken(scenario.model.experts, figures.expert))
                      : routing.slots;
    counts_first = !is_by_rank && !routing.sizes_are_fixed; // DeepEP's kernels tell each other
    const std::int64_t hidden = scenario.model.hidden_size;
    bytes_back = hidden * bytesPerElement(figures.activation_dtype);
    bytes_of_row =
        scenario.conventions.fp8_dispatch ? hidden + (hidden + tile - 1) / tile * scale_bytes : bytes_back;
}

} // namespace shardscope
