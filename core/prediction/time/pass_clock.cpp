#include "core/prediction/time/pass_clock.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr double rounding = 1e-9; // of shares of layers

double secondsOf(const PassClock::Chunk& chunk)
{
    return chunk.ahead_s + chunk.layers_s + chunk.behind_s;
}

// What so many layers of a chunk that has some take of the time of all of them.
double shareOf(const PassClock::Chunk& chunk, double layers)
{
    double all = 0.0;
    double through = 0.0;
    double left = layers;
    for (const double weight : chunk.weights) {
        all += weight;
        through += weight * std::clamp(left, 0.0, 1.0);
        left -= 1.0;
    }
    return all > 0.0 ? through / all : layers / chunk.layers;
}

} // namespace

void PassClock::add(const Chunk& chunk)
{
    m_chunks.push_back(chunk);
    m_layers += chunk.layers;
    m_end_s += secondsOf(chunk);
}

double PassClock::endOf(double share) const
{
    if (share >= 1.0 - rounding)
        return m_end_s;
    double layers = share * m_layers;
    double begin_s = 0.0;
    for (const Chunk& chunk : m_chunks) {
        if (layers <= chunk.layers * (1.0 + rounding)) {
            const double worked = chunk.layers > 0.0 ? std::min(1.0, shareOf(chunk, layers)) : 1.0;
            return begin_s + chunk.ahead_s + worked * chunk.layers_s;
        }
        layers -= chunk.layers;
        begin_s += secondsOf(chunk);
    }
    return m_end_s;
}

double PassClock::beginBehind(double share) const
{
    double layers = share * m_layers;
    double begin_s = 0.0;
    for (const Chunk& chunk : m_chunks) {
        const bool is_there = layers < chunk.layers * (1.0 - rounding);
        if (is_there)
            return begin_s + chunk.ahead_s + shareOf(chunk, layers) * chunk.layers_s;
        if (chunk.layers == 0.0 && layers <= rounding)
            return begin_s;
        layers = std::max(0.0, layers - chunk.layers);
        begin_s += secondsOf(chunk);
    }
    return m_chunks.empty() ? 0.0 : m_end_s - m_chunks.back().behind_s;
}

} // namespace shardscope
