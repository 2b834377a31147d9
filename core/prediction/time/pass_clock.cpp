#include "core/prediction/time/pass_clock.h"

#include <algorithm>

namespace shardscope
{

void PassClock::add(const Chunk& chunk)
{
    m_chunks.push_back(chunk);
    m_layers += chunk.layers;
    m_end_s += chunk.ahead_s + chunk.layers_s + chunk.behind_s;
}

double PassClock::at(double share) const
{
    constexpr double rounding = 1e-9; // of shares of layers
    double layers = share * m_layers;
    double begin_s = 0.0;
    for (const Chunk& chunk : m_chunks) {
        if (chunk.layers > 0.0 && layers <= chunk.layers * (1.0 + rounding))
            return begin_s + chunk.ahead_s + std::min(1.0, layers / chunk.layers) * chunk.layers_s;
        layers -= chunk.layers;
        begin_s += chunk.ahead_s + chunk.layers_s + chunk.behind_s;
    }
    return m_end_s;
}

} // namespace shardscope
