#include "core/prediction/messages/message_contents.h"
#include "core/prediction/messages/stage_messages.h"
#include "core/prediction/ranks/rank_layout.h"

namespace shardscope
{

namespace
{

// Ranks that hold different gradients of one replica: all with ZeRO; else the replica's p * t, and the expert
// group's.
int normGroup(const IterationFigures& figures)
{
    return static_cast<int>(RankLayout{figures.scenario.parallel}.groupSize(Kind::mp));
}

} // namespace

void addStepMessages(const IterationFigures& figures, const StageShape& shape, MessageList& list)
{
    if (figures.embeddingsAreSynchronised() && (shape.first || shape.last)) {
        const std::int64_t bytes = figures.word_embedding * bytesPerElement(figures.gradient_dtype);
        list.add({Kind::emb, Op::all_reduce, 2}, Phase::step, figures.gradient_dtype,
                 figures.scenario.model.tied_embeddings ? contents::tied_embedding : contents::embedding_copy,
                 bytes, 1);
    }
    if (figures.scenario.conventions.gradient_norm)
        list.add({Kind::mp, Op::all_reduce, normGroup(figures)}, Phase::step, Dtype::fp32,
                 contents::gradient_norm, bytesPerElement(Dtype::fp32), 1);
}

} // namespace shardscope
