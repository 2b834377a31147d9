#pragma once

#include "core/prediction/messages/message_list.h"
#include "core/prediction/model/stage_layout.h"

namespace shardscope
{

// What a stage sends to its neighbour at once. Ranks of a tensor group hold the same activation: with
// pp_partitioned each sends its part and the receivers gather it (Narayanan et al. 2021, Sec. 4.1), with
// sequence parallelism it is split anyway, else each sends all of it.
std::int64_t pipelineMessageBytes(const IterationFigures& figures);
bool gathersPipelineMessages(const IterationFigures& figures);

// Each adds the messages of one kind that a rank of the stage takes part in, in the order of the program.

void addTensorParallelMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list);
void addContextParallelMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list);
void addExpertMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list);
void addPipelineMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list);
// Gradients and, with ZeRO, parameters: kinds dp and edp.
void addDataParallelMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list);
// Tied embeddings (emb) and the norm of all gradients (mp).
void addStepMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list);

// All of them, and the order of the gradients' buckets.
void addStageMessages(const IterationFigures& figures, const StageShape& shape, StagePrediction& stage);

} // namespace shardscope
