#pragma once

#include "core/scenario/scenario.h"

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace shardscope
{

class RecomputeModules
{
public:
    constexpr RecomputeModules() = default;
    constexpr RecomputeModules(std::initializer_list<RecomputeModule> modules)
    {
        for (const RecomputeModule module : modules)
            add(module);
    }

    constexpr void add(RecomputeModule module) { m_bits |= bitOf(module); }
    constexpr bool has(RecomputeModule module) const { return (m_bits & bitOf(module)) != 0; }
    constexpr bool isEmpty() const { return m_bits == 0; }
    constexpr RecomputeModules operator&(RecomputeModules other) const
    {
        RecomputeModules both;
        both.m_bits = m_bits & other.m_bits;
        return both;
    }
    constexpr bool operator==(const RecomputeModules&) const = default;

private:
    static constexpr unsigned bitOf(RecomputeModule module) { return 1U << static_cast<unsigned>(module); }

    unsigned m_bits = 0;
};

// What of one layer is computed again before its backward pass, and so not kept until then.
struct Repeats {
    bool layer = false;           // all of it, from its input
    bool second_products = false; // by PyTorch's checkpoints: what checkpointsOperators()
    RecomputeModules modules{};   // of a layer with neither

    bool has(RecomputeModule module) const { return modules.has(module); }
    bool operator==(const Repeats&) const = default;
};
inline constexpr Repeats no_repeats{};
inline constexpr Repeats whole_layer{true, false, {}};

// Of the layers that training.recompute is of. Layers beyond recompute_layers have no_repeats.
Repeats repeatsOf(const Scenario& scenario);
// Of the layers that are not computed again whole.
Repeats repeatsOfOthers(const Scenario& scenario);

// Whether any layer of the model has something of the module.
bool hasModule(const Model& model, RecomputeModule module);

// Norms that `layernorm` computes again: those before latent attention and before a router, which are not
// fused with the product that reads them (Transformer Engine's others are). Where attention and MLP share one
// norm it is fused if either is.
std::int64_t normsAlone(const Model& model, LayerForm form);
// Norms whose results modules compute again: these, and the one that is fused with an MLP.
std::int64_t normsAgain(const Model& model, LayerForm form, RecomputeModules modules);

// What selective recomputation is worth trying with: the scenario's own modules and, where fused attention
// leaves nothing to save with its core, those that cost little (Megatron-Core discards their output alone).
std::vector<RecomputeModule> modulesWorthTrying(const Scenario& scenario);

// Layers of a virtual stage, of about the largest; at least 1. May be asked of any scenario.
std::int64_t layersOfVirtualStage(const Scenario& scenario);
// Of a chunk of so many layers, the first that are computed again whole.
std::int64_t wholeLayersAgain(const Training& training, std::int64_t layers);
// Whether the modules of multi-token prediction are: Megatron-Core has them in turn with all layers, or not
// at all.
bool repeatsPredictionModules(const Training& training);

} // namespace shardscope
