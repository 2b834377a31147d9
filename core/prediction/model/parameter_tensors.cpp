#include "core/prediction/model/parameter_tensors.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

// Of the output: BERT's heads, the head's own weights, the norms that end the stacks of layers.
void appendHead(TensorSizes& sizes, const IterationFigures& figures, bool has_own_weights)
{
    const Model& model = figures.scenario.model;
    const std::int64_t h = model.hidden_size;
    const auto appendDense = [&](std::int64_t outputs) { // of no layer
        sizes.add(outputs);
        sizes.add(h * outputs);
    };
    if (model.output_head == OutputHead::bert) {
        appendDense(2);
        appendDense(h);
    }
    if (hasHeadBias(model))
        sizes.add(figures.word_embedding / h);
    if (model.output_head == OutputHead::bert) {
        appendNorm(sizes, model);
        appendDense(h);
    }
    if (has_own_weights)
        sizes.add(figures.word_embedding);
    if (model.final_norm)
        appendNorm(sizes, model);
}

void appendEmbedding(TensorSizes& sizes, const IterationFigures& figures)
{
    const Model& model = figures.scenario.model;
    if (model.embedding_norm)
        appendNorm(sizes, model);
    if (model.token_types > 0)
        sizes.add(model.token_types * model.hidden_size);
    if (figures.positions > 0)
        sizes.add(figures.positions);
    sizes.add(figures.word_embedding);
}

GradientTensors listedTensors(const Model& model)
{
    GradientTensors tensors;
    tensors.dense.reserve(model.tensors.size());
    std::for_each(model.tensors.rbegin(), model.tensors.rend(), [&](const ParameterTensor& tensor) {
        tensors.dense_layers.push_back(tensors.dense.size());
        tensors.dense.push_back(tensor.parameters);
    });
    return tensors;
}

// The tensors of one layer.
struct LayerTensors {
    explicit LayerTensors(TensorChoice choice) : dense{choice}, routed{choice} {}

    TensorSizes dense;
    TensorSizes routed;
};

// Of each form that the stage's decoder layers have, and of an encoder's layers.
struct LayerPatterns {
    std::vector<LayerTensors> by_form;
    LayerTensors encoder;

    const LayerTensors& of(LayerForm form) const { return by_form[static_cast<std::size_t>(form)]; }
};

LayerPatterns layerPatterns(const IterationFigures& figures, const StageShape& shape, TensorChoice choice)
{
    LayerPatterns patterns{std::vector<LayerTensors>(layer_form_count, LayerTensors{choice}),
                           LayerTensors{choice}};
    const auto append = [&](LayerTensors& layer, LayerSort sort) {
        appendLayer(layer.dense, figures.experts_apart ? layer.routed : layer.dense, figures.scenario, sort);
    };
    shape.counts.decoder.each([&](LayerForm form, std::int64_t) {
        append(patterns.by_form[static_cast<std::size_t>(form)], {LayerSort::Stack::decoder, form});
    });
    if (shape.counts.encoder > 0)
        append(patterns.encoder, encoder_layer_sort);
    return patterns;
}

// No more tensors than these are collected, but for the ends'.
struct TensorCount {
    std::size_t dense = 0;
    std::size_t routed = 0;
};
TensorCount tensorCount(const LayerPatterns& patterns, const StageShape& shape)
{
    TensorCount count;
    count.dense = static_cast<std::size_t>(shape.counts.encoder) * patterns.encoder.dense.count();
    shape.counts.decoder.each([&](LayerForm form, std::int64_t layers) {
        count.dense += static_cast<std::size_t>(layers) * patterns.of(form).dense.count();
        count.routed += static_cast<std::size_t>(layers) * patterns.of(form).routed.count();
    });
    return count;
}

