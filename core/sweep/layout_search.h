#pragma once

#include "core/base/result.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// One way to lay a model out: what a search varies of a scenario.
struct Layout {
    Parallel parallel;
    std::int64_t micro_batch_size = 1;
    Recompute recompute = Recompute::none;
};
Scenario withLayout(const Scenario& base, const Layout& layout);
Layout layoutOf(const Scenario& scenario);
// The same as a scenario of its own, named by its model and layout: the base's name tells another.
Scenario foundScenario(const Scenario& base, const Layout& layout);
// "(p, t, d) = (8, 4, 32), micro-batch 1, interleaved 6, ZeRO 1, sequence parallel, selective recomputation".
std::string layoutText(const Layout& layout);

// A layout that fits into memory, and what it costs.
struct FoundLayout {
    Layout layout;
    TimePrediction time;
    std::int64_t micro_batches = 0;
    std::int64_t device_bytes = 0; // of the fullest GPU
    // It fits by less than predictions of memory are off by (docs/memory.md): it may not.
    bool is_nearly_full = false;
    // The error band of its time reaches the fastest layout's time: which of the two is faster is not known.
    // Without a band (see LayoutSearch::calibrated) nothing is.
    bool may_be_fastest = false;
};

// What a search tried and found.
struct LayoutSearch {
    std::int64_t gpus = 0;
    std::int64_t possible = 0;       // layouts that can be trained, whatever the memory
    std::int64_t too_large = 0;      // of them, that do not fit
    std::int64_t capacity_bytes = 0; // of one GPU
    bool calibrated = true;          // false: the cluster's times have no band, and say little
    std::vector<FoundLayout> found;  // the others, fastest first
    // Places in `found` that no other beats in time and in memory, fastest first.
    std::vector<std::size_t> front;

    // The place of the fastest that is not nearly full; the fastest, where all are.
    std::size_t fastestWithRoom() const;
};

// Tries every pipeline, tensor and data parallel degree that fills `gpus`, with each micro-batch, ZeRO stage,
// recomputation and sequence parallelism, and interleaved stages where the scenario's schedule is 1F1B. The
// model, the cluster, the global batch, context and expert parallelism stay as the scenario has them; its
// stages share the layers by stage_balance, whatever stage_layers says. Error: nothing can be trained on that
// many GPUs, or `stop` became true ("stopped"). `share`, where given, is kept at the share of layouts that
// are tried. Pre: threads > 0.
Result<LayoutSearch> searchLayouts(const Scenario& base, std::int64_t gpus, unsigned threads,
                                   const std::atomic<bool>* stop = nullptr,
                                   std::atomic<double>* share = nullptr);

} // namespace shardscope
