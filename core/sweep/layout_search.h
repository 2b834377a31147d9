#pragma once

#include "core/base/result.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"
#include "core/sweep/layout.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

// Ours: a search of as many takes a minute, and nobody has more.
inline constexpr std::int64_t most_searched_gpus = 1'000'000;

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
    std::int64_t may_be_fastest = 0; // of the others, at most: by bounds of what was not played
    std::int64_t capacity_bytes = 0; // of one GPU
    // Of those that fit, faster than LayoutSearchOptions::compared_s: at most so many, by the same bounds.
    std::int64_t faster = 0;
    bool faster_is_exact = true; // no bound was needed
    bool calibrated = true;      // false: the cluster's times have no band, and say little
    // The fastest, as many as were wished for, and what else is on the front, fastest first.
    std::vector<FoundLayout> found;
    // Places in `found` that no other layout beats in time and in memory, fastest first.
    std::vector<std::size_t> front;

    std::int64_t fitting() const { return possible - too_large; }
    // The place of the fastest that is not nearly full; the fastest, where all are.
    std::size_t fastestWithRoom() const;
};

// How a search is gone about.
struct LayoutSearchOptions {
    unsigned threads = 1;
    std::size_t top = 10;                    // the fastest that are wished for
    const std::atomic<bool>* stop = nullptr; // ends it, where given
    std::atomic<double>* share = nullptr;    // kept at what is done of it, where given
    std::optional<double> compared_s = {};   // an iteration's time: how many layouts are faster is counted
};

// Tries every layout of layoutCandidates(). The model, the cluster and the global batch stay as the scenario
// has them; its stages share the layers by stage_balance, whatever stage_layers says. Memory and a bound of
// the time are worked out for each; the schedule is played of those alone that their bound leaves a chance,
// so that the fastest and the front are the same as if all were. Error: more than most_searched_gpus, nothing
// can be trained on that many GPUs, or `stop` became true ("stopped"). Pre: threads > 0, top > 0.
Result<LayoutSearch> searchLayouts(const Scenario& base, std::int64_t gpus,
                                   const LayoutSearchOptions& options);

} // namespace shardscope