// The tensors of a stage, collected from its head to its embedding.
class StageTensors
{
public:
    StageTensors(const IterationFigures& figures, const StageShape& shape, TensorChoice choice)
        : m_figures{figures},
          m_model{figures.scenario.model},
          m_shape{shape},
          m_patterns{layerPatterns(figures, shape, choice)},
          m_holds_tables{choice != TensorChoice::products},
          m_dense{choice},
          m_routed{choice}
    {
        const TensorCount count = tensorCount(m_patterns, shape);
        m_dense.reserve(count.dense + 16);
        m_routed.reserve(count.routed);
    }

    GradientTensors collect()
    {
        if (m_shape.last)
            addHead();
        addLayers();
        if (m_shape.first) {
            appendEmbedding(m_dense, m_figures);
            if (m_figures.embeddingsAreSynchronised())
                shareTable(0);
        }
        m_tensors.dense = m_dense.take();
        m_tensors.routed = m_routed.take();
        return std::move(m_tensors);
    }

private:
    // So many tensors follow it among those that are there.
    void shareTable(std::size_t behind)
    {
        if (m_holds_tables)
            m_tensors.shared_embedding = m_dense.count() - 1 - behind;
    }

    void addHead()
    {
        const bool is_the_embedding = m_model.tied_embeddings && (m_shape.first || m_shape.embedding_copy);
        appendHead(m_dense, m_figures, !is_the_embedding);
        if (m_figures.embeddingsAreSynchronised() && !m_shape.embedding_copy)
            shareTable(m_model.final_norm ? normTensors(m_model) : 0);
    }

    // The copy that a last stage holds for multi-token prediction: its chunk's first tensors.
    void addEmbeddingCopy()
    {
        appendEmbedding(m_dense, m_figures);
        shareTable(0);
    }

    void beginChunk()
    {
        m_tensors.dense_chunks.push_back(m_dense.count());
        m_tensors.routed_chunks.push_back(m_routed.count());
    }

    void addLayers()
    {
        bool lacks_copy = m_shape.embedding_copy;
        auto chunk = m_shape.later_chunks.rbegin();
        for (auto layer = m_shape.layers.rbegin(); layer != m_shape.layers.rend(); ++layer) {
            const auto behind = static_cast<std::size_t>(m_shape.layers.rend() - layer);
            if (chunk != m_shape.later_chunks.rend() && behind == *chunk) {
                ++chunk;
                if (std::exchange(lacks_copy, false))
                    addEmbeddingCopy();
                beginChunk();
            }
            addLayer(*layer);
        }
        if (lacks_copy)
            addEmbeddingCopy();
    }

    void addLayer(std::int64_t layer)
    {
        m_tensors.dense_layers.push_back(m_dense.count());
        m_tensors.routed_layers.push_back(m_routed.count());
        if (layer < m_model.encoder_layers) {
            if (layer + 1 == m_model.encoder_layers && m_model.final_norm)
                appendNorm(m_dense, m_model);
            return m_dense.add(m_patterns.encoder.dense);
        }
        const bool is_module = layer >= m_model.layers + m_model.encoder_layers;
        const LayerTensors& tensors = m_patterns.of(layerForm(m_model, layer - m_model.encoder_layers));
        if (is_module) // of multi-token prediction, last operation first: its final norm
            appendNorm(m_dense, m_model);
        m_dense.add(tensors.dense);
        m_routed.add(tensors.routed);
        if (!is_module)
            return;
        // The projection and the norms of what goes into it.
        m_dense.addProduct(2 * m_model.hidden_size * m_model.hidden_size / m_figures.tensor);
        appendNorm(m_dense, m_model);
        appendNorm(m_dense, m_model);
    }

    const IterationFigures& m_figures;
    const Model& m_model;
    const StageShape& m_shape;
    LayerPatterns m_patterns;
    bool m_holds_tables;
    TensorSizes m_dense;
    TensorSizes m_routed;
    GradientTensors m_tensors;
};

} // namespace

GradientTensors gradientTensors(const IterationFigures& figures, const StageShape& shape, TensorChoice choice)
{
    const Model& model = figures.scenario.model;
    if (model.kind == ModelKind::parameter_list)
        return listedTensors(model);
    return StageTensors{figures, shape, choice}.collect();
}

} // namespace shardscope
