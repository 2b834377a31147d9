#include "core/report/explanation/message_purpose.h"

#include "core/prediction/messages/message_contents.h"

#include <algorithm>
#include <array>
#include <optional>

namespace shardscope
{

namespace
{

constexpr std::string_view narayanan = "Narayanan et al. 2021, section 2.3";
constexpr std::string_view korthikanti = "Korthikanti et al. 2022, section 4.2";
constexpr std::string_view zero = "Rajbhandari et al. 2020 (ZeRO), section 7";
constexpr std::string_view ulysses = "Jacobs et al. 2023 (DeepSpeed-Ulysses)";
constexpr std::string_view experts = "Lepikhin et al. 2020 (GShard)";
constexpr std::string_view latents =
    "DeepSeek-AI 2024 (DeepSeek-V2), section 2.1; Megatron-LM, MLASelfAttention";
constexpr std::string_view recurrences = "Dao & Gu 2024, section 8; Megatron-LM, MambaContextParallel";
constexpr std::string_view in_v = "Qi et al. 2024, Pipeline Parallelism with Controllable Memory, section 4";
constexpr std::string_view multi_token =
    "DeepSeek-AI 2024 (DeepSeek-V3), section 2.2; Megatron-LM, MultiTokenPredictionLayer";
constexpr std::string_view dualpipe = "DeepSeek-AI 2024 (DeepSeek-V3), section 3.2.1";

constexpr std::string_view by_heads = "A state goes along the whole sequence: the ranks turn their parts of "
                                      "it into parts of the heads, tensor by "
                                      "tensor; gradients go the other way.";

// What a row of the table has to agree on; nothing: any.
struct Purpose {
    Kind kind = Kind::unknown;
    std::string_view what;
    std::optional<Op> op;
    std::optional<Phase> phase;
    std::string_view why;
    std::string_view source;

