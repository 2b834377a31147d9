#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/prediction.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/prediction/time/collective_error.h"
#include "core/prediction/time/machine.h"

#include <array>
#include <vector>

namespace shardscope
{

// Seconds that one rank of a stage communicates for one micro-batch in one pass, by what it is for.
struct PassCommunication {
    double tp_layers_s = 0.0; // but for routed experts
    // Of routed experts: the dispatcher's own calls, which no product is overlapped with (Megatron-Core's
    // grouped products know no tensor group).
    double tp_experts_s = 0.0;
    double tp_embedding_s = 0.0;
    double tp_head_s = 0.0;        // head and loss
    double tp_modules_s = 0.0;     // of multi-token prediction: look-ups and projections
    double cp_s = 0.0;             // of attention
    double cp_recurrences_s = 0.0; // of recurrences
    double ep_s = 0.0;
    double gathers_s = 0.0; // dp and edp, from ZeRO stage 2 on: parameters and gradients of units
    double losses_s = 0.0;  // dp: the replicas' losses, behind the head
};

// A call of a stage's replicas that may run beneath a pass.
struct ReplicaCall {
    double seconds = 0.0;
    // Of the stage's layers, in the order of the pass: those behind which gradients are ready, or before
    // which parameters are needed.
    double share = 0.0;
};

// Collectives of a kind in an iteration, hidden or not.
struct CollectivesOfKind {
    double all_s = 0.0;
    double off_s = 0.0; // by so much the sum may be off: each call by its own error
};

// All messages of a stage as times. Passes are those of one micro-batch; the step is that of the iteration.
struct StageCommunication {
    // By Phase; step is left empty.
    std::array<PassCommunication, static_cast<std::size_t>(Phase::step) + 1> passes;
    double gradients_s = 0.0;                 // dp and edp to ZeRO stage 1: reduced gradients
    double parameters_s = 0.0;                // dp and edp, once an iteration: gathered parameters
    std::vector<ReplicaCall> gradient_calls;  // of gradients_s, what backward completes bucket by bucket
    std::vector<ReplicaCall> parameter_calls; // of parameters_s
    double embeddings_s = 0.0;                // emb, in the step
    double replicated_gradients_s = 0.0;      // tp, in the step
    double norm_s = 0.0;                      // mp, in the step
    std::array<CollectivesOfKind, kind_count> collectives{}; // by Kind; those of edp are with dp
    const PassCommunication& of(Phase phase) const { return passes[static_cast<std::size_t>(phase)]; }
};

// Whether the pipeline's messages travel in parts that the receivers gather. Megatron-LM cut them by default
// before it had sequence parallelism and fused attention, and published runs of then do not tell: their time
// is that of parts even where pp_partitioned, which is off by default, lists whole messages.
bool travelsInParts(const IterationFigures& figures);

// Messages of replicas (dp and edp) that are sent in every micro-batch, not once an iteration: parameters
// that ZeRO stage 3 gathers, and gradients that stages 2 and 3 reduce at once.
bool isOfEveryMicroBatch(const IterationFigures& figures, const Message& message);

// NICs by which the rings of one group of that kind leave a node at most; 0: one for each member there.
double ringAdapters(const Scenario& scenario, Kind kind);

// Gives each message its time on the machine: how its group lies there, and who shares its links.
class CommunicationTime
{
public:
    CommunicationTime(const IterationFigures& figures, const Machine& machine);

    StageCommunication stage(const StagePrediction& stage) const;
    // One call; where experts receive unlike numbers of tokens, as long as the fullest rank's. Pre: no send
    // or receive but around a ring.
    Seconds timeOf(const Message& message) const;
    // Calls that a message is: ZeRO gathers a unit tensor by tensor, where the framework does.
    double piecesOf(const Message& message) const;
    // What that takes the time of: the message, or the fullest rank's.
    Bytes bytesOf(const Message& message) const;
    // The communicator that carries a message of the kind.
    const Communicator& group(Kind kind) const { return m_groups[static_cast<std::size_t>(kind)]; }
    // From `stage` to the one after it, as pipelineMessageBytes() has it; parts are gathered by the
    // receivers.
    Seconds pipelineMessage(int stage) const;

private:
    double loadOf(const Message& message) const;
    void addError(StageCommunication& sum, const Message& message, double seconds) const;
    void addStep(StageCommunication& sum, const Message& message, double seconds) const;
    void addBuckets(StageCommunication& sum, const StagePrediction& stage) const;
    void addGathersInTurn(StageCommunication& sum, const StagePrediction& stage) const;
    void addPass(PassCommunication& sum, const Message& message, double seconds) const;

    const IterationFigures& m_figures;
    const Machine& m_machine;
    RankLayout m_layout;
    CollectiveErrors m_errors;
    std::array<Communicator, kind_count> m_groups{};
    double m_tensors_of_unit = 1.0; // that are gathered one by one
};

} // namespace shardscope
