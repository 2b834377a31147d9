#include "core/prediction/model/iteration_figures.h"

#include "core/prediction/model/expert_load.h"
#include "core/prediction/model/expert_routing.h"
#include "core/prediction/ranks/rank_layout.h"

namespace shardscope
{

namespace
{

// Six bytes are a 16-bit gradient beside the fp32 sum, and the sum is what is reduced.
Dtype gradientDtype(const Training& training)
{
    if (training.gradient_bytes >= 4)
        return Dtype::fp32;
    return hasBf16Weights(training.precision) ? Dtype::bf16 : Dtype::fp16;
}

} // namespace

Dtype activationDtype(Precision precision)
{
    switch (precision) {
    case Precision::fp32:
        return Dtype::fp32;
    case Precision::fp16:
        return Dtype::fp16;
    case Precision::bf16:
    case Precision::fp8:
    case Precision::fp4:
        break;
    }
    return Dtype::bf16;
}

IterationFigures::IterationFigures(const Scenario& asked) : scenario{asked}
{
    const Model& model = scenario.model;
    const Parallel& parallel = scenario.parallel;
    mirrored = hasMirroredStages(parallel);
    micro_batches = scenario.microBatches();
    passes = mirrored ? micro_batches / 2 : micro_batches;
    tokens = scenario.training.micro_batch_size * model.sequence_length / parallel.context;
    activation_elements = tokens * model.hidden_size;
    activation_dtype = activationDtype(scenario.training.precision);
    activation_bytes = activation_elements * bytesPerElement(activation_dtype);
    gradient_dtype = gradientDtype(scenario.training);
    if (model.kind == ModelKind::transformer)
        takeParameters();
    if (model.hasEncoder()) {
        LayerParameters& of_decoder = layers[static_cast<std::size_t>(LayerForm::attention_mlp)];
        encoder_layer = of_decoder;
        of_decoder.add(crossAttentionParameters(model, parallel.tensor));
        encoder_tokens = scenario.training.micro_batch_size * model.encoderLength();
        encoder_bytes = encoder_tokens * model.hidden_size * bytesPerElement(activation_dtype);
    }
    tensor = static_cast<int>(parallel.tensor);
    context = static_cast<int>(parallel.context);
    expert = static_cast<int>(parallel.expert);
    expert_tensor = static_cast<int>(parallel.expertTensor());
    experts_apart = parallel.expertsAreApart();
    const std::int64_t copies = mirrored ? 2 : 1;
    data_group = static_cast<int>(parallel.data * parallel.context * copies);
    expert_data_group = static_cast<int>(parallel.expertRanks() * copies) / expert;
    if (hasExperts(model)) {
        busiest_load = busiestLoad(*this);
        expert_rows = busiest_load * ExpertRouting{*this}.rowsPerToken();
    }
}

void IterationFigures::takeParameters()
{
    const Model& model = scenario.model;
    const Parallel& parallel = scenario.parallel;
    const Shards shards{parallel.tensor, parallel.expert, parallel.expertTensor()};
    const std::int64_t words = paddedVocabulary(model, parallel.tensor) / parallel.tensor;
    layersBySort(model).decoder.each([&](LayerForm form, std::int64_t) {
        layers[static_cast<std::size_t>(form)] = layerParameters(model, form, shards);
    });
    mtp_extra = mtpExtraParameters(model, parallel.tensor);
    mtp_module = layer(layerForm(model, model.layers));
    mtp_module.add(mtp_extra);
    word_embedding = words * model.hidden_size;
    positions = positionParameters(model, parallel.tensor);
    embedding_extras = embeddingExtraParameters(model);
    final_norm = finalNormParameters(model);
    head_extras = headTransformParameters(model) + sentenceHeadParameters(model);
    if (hasHeadBias(model))
        head_extras += words;
}

} // namespace shardscope
