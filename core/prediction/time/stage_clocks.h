#pragma once

#include "core/prediction/model/chunk_shape.h"
#include "core/prediction/model/iteration_figures.h"
#include "core/prediction/time/layer_time.h"
#include "core/prediction/time/pass_clock.h"
#include "core/prediction/time/stage_communication.h"
#include "core/prediction/time/time_model.h"

#include <vector>

namespace shardscope
{

// The passes of an iteration that communication of replicas runs beneath, stage by stage.
class StageClocks
{
public:
    // `time`: chunks alone are asked for. `shapes`: of them. `head`: of a micro-batch. All outlive this.
    StageClocks(const IterationFigures& figures, const IterationTime& time,
                const std::vector<ChunkShape>& shapes, const ComputeTime& head);

    // The one that needs gathered parameters.
    PassClock firstForward(std::size_t stage, const StageCommunication& communication) const;
    // The one that completes gradients; where weight gradients are put off, theirs.
    PassClock lastBackward(std::size_t stage, const StageCommunication& communication) const;

private:
    std::vector<std::size_t> chunksOf(std::size_t stage) const;
    double othersInTurn() const;
    double layersOf(std::size_t chunk) const;
    std::vector<double> weightsOf(std::size_t chunk, double LayerPasses::*pass) const;

    const IterationFigures& m_figures;
    const IterationTime& m_time;
    const std::vector<ChunkShape>& m_shapes;
    const ComputeTime& m_head;
};

} // namespace shardscope
