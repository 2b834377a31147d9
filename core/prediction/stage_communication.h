#pragma once

#include "core/prediction/iteration_figures.h"
#include "core/prediction/machine.h"
#include "core/prediction/prediction.h"

#include <array>

namespace shardscope
{

// Seconds that one rank of a stage communicates for one micro-batch in one pass, by what it is for.
struct PassCommunication {
    double tp_layers_s = 0.0;
    double tp_ends_s = 0.0; // embedding, head and loss
    double cp_s = 0.0;
    double ep_s = 0.0;
    double gathers_s = 0.0; // of stage 3's and 2's units: parameters and gradients
};

// All messages of a stage as times. Passes are those of one micro-batch; the step is that of the iteration.
struct StageCommunication {
    std::array<PassCommunication, 4> passes; // by Phase; step is left empty
    double gradients_s = 0.0;                // dp and edp, once an iteration: reduced gradients
    double parameters_s = 0.0;               // dp and edp, once an iteration: gathered parameters
    double step_s = 0.0;                     // emb, mp, and what the tensor group sums in the step
    const PassCommunication& of(Phase phase) const { return passes[static_cast<std::size_t>(phase)]; }
};

// Timed as part of the pipeline's messages: those, and what pp_partitioned adds to them.
bool belongsToPipeline(const Message& message);

// Gives each message its time on the machine: how its group lies there, and who shares its links.
class CommunicationTime
{
public:
    CommunicationTime(const IterationFigures& figures, const Machine& machine);

    StageCommunication stage(const StagePrediction& stage) const;
    // One call. Pre: no message of the pipeline.
    Seconds timeOf(const Message& message) const;
    // The communicator that carries a message of the kind.
    const Communicator& group(Kind kind) const { return m_groups[static_cast<std::size_t>(kind)]; }
    // From `stage` to the one after it. Ranks of a tensor group hold the same activation; each sends its part
    // and the receivers gather it (Narayanan et al. 2021, Sec. 4.1), or with sequence parallelism it is
    // split.
    double pipelineMessage(int stage) const;

private:
    void addStep(StageCommunication& sum, const Message& message, double seconds) const;
    void addPass(PassCommunication& sum, const Message& message, double seconds) const;
    bool isOfEveryMicroBatch(const Message& message) const;

    const IterationFigures& m_figures;
    const Machine& m_machine;
    RankLayout m_layout;
    std::array<Communicator, kind_count> m_groups{};
};

} // namespace shardscope
