#pragma once

#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/pipeline_chain.h"
#include "core/prediction/time/layer_time.h"
#include "core/prediction/time/stage_communication.h"
#include "core/prediction/timeline/pass_parts.h"

#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace shardscope
{

// A message where a layer sends it.
struct LayerMessage {
    PassPart part; // layer and start_s are left out; duration_s: as if nothing else ran
    LayerStep step = LayerStep::layer_in;
};

// Which messages one layer, and each end of the model, sends in a pass of one micro-batch. What is asked once
// is kept.
class LayerMessages
{
public:
    LayerMessages(const IterationFigures& figures, const Machine& machine, const Prediction& prediction);

    // The stage of a virtual stage, in the order of the model.
    int stageOf(int place) const { return PipelineChain{m_figures.scenario.parallel}.stageAt(place); }
    const std::vector<LayerMessage>& ofLayer(int stage, LayerSort sort, Phase phase);
    // What passes of the stage's replicas, from ZeRO stage 2 on, with a layer of the model. A stage without
    // layers sends all of it at once, whatever `layer` is.
    std::span<const LayerMessage> ofReplicas(int stage, int layer, Phase phase);
    bool hasLayers(int stage) const { return !stageAt(stage).layers.empty(); }
    // Of the tensor group. `end`: embedding or head.
    std::vector<LayerMessage> ofEnd(int stage, ModelPart end, Phase phase) const;

private:
    std::vector<LayerMessage> messagesOf(int stage, LayerSort sort, Phase phase) const;
    LayerMessage messageOf(const Message& message, double calls) const;
    double layersOf(int stage, LayerSort sort) const;
    double layersAgain(int stage, LayerSort sort) const;
    double layersThatSend(int stage, ModelPart part, Phase phase) const;
    using MessagesOfLayers = std::vector<std::vector<LayerMessage>>; // by the layer's place in the stage
    const StagePrediction& stageAt(int stage) const
    {
        return m_prediction.stages[static_cast<std::size_t>(stage)];
    }
    MessagesOfLayers replicasOf(int stage, Phase phase) const;
    void addUnits(int stage, Kind kind, Phase phase, bool gathers, MessagesOfLayers& layers) const;
    std::size_t rowsInFp8(int stage, Kind kind) const;
    void addCalls(std::span<const Message* const> rows, int stage, Kind kind, Phase phase,
                  MessagesOfLayers& layers) const;
    std::vector<std::size_t> layersThatHold(int stage, Kind kind) const;

    const IterationFigures& m_figures;
    const Prediction& m_prediction;
    CommunicationTime m_communication;
    std::map<std::tuple<int, std::size_t, Phase>, std::vector<LayerMessage>> m_known;
    std::map<std::pair<int, Phase>, MessagesOfLayers> m_known_replicas;
};

} // namespace shardscope