    bool fits(const Message& message) const
    {
        const bool same_kind = kind == message.kind || (kind == Kind::dp && message.kind == Kind::edp);
        return same_kind && (what.empty() || what == message.what) && (!op || *op == message.op)
               && (!phase || *phase == message.phase);
    }
};

// The first row that fits holds: narrow ones stand before wide ones.
constexpr std::array purposes{
    Purpose{Kind::tp, contents::embedding, std::nullopt, Phase::forward,
            "Each tensor rank looks up its part of the vocabulary; the sum has the row of every token.",
            narayanan},
    Purpose{Kind::tp, contents::embedding, std::nullopt, std::nullopt,
            "Each rank has the gradient of its own tokens; its part of the vocabulary needs all of them.",
            korthikanti},
    Purpose{Kind::tp, contents::embedding_encoder, std::nullopt, Phase::forward,
            "The encoder's tokens are looked up in the same vocabulary, each rank's part of it.", narayanan},
    Purpose{
        Kind::tp, contents::encoder_output, Op::all_reduce, std::nullopt,
        "Every layer of the decoder multiplies the encoder's output by its keys and values; each rank has "
        "a part of its gradient.",
        narayanan},
    Purpose{Kind::cp, contents::recurrence_output, std::nullopt, Phase::backward,
            "The gradient of what a recurrence returned goes to the ranks that hold its heads.", recurrences},
    Purpose{Kind::cp, contents::recurrence_output, std::nullopt, std::nullopt,
            "What a recurrence returns comes back to the ranks whose tokens it is of.", recurrences},
    Purpose{Kind::cp, contents::recurrence_gate, std::nullopt, std::nullopt, by_heads, recurrences},
    Purpose{Kind::cp, contents::recurrence_value, std::nullopt, std::nullopt, by_heads, recurrences},
    Purpose{Kind::cp, contents::recurrence_key, std::nullopt, std::nullopt, by_heads, recurrences},
    Purpose{Kind::cp, contents::recurrence_query, std::nullopt, std::nullopt, by_heads, recurrences},
    Purpose{Kind::cp, contents::recurrence_step, std::nullopt, std::nullopt, by_heads, recurrences},
    Purpose{Kind::tp, contents::regather, std::nullopt, std::nullopt,
            "Only a shard of the layer's input was kept; the gradient of the weights needs the whole again.",
            korthikanti},
    Purpose{
        Kind::tp, contents::rotary_key, Op::all_gather, std::nullopt,
        "The part of the keys that rotates is the same for all heads; each tensor rank has that of its own "
        "tokens, and its heads need that of all.",
        latents},
    Purpose{Kind::tp, contents::key_value_latent, Op::all_gather, std::nullopt,
            "Keys and values were projected down before, for the rank's own tokens; the product that makes "
            "the heads needs the latents of all tokens.",
            latents},
    Purpose{Kind::tp, contents::query_latent, Op::all_gather, std::nullopt,
            "Queries were projected down before, for the rank's own tokens; the product that makes the heads "
            "needs the latents of all tokens.",
            latents},
    Purpose{Kind::tp, contents::head_regather, std::nullopt, std::nullopt,
            "Only a shard of the head's input was kept; the gradient of its weights needs the whole again.",
            korthikanti},
    Purpose{Kind::tp, contents::head, Op::all_gather, std::nullopt,
            "Tokens are split over the tensor ranks; the head's product needs all of them.", korthikanti},
    Purpose{Kind::tp, contents::head, std::nullopt, std::nullopt,
            "Each rank has its part of the vocabulary and so a part of the gradient of the head's input; "
            "their sum is "
            "the whole.",
            narayanan},
    Purpose{Kind::tp, contents::cross_entropy_maximum, std::nullopt, std::nullopt,
            "Each rank has the logits of its part of the vocabulary; softmax needs the largest of all, one "
            "float a token.",
            narayanan},
    Purpose{Kind::tp, contents::cross_entropy_target, std::nullopt, std::nullopt,
            "One rank has the logit of the right token; all need it, one float a token.", narayanan},
    Purpose{Kind::tp, contents::cross_entropy_sum, std::nullopt, std::nullopt,
            "Softmax divides by the sum of all exponentials, one float a token.", narayanan},
    Purpose{Kind::tp, contents::mtp_embedding, std::nullopt, Phase::forward,
            "To predict one more token further on, each tensor rank looks up its part of the vocabulary once "
            "more; the sum has the row of every token.",
            multi_token},
    Purpose{Kind::tp, contents::mtp_embedding, std::nullopt, std::nullopt,
            "Each rank has the gradient of its own tokens' rows; its part of the vocabulary needs all of "
            "them.",
            multi_token},
    Purpose{Kind::tp, contents::mtp_projection, Op::all_gather, std::nullopt,
            "Hidden states and embeddings, 2 h numbers a token, are projected by columns; the product needs "
            "all tokens.",
            multi_token},
    Purpose{Kind::tp, contents::mtp_projection, std::nullopt, std::nullopt,
            "The projection by columns leaves each rank a part of the gradient of its 2 h inputs; their sum "
            "is the whole.",
            multi_token},
    Purpose{Kind::tp, contents::mtp_projection_regather, std::nullopt, std::nullopt,
            "Only a shard of the projection's input was kept; the gradient of its weights needs the whole "
            "again.",
            multi_token},
    Purpose{Kind::tp, contents::mtp_projected, std::nullopt, Phase::backward,
            "Each rank kept its own tokens of the projection's output; the backward products need the "
            "gradient of all of them.",
            multi_token},
    Purpose{Kind::tp, contents::mtp_projected, std::nullopt, std::nullopt,
            "Each rank has some columns of the projection; the layer behind it needs all of them.",
            multi_token},
    Purpose{Kind::tp, contents::batch_sizes, std::nullopt, std::nullopt,
            "The first tensor rank loads the data and tells its peers the sizes.",
            "Megatron-LM, broadcast_data"},
    Purpose{Kind::tp, contents::batch, std::nullopt, std::nullopt,
            "The first tensor rank loads the data and hands tokens and labels to its peers.",
            "Megatron-LM, broadcast_data"},
    Purpose{Kind::tp, contents::replicated_gradients, std::nullopt, std::nullopt,
            "Norms and row-parallel biases are whole on every tensor rank, but each saw its own tokens only.",
            korthikanti},
    Purpose{Kind::tp, contents::activation, std::nullopt, std::nullopt,
            "The pipeline's message came in as many parts as there are tensor ranks; they put it together.",
            "Narayanan et al. 2021, section 4.1"},
    Purpose{Kind::tp, contents::gradient, std::nullopt, std::nullopt,
            "The pipeline's message came in as many parts as there are tensor ranks; they put it together.",
            "Narayanan et al. 2021, section 4.1"},
    Purpose{Kind::tp, "", Op::all_gather, Phase::backward,
            "Tokens are split over the tensor ranks; the backward products need the gradient of all of them.",
            korthikanti},
    Purpose{Kind::tp, "", Op::all_gather, std::nullopt,
            "Tokens are split over the tensor ranks; the column-parallel product needs all of them.",
            korthikanti},
    Purpose{Kind::tp, "", Op::reduce_scatter, Phase::backward,
            "Each rank has a part of the gradient of the input; the sum goes back as shards of tokens.",
            korthikanti},
    Purpose{Kind::tp, "", Op::reduce_scatter, std::nullopt,
            "The row-parallel product leaves partial sums; the whole goes on as shards of tokens.",
            korthikanti},
    Purpose{Kind::tp, "", std::nullopt, Phase::backward,
            "The column-parallel product leaves each rank a part of the gradient of its input; their sum is "
            "the whole.",
            narayanan},
    Purpose{Kind::tp, "", std::nullopt, Phase::recompute,
            "Full recomputation runs the layer's forward pass again, its sum included.", narayanan},
    Purpose{Kind::tp, "", std::nullopt, std::nullopt,
            "The row-parallel product leaves each rank a partial sum of the block's output; their sum is the "
            "whole.",
            narayanan},
    Purpose{Kind::cp, "", Op::all_gather, std::nullopt,
            "Each rank works on its part of the queries with the keys and values of the whole sequence.",
            "Grattafiori et al. 2024 (Llama 3), section 3.3.2"},
    Purpose{
        Kind::cp, "", Op::reduce_scatter, std::nullopt,
        "Each rank has a part of the gradients of all keys and values; the sums go back to where these came "
        "from.",
        "Grattafiori et al. 2024 (Llama 3), section 3.3.2"},
    Purpose{Kind::cp, contents::key_value, std::nullopt, std::nullopt,
            "Each rank has a part of the sequence; keys and values of the others come round the ring.",
            "Liu et al. 2023 (Ring Attention)"},
    Purpose{Kind::cp, contents::key_value_and_gradient, std::nullopt, std::nullopt,
            "Keys and values go round once more; what their gradients have gathered so far follows a step "
            "behind.",
            "Liu et al. 2023 (Ring Attention)"},
    Purpose{Kind::cp, contents::key_value_gradient, std::nullopt, std::nullopt,
            "The gradients of keys and values go home, to the rank whose they are.",
            "Liu et al. 2023 (Ring Attention)"},
    Purpose{
        Kind::cp, contents::attention_output, std::nullopt, std::nullopt,
        "Attention worked on whole sequences of some heads; its output goes back to parts of the sequence.",
        ulysses},
    Purpose{Kind::cp, "", std::nullopt, std::nullopt,
            "Parts of the sequence with all heads become whole sequences of some heads.", ulysses},
    Purpose{Kind::pp, contents::activation, Op::send, std::nullopt,
            "The next stage works on with the output of this one's last layer.",
            "Narayanan et al. 2021, section 2.2"},
    Purpose{Kind::pp, contents::activation, Op::recv, std::nullopt,
            "This stage works on with the output of the one before.", "Narayanan et al. 2021, section 2.2"},
    Purpose{Kind::pp, contents::gradient, Op::send, std::nullopt,
            "The stage before needs the gradient of its output.", "Narayanan et al. 2021, section 2.2"},
    Purpose{Kind::pp, contents::gradient, Op::recv, std::nullopt,
            "The backward pass of this stage starts from the gradient of its output.",
            "Narayanan et al. 2021, section 2.2"},
    Purpose{Kind::pp, contents::reversed_activation, Op::send, std::nullopt,
            "Half of the micro-batches enter at the last stage; their activations go to the stage before.",
            dualpipe},
    Purpose{Kind::pp, contents::reversed_activation, Op::recv, std::nullopt,
            "Half of the micro-batches enter at the last stage; their activations come from the next one.",
            dualpipe},
    Purpose{Kind::pp, contents::reversed_gradient, Op::send, std::nullopt,
            "Half of the micro-batches enter at the last stage; their gradients go to the next one.",
            dualpipe},
    Purpose{Kind::pp, contents::reversed_gradient, Op::recv, std::nullopt,
            "Half of the micro-batches enter at the last stage; their gradients come from the stage before.",
            dualpipe},
    Purpose{Kind::pp, contents::returning_activation, Op::send, std::nullopt,
            "The model's second half comes back from the last stage: its activations go to the stage before.",
            in_v},
    Purpose{Kind::pp, contents::returning_activation, Op::recv, std::nullopt,
            "The model's second half comes back from the last stage: its activations come from the next one.",
            in_v},
    Purpose{Kind::pp, contents::returning_gradient, Op::send, std::nullopt,
            "The gradients of the model's second half go to the next stage, against its activations.", in_v},
    Purpose{Kind::pp, contents::returning_gradient, Op::recv, std::nullopt,
            "The gradients of the model's second half come from the stage before, against its activations.",
            in_v},
    Purpose{Kind::dp, contents::loss, std::nullopt, std::nullopt,
            "The loss that is reported is the mean over the d * c ranks of the last stage (2 * d * c with "
            "DualPipe), one float.",
            "Megatron-LM, loss_func"},
    Purpose{Kind::dp, contents::parameters, std::nullopt, Phase::forward,
            "Each rank of the group keeps a share of the weights; a unit is gathered before it is used.",
            zero},
    Purpose{Kind::dp, contents::parameters, std::nullopt, Phase::backward,
            "The unit was let go after its forward pass; the backward pass needs it again.", zero},
    Purpose{Kind::dp, contents::parameters, std::nullopt, std::nullopt,
            "Each rank of the group updated its share of the weights; all need them all.", zero},
    Purpose{Kind::dp, contents::gradients, Op::reduce_scatter, std::nullopt,
            "Ranks that hold the same weights sum their gradients; each keeps the share that it updates.",
            zero},
    Purpose{Kind::dp, contents::gradients, Op::reduce, std::nullopt,
            "Gradients of the ranks that hold the same weights are summed on the one that owns them.",
            "Cheng et al. 2024, Fig. 13"},
    Purpose{Kind::edp, contents::gradients, std::nullopt, std::nullopt,
            "All ranks that hold the same experts sum their gradients, so that all take the same step.",
            "Megatron-LM, expert data parallelism"},
    Purpose{Kind::dp, contents::gradients, std::nullopt, std::nullopt,
            "All d * c ranks that hold the same weights sum their gradients, so that all take the same step; "
            "with DualPipe, which keeps each stage twice, 2 * d * c.",
            "Li et al. 2024, Eq. 4"},
    Purpose{Kind::emb, contents::embedding_copy, std::nullopt, std::nullopt,
            "To predict further tokens the last stage holds a copy of the first one's embedding: both "
            "gradients are summed.",
            "Megatron-LM, _allreduce_word_embedding_grads"},
    Purpose{Kind::emb, "", std::nullopt, std::nullopt,
            "Embedding and head share their weights, but stand on the first and the last stage: both "
            "gradients are summed.",
            "Narayanan et al. 2021, section 2; Li et al. 2024, Table 3"},
    Purpose{Kind::ep, contents::expert_counts, std::nullopt, std::nullopt,
            "Nothing is dropped, so ranks first tell one another how many tokens each expert gets.", experts},
    Purpose{Kind::ep, contents::dispatch, std::nullopt, Phase::backward,
            "Gradients of the experts' inputs go back to the ranks of their tokens.", experts},
    Purpose{Kind::ep, contents::combine, std::nullopt, Phase::backward,
            "Gradients of the experts' outputs travel to the ranks that hold the experts.", experts},
    Purpose{Kind::ep, contents::dispatch, std::nullopt, std::nullopt,
            "Tokens travel to the ranks that hold their experts.", experts},
    Purpose{Kind::ep, contents::combine, std::nullopt, std::nullopt,
            "What the experts made goes back to the ranks of the tokens.", experts},
    Purpose{Kind::mp, "", std::nullopt, std::nullopt,
            "Clipping needs the norm of all gradients; each rank adds the squares of its own, one float.",
            "Megatron-LM, clip_grad_norm"},
};

} // namespace

MessagePurpose purposeOf(const Message& message)
{
    const auto row =
        std::ranges::find_if(purposes, [&](const Purpose& purpose) { return purpose.fits(message); });
    if (row == purposes.end())
        return {};
    return {row->why, row->source};
}

} // namespace shardscope
