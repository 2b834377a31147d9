#pragma once

#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/model/recomputation.h"
#include "core/prediction/time/operator_time.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// Seconds that one rank computes for one micro-batch, without communication.
struct ComputeTime {
    double forward_s = 0.0;
    double input_gradient_s = 0.0;
    double weight_gradient_s = 0.0;
    double recompute_s = 0.0;
    // Of forward_s and of input_gradient_s: what ring attention hides its messages behind.
    double attention_s = 0.0;
    double attention_gradient_s = 0.0;
    double recomputed_attention_s = 0.0; // the same of recompute_s
    // Least time of each pass, set by the processor that starts the kernels.
    double forward_dispatch_s = 0.0;
    double backward_dispatch_s = 0.0;
    double recompute_dispatch_s = 0.0;
    // Of forward_s and input_gradient_s: no kernel runs yet, the processor starts them.
    double starts_s = 0.0;

    void add(const ComputeTime& part);
};

// The order in which a layer works in a forward pass, with the places between operators where it
// communicates. Backward goes the other way.
enum class LayerStep : std::uint8_t {
    layer_in,
    look_up, // this and the next five are of multi-token prediction alone
    look_up_out,
    join_norms,
    join_in,
    join,
    join_out,
    attention_norm,
    attention_in,
    projection,
    attention_gather, // of context parallelism, as is the next
    attention,
    attention_exchange,
    output_projection,
    attention_out,
    cross_in,
    cross_attention,
    cross_out,
    mlp_norm,
    router,
    permutation,
    dispatch,
    mlp_in,
    first_product,
    activation,
    second_product,
    mlp_out,
    combine,
    output_norms,
    layer_out,
    accumulation
};

// One operator, or a few alike, of a layer on one GPU for one micro-batch.
struct OperatorCost {
    std::string_view what; // a literal: "output projection"
    LayerStep step = LayerStep::layer_in;
    Gemm shape;         // of a product; zeros for others
    double count = 1.0; // products of that shape at once, of as many experts
    double forward_s = 0.0;
    double backward_s = 0.0;
    double forward_flops = 0.0; // 0: a pass over memory
    bool is_repeated = false;   // of a module that selective recomputation computes again
};

// Layers as products of matrices, attention or a recurrence, and passes over memory (norms, activations,
// dropout, residuals, softmax).
class LayerTime
{
public:
    LayerTime(const IterationFigures& figures, const Machine& machine);

    ComputeTime layer(LayerForm form) const;
    // What layer() adds up, without recomputation and dispatch.
    std::vector<OperatorCost> layerOperators(LayerForm form) const;
    // A module of multi-token prediction: the layer and, without the look-up, what stands around it. Its few
    // kernels more are not counted among those that the processor starts.
    ComputeTime module(LayerForm form) const;
    std::vector<OperatorCost> moduleOperators(LayerForm form) const;
    // A decoder's attention to its encoder's output.
    ComputeTime crossAttention() const;

private:
    struct Sum;
    struct Named {
        LayerStep step;
        std::string_view what;
    };
    struct MlpNames {
        std::string_view first;
        std::string_view second;
    };
    // Of one rank: rows of each of `count` products, and the part of the inner width.
    struct MlpSize {
        double rows;
        double width;
        double count = 1.0;
    };
    void addOperators(Sum& sum, LayerForm form) const;
    void addModule(Sum& sum) const;
    void addAccumulation(Sum& sum, const LayerParameters& parameters) const;
    void addProjections(Sum& sum) const;
    void addProduct(Sum& sum, const Named& named, const Gemm& gemm, double count = 1.0) const;
    void addQuantization(Sum& sum, const Named& named, const Gemm& gemm, double count) const;
    void addPass(Sum& sum, const Named& named, Bytes forward, Bytes backward) const;
    void addAttention(Sum& sum, double keys, double seen) const;
    void addSublayer(Sum& sum, LayerStep norm) const;
    void addNorms(Sum& sum, double norms) const;
    void addMlp(Sum& sum, const MlpNames& names, const MlpSize& size) const;
    void addExperts(Sum& sum) const;
    void addRouter(Sum& sum, const Gemm& router) const;
    void addElementwise(Sum& sum, LayerForm form) const;
    void addRecurrence(Sum& sum) const;
    void addRecurrencePasses(Sum& sum) const;
    double scanFlops() const;
    double repeatedActivation(double activation, LayerForm form) const;
    double repeatedNorms_s(LayerForm form) const;
    double headPartBytes(LayerForm form) const;
    void addRecomputation(const Sum& sum, ComputeTime& time) const;
    ComputeTime timeOf(const Sum& sum) const;
    // Kernels that the processor starts in either pass.
    struct Kernels {
        double forward = 0.0;
        double backward = 0.0;
    };
    Kernels kernelsOf(LayerForm form) const;
    Kernels kernelsOfExperts() const;
    void addDispatch(ComputeTime& time, LayerForm form) const;

    const IterationFigures& m_figures;
    const Model& m_model;
    const Training& m_training;
    Repeats m_repeats; // of layers that are not computed again whole
    OperatorTime m_operators;
    double m_dispatch_s;
    double m_tokens;       // of a micro-batch on one rank
    double m_tensor;       // t
    double m_number_bytes; // of an activation
    double m_traffic;      // memory passes of the framework against fused kernels
};

// An encoder's layers take as long as those of a model that has nothing but them.
ComputeTime encoderLayerTime(const Scenario& scenario, const Machine& machine);

} // namespace shardscope
