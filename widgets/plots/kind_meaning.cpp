#include "widgets/plots/kind_meaning.h"

namespace shardscope
{

namespace
{

const char* sentenceOf(Kind kind)
{
    switch (kind) {
    case Kind::tp:
        return "tensor parallelism: ranks that share every layer's matrices sum their parts";
    case Kind::pp:
        return "pipeline parallelism: activations and their gradients go from stage to stage";
    case Kind::dp:
        return "data parallelism: all d c ranks that hold the same weights (2 d c with DualPipe) sum their "
               "gradients; with ZeRO they share out states";
    case Kind::cp:
        return "context parallelism: ranks that share out each sequence exchange keys and values";
    case Kind::ep:
        return "expert parallelism: tokens travel to their experts and back";
    case Kind::edp:
        return "data parallelism of the experts: ranks that hold the same experts sum their gradients";
    case Kind::emb:
        return "tied embeddings: the first and the last stage sum the gradient of the weight they share";
    case Kind::mp:
        return "gradient norm: the p t ranks of a replica; all ranks with ZeRO";
    case Kind::unknown:
        break;
    }
    return "";
}

} // namespace

QString meaningOf(Kind kind)
{
    return QString::fromUtf8(sentenceOf(kind));
}

} // namespace shardscope
