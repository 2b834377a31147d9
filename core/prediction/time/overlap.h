#pragma once

#include "core/prediction/time/pass_clock.h"
#include "core/prediction/time/stage_communication.h"
#include "core/prediction/time/time_model.h"

namespace shardscope
{

// What communication adds to the work that it runs beside: ComputeLaw's overlap_contention,
// tp_overlap_exposed and dp_overlap_exposed, for the overlaps that the scenario's conventions and schedule
// switch on. With launch_blocking there are none.
class Overlap
{
public:
    // `tensor`: how the ranks of a tensor group lie on the nodes.
    Overlap(const IterationFigures& figures, const Communicator& tensor)
        : m_figures{figures}, m_tensor_is_joined{tensor.nodes() == 1}
    {
    }

    // Stage 3 gathers the next unit's parameters and reduces the last one's gradients while a unit is worked
    // on: `gathers_s` of them in a pass, which grows by what does not fit beside it.
    void hideGathers(PassTime& pass, double gathers_s) const;
    // A forward and a backward pass of two micro-batches share the stage: one is computed while the other's
    // tokens travel to experts and back (DeepSeek-AI 2024, DeepSeek-V3, section 3.2.1).
    void hideExperts(StageTime& stage) const;
    // Tensor-parallel messages that travel while products are computed: all_gathers and reduce_scatters of
    // sequence parallelism, which every framework asks for here. `products_s`: what they run beneath. They
    // are copies over NVLink (Transformer Engine's userbuffers; NVIDIA/TransformerEngine issue 1071 and pull
    // request 1470): between nodes that no such link joins nothing is overlapped.
    double exposedTensor(double tp_s, double products_s) const;
    // What of a layer's attention the messages of its context group run beneath. Ring attention exchanges the
    // next part of keys and values while it works on one. PyTorch's gather runs beneath the attention to the
    // rank's own part, one of c, and gradients that go round beneath the others: `parts` of them in all.
    double hidingContext(double attention_s, double parts) const;
    // Gradients that are reduced during the last backward pass (dp_overlap): each bucket when it is ready and
    // the ones before it are through. Parameters that are gathered during the first forward pass
    // (param_overlap), one after the other: layers wait for their own. While any travels the pass loses
    // dp_overlap_exposed of its time.
    ReplicaTime replicas(const StageCommunication& stage, const PassClock& backward,
                         const PassClock& forward) const;

private:
    bool areOn(bool switched_on) const;
    void hideGradients(ReplicaTime& time, const std::vector<ReplicaCall>& calls,
                       const PassClock& backward) const;
    void hideParameters(ReplicaTime& time, const std::vector<ReplicaCall>& calls,
                        const PassClock& forward) const;
    double exposedBeside(double working_s, double travelling_s) const;

    const IterationFigures& m_figures;
    bool m_tensor_is_joined; // by the links inside a node
};

} // namespace shardscope
