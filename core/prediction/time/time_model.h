#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/layer_traits.h"
#include "core/prediction/prediction.h"
#include "core/prediction/time/pipeline_simulation.h"

#include <array>
#include <vector>

namespace shardscope
{

class LayoutBandwidths;

// What one stage spends on one pass of one micro-batch, in seconds. Nothing in it overlaps.
struct PassTime {
    double compute_s = 0.0;
    double tp_s = 0.0;
    double cp_s = 0.0;
    double ep_s = 0.0;
    double dp_s = 0.0; // parameters gathered and gradients reduced in every micro-batch
    double pp_s = 0.0;

    double total_s() const { return compute_s + tp_s + cp_s + ep_s + dp_s + pp_s; }
};

// What one layer takes in both passes of one micro-batch, beside what replicas send.
struct LayerPasses {
    double forward_s = 0.0;
    double backward_s = 0.0; // as that of StageTime
    double weight_gradient_s = 0.0;
};

// Both passes of one micro-batch.
struct StageTime {
    PassTime forward;
    PassTime backward;              // recomputation and weight gradients included
    double weight_gradient_s = 0.0; // the part of backward that schedules may put off
    // Of both passes' compute_s: kernels run, and do not wait for the processor; those of layers alone.
    double kernels_s = 0.0;
    double layer_kernels_s = 0.0;
    // By LayerSort; of those that the stage holds, where the detailed model knows them.
    std::array<LayerPasses, layer_sort_count> layers{};
};

// A call that runs beneath a pass, in the pass's own time: what it gets done meanwhile.
struct HiddenCall {
    double before_end_s = 0.0; // from its beginning to the end of the stage's last pass
    double seconds = 0.0;
};

// Gradients that replicas of a stage reduce once an iteration, and parameters that they gather: all of it,
// and what does not run beneath the last backward and the first forward pass.
struct ReplicaTime {
    double gradients_s = 0.0;
    double exposed_gradients_s = 0.0;
    double parameters_s = 0.0;
    double exposed_parameters_s = 0.0;
    std::vector<HiddenCall> hidden_gradients{}; // by StagePrediction::buckets, while some of one is hidden

    double exposed_s() const { return exposed_gradients_s + exposed_parameters_s; }
};

// What a stage does when its replicas have reduced its gradients, in this order. The norm is of all stages'
// gradients: none goes on before the last one is there.
struct StepTime {
    double emb_s = 0.0;
    double tp_s = 0.0; // gradients that tensor ranks hold alike
    double mp_s = 0.0; // the norm
    double optimizer_s = 0.0;

    double beforeNorm_s() const { return emb_s + tp_s; }
    double total_s() const { return beforeNorm_s() + mp_s + optimizer_s; }
};

// One iteration as a time model sees it: what a report shows of it, and what the timeline plays.
struct IterationTime {
    TimePrediction summary;
    std::vector<StageTime> chunks; // of every virtual stage, in the order of PipelineChain
    // From stage s to the one after it, on the way in which a message is waited for; the pp_s of a pass is
    // what a model counts as part of it instead.
    std::vector<double> message_s;
    bool sender_waits = false;         // for its message to arrive
    double dp_s = 0.0;                 // after the last backward pass, gradients and parameters
    StepTime step;                     // after that: what every stage waits for
    std::vector<StageUse> stages;      // of the pipeline; Li et al.'s formula leaves it empty
    std::vector<ReplicaTime> replicas; // of each stage, as well
    std::vector<StepTime> steps;       // of each stage, as well
};

// The pipeline of an iteration, for playPipeline().
PipelineWork pipelineWork(const IterationFigures& figures, const IterationTime& time);

// The scenario's time model at work. Pre: messages, flops and parameters of `prediction` are filled in.
IterationTime predictTime(const IterationFigures& figures, const Prediction& prediction);
// What an iteration takes at least, and the widest band that it may have, without playing the schedule.
struct LeastTime {
    double iteration_s = 0.0;
    std::array<double, 2> error_band{0.0, 0.0};
};
// Of predictTime(). Pre: the same.
LeastTime leastIterationTime(const IterationFigures& figures, const Prediction& prediction);

// Idle time of every stage while the pipeline fills and drains, with equal stages, of a
// micro-batch's forward pass, its whole backward pass, and the part of that which makes weight gradients.
// Narayanan et al. 2021, section 2.2; Qi et al. 2024; DualPipe's README.
double pipelineBubble_s(const Parallel& parallel, double forward_s, double backward_s,
                        double weight_gradient_s);

// Li et al. 2024, Eq. 1 to 9.
IterationTime predictTimeLi(const IterationFigures& figures, const Prediction& prediction);
// The same with bandwidths that many scenarios of one layout share. Pre: they are of the scenario's layout.
IterationTime predictTimeLi(const IterationFigures& figures, const Prediction& prediction,
                            LayoutBandwidths& bandwidths);

// Operators, collectives and the schedule, each by its own law: ComputeLaw, CollectiveLaw, playPipeline().
IterationTime predictTimeDetailed(const IterationFigures& figures, const Prediction& prediction);
LeastTime leastTimeDetailed(const IterationFigures& figures, const Prediction& prediction);

} // namespace shardscope
