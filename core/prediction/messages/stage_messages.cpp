#include "core/prediction/messages/stage_messages.h"

namespace shardscope
{

void addStageMessages(const IterationFigures& figures, const StageShape& shape, StagePrediction& stage)
{
    MessageList list;
    addTensorParallelMessages(figures, shape, list);
    addContextParallelMessages(figures, shape, list);
    addExpertMessages(figures, shape, list);
    addPipelineMessages(figures, shape, list);
    addDataParallelMessages(figures, shape, list);
    addStepMessages(figures, shape, list);
    list.moveTo(stage);
}

} // namespace shardscope
