#pragma once

#include "core/analysis/measurement.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>

namespace shardscope
{

// How the time of something grows with hidden size h, sequence length s and micro-batch b: the operator-level
// model of Pati et al. 2023, section 4.3, which scales one profiled iteration to other models.
enum class Growth : std::uint8_t {
    matrix,      // products of matrices: s b h^2 (those of unfused attention look the same by name)
    attention,   // fused attention, and softmax over scores: s^2 b h
    elementwise, // passes over memory, norms among them: s b h
    step,        // the optimizer: h^2
    activations, // messages of activations (tp, cp, ep, pp): s b h
    gradients,   // messages of gradients and parameters (dp, emb, edp): h^2
    other        // what nothing is known of stays as it is
};
inline constexpr int growth_count = static_cast<int>(Growth::other) + 1;

struct Resizing {
    double hidden = 1.0; // against the measured one
    double sequence = 1.0;
    double batch = 1.0;
};
// Of a scenario against that of the run. b is what a replica works through in an iteration: so many sequences
// take as long in many micro-batches as in few.
Resizing resizingOf(const Scenario& scenario, const Scenario& of_run);
double growthFactor(Growth growth, const Resizing& resizing);

// What a rank's iteration consists of, in seconds: kernels by class, and communication by what travels, of
// which `hidden_s` ran beneath compute. Idle time is none of it.
struct OperatorSeconds {
    std::array<double, growth_count> seconds{}; // by Growth; communication whole
    std::array<double, growth_count> hidden_s{};
    // Attention is not fused: its products of scores, which grow as s^2 b h, are among Growth::matrix.
    bool has_scores = false;

    double exposed_s(Growth growth) const;
    double compute_s() const;
    double total_s() const; // compute and exposed communication
};

// Of one iteration of the rank, of the `iterations` that were recorded.
OperatorSeconds operatorSeconds(const RankMeasurement& rank, std::int64_t iterations);

// The same at another size. Communication hides beneath compute in the measure that compute grows; what does
// not fit there is exposed.
OperatorSeconds resized(const OperatorSeconds& measured, const Resizing& resizing);

} // namespace shardscope
