#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <random>
#include <vector>

namespace shardscope::test
{

// Draws valid scenarios of small worlds, every switch moved: the same seed draws the same ones.
class RandomScenarios
{
public:
    explicit RandomScenarios(std::uint64_t seed) : m_random{seed} {}
    Scenario next();

private:
    Scenario draw();
    void drawModel(Model& model);
    std::vector<std::int64_t> handSetLayers(std::int64_t layers, std::int64_t chunks);
    void drawParallel(Scenario& scenario);
    void drawRecomputation(Training& training);
    void drawConventions(Conventions& conventions);
    bool coin() { return pick({0, 1}) == 1; }
    std::int64_t pick(std::initializer_list<std::int64_t> choices);

    std::mt19937_64 m_random;
};

} // namespace shardscope::test
