#include "core/prediction/messages/stage_messages.h"

namespace shardscope
{

std::vector<Message> stageMessages(const IterationFigures& figures, const StageShape& shape)
{
    MessageList list;
    addTensorParallelMessages(figures, shape, list);
    addContextParallelMessages(figures, shape, list);
    addExpertMessages(figures, shape, list);
    addPipelineMessages(figures, shape, list);
    addDataParallelMessages(figures, shape, list);
    addStepMessages(figures, shape, list);
    return list.take();
}

} // namespace shardscope
