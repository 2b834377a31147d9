#include "widgets/panels/scenario/scenario_figures.h"

#include "widgets/panels/scenario/head_width_note.h"
#include "widgets/panels/scenario/scenario_stops.h"

#include <utility>

namespace shardscope
{

namespace
{

std::vector<ScenarioControl> shapeFigures()
{
    constexpr auto model = &Scenario::model;
    return {
        freeText<&Scenario::name>(
            {"name", "Name", "", "What the scenario is called in its file and in reports."}),
        following<model, &Model::head_dim>(
            {"model.head_dim", "Head dimension", "dh",
             "Width of one attention head; empty: h / a, as long as the model has none of its own.",
             noteOfHeadDim}),
        following<model, &Model::ffn_hidden_size>(
            {"model.ffn_hidden_size", "Feed-forward", "f",
             "Width of the feed-forward network: 4 h in GPT. Empty: it keeps its proportion to h."}),
        toggle<model, &Model::gated_mlp>(
            {"model.gated_mlp", "Gated MLP", "", "Three matrices instead of two (SwiGLU, as in Llama)."}),
        toggle<model, &Model::tied_embeddings>({"model.tied_embeddings", "Tied embeddings", "",
                                                "Embedding and head share their weights; with pipeline "
                                                "stages their gradients are summed over the first and "
                                                "the last."}),
        choice<model, &Model::position_embedding>(
            {"model.position_embedding", "Positions", "", "How the model knows where a token stands."},
            {{"learned",
              "A trained table of s · h; with biases and no gated MLP it also means dropout, whose masks "
              "take memory and time"},
             {"rope", "Rotary"},
             {"alibi", "Linear biases"},
             {"none", ""},
             {"relative", "A trained number for each of 32 distances and each head (T5)"}}),
        number<model, &Model::sliding_window>({"model.sliding_window", "Sliding window", "",
                                               "Tokens that each one attends to, its own the last; 0: all "
                                               "before it. Fewer scores are computed with "
                                               "fused attention."}),
        number<model, &Model::full_attention_every>(
            {"model.full_attention_every", "Full attention every", "",
             "With a sliding window: each n-th layer attends to all tokens (2 for Gemma 2 and gpt-oss, 6 for "
             "Gemma 3); 0: none does."})};
}

std::vector<ScenarioControl> biasAndNormFigures()
{
    constexpr auto model = &Scenario::model;
    return {
        toggle<model, &Model::linear_bias>(
            {"model.linear_bias", "Biases", "",
             "Linear layers have biases. With learned positions and no gated MLP they also mean dropout, "
             "whose masks take memory and time."}),
        toggle<model, &Model::qkv_bias>(
            {"model.qkv_bias", "QKV biases", "",
             "Queries, keys and values have biases even where other layers have none (Qwen2)."}),
        toggle<model, &Model::qk_norm>(
            {"model.qk_norm", "QK norms", "", "Queries and keys are normalised, head by head (Qwen3)."}),
        choice<model, &Model::norm>({"model.norm", "Norm", "", "How activations are normalised."},
                                    {{"layernorm", "With weight and bias"}, {"rmsnorm", "With weight only"}}),
        number<model, &Model::norms_per_layer>({"model.norms_per_layer", "Norms in a layer", "",
                                                "Two; four where outputs are normalised too (Gemma 2)."}),
        toggle<model, &Model::final_norm>(
            {"model.final_norm", "Final norm", "", "Off where every layer ends with its norm (BERT)."}),
        toggle<model, &Model::embedding_norm>(
            {"model.embedding_norm", "Embedding norm", "", "The embeddings are normalised (BERT, BLOOM)."})};
}

std::vector<ScenarioControl> endFigures()
{
    constexpr auto model = &Scenario::model;
    return {
        number<model, &Model::token_types>({"model.token_types", "Token types", "",
                                            "Rows of a second embedding; BERT has one for each sentence."}),
        toggle<model, &Model::head_bias>(
            {"model.head_bias", "Head bias", "", "The output has a bias, one number for each word (Phi-2)."}),
        choice<model, &Model::output_head>(
            {"model.output_head", "Output", "", "What stands on the last layer."},
            {{"words", "A language model: logits over the vocabulary"},
             {"BERT", "Masked words and next sentence, with BERT's pooler"}}),
        number<model, &Model::vocab_padding>(
            {"model.vocab_padding", "Vocabulary multiple", "",
             "The vocabulary is padded to a multiple of this, times the tensor-parallel size. Rows of logits "
             "that "
             "fill no steps of 16 bytes make the head's products take about twice as long."}),
        number<model, &Model::mtp_layers>(
            {"model.mtp_layers", "MTP layers", "",
             "Multi-token prediction: modules behind the last layer, each with a layer, a projection and a "
             "further pass of embedding and head, all on the last stage (DeepSeek-V3: 1)."}),
        number<model, &Model::encoder_layers>(
            {"model.encoder_layers", "Encoder layers", "", "Layers of an encoder before the decoder (T5)."}),
        number<model, &Model::encoder_sequence_length>(
            {"model.encoder_sequence_length", "Encoder sequence", "",
             "Tokens of one sequence in the encoder; 0: as many as in the decoder."}),
        number<model, &Model::flops_per_sample>(
            {"model.flops_per_sample", "FLOPs per sample", "",
             "Forward and backward of one sample; for models that are given as a list of tensors."})};
}

ScenarioSection advancedModelSection()
{
    return {"Model in detail",
            together({shapeFigures(), layerFigures(), biasAndNormFigures(), endFigures()})};
}

std::vector<ScenarioControl> stateFigures()
{
    constexpr auto training = &Scenario::training;
    return {
        number<training, &Training::gradient_bytes>(
            {"training.gradient_bytes", "Gradient bytes", "g",
             "Of one gradient as it is held and summed: 2, 4 or 6 (16 bits and a float sum)."}),
        choice<training, &Training::optimizer>(
            {"training.optimizer", "Optimizer", "", "What it keeps for each parameter."},
            {{"Adam",
              "A copy of the weight and two moments: 12 bytes for each parameter unless said below, in "
              "fp32 training 8"},
             {"SGD", "A copy of the weight and a momentum: 8 bytes for each parameter unless said below, in "
                     "fp32 training 4"},
             {"none", "Nothing is kept, and there is no step"}}),
        number<training, &Training::master_bytes>(
            {"training.master_bytes", "Master copy", "",
             "Of the weight that the optimizer works on: 4 in fp32; 2 in 16 bits, or with Megatron-LM the 16 "
             "bits that bf16 lacks of fp32; 0 without a copy, as with fp32 weights."},
            nullptr, "B"),
        number<training, &Training::exp_avg_bytes>(
            {"training.exp_avg_bytes", "First moment", "",
             "Of Adam's exp_avg, or SGD's momentum: 4 in fp32, 2 in 16 bits (DeepSeek-V3), 1 in 8."},
            nullptr, "B"),
        number<training, &Training::exp_avg_sq_bytes>(
            {"training.exp_avg_sq_bytes", "Second moment", "",
             "Of Adam's exp_avg_sq: 4 in fp32, 2 in 16 bits, 1 in 8. SGD has none."},
            nullptr, "B")};
}

std::vector<ScenarioControl> passFigures()
{
    constexpr auto training = &Scenario::training;
    return {
        choice<training, &Training::offload>(
            {"training.offload", "Offload", "", "What the host's memory holds instead of the GPU's."},
            {{"nothing", "All states stay on the GPU"},
             {"the optimizer", "ZeRO-Offload: gradients and new weights pass PCIe"}}),
        toggle<training, &Training::flash_attention>(
            {"training.flash_attention", "Flash attention", "", "The attention scores are never stored."}),
        toggle<training, &Training::causal_flops>(
            {"training.causal_flops", "Causal FLOPs", "",
             "FLOPs, and with them MFU and HFU, count half of attention, as causal masks need; the papers "
             "count all of it. No time depends on it. Attention of encoders and of BERT counts whole."})};
}

ScenarioSection trainingSection()
{
    return {"Training in detail", together({stateFigures(), passFigures()})};
}

Result<Scenario> withStageLayers(Scenario scenario, const QString& text)
{
    std::vector<std::int64_t> layers;
    for (const QString& part : text.split(',', Qt::SkipEmptyParts)) {
        bool ok = false;
        layers.push_back(part.trimmed().toLongLong(&ok));
        if (!ok)
            return Error{"Write a number of layers for each stage, with commas between: 14, 14, 14, 12."};
    }
    scenario.parallel.stage_layers = std::move(layers);
    return scenario;
}

QString stageLayers(const Scenario& scenario)
{
    QStringList parts;
    for (const std::int64_t layers : scenario.parallel.stage_layers)
        parts << QString::number(layers);
    return parts.join(", ");
}

NumberFigure microBatchGroupFigure()
{
    NumberFigure group = number<&Scenario::parallel, &Parallel::micro_batch_group>(
        {"parallel.micro_batch_group", "Micro-batch group", "",
         "So many micro-batches pass a piece of a stage before its next piece has its turn; 0: as many as "
         "there "
         "are stages, with FSDP and DDP rounds of at least that."});
    group.applies = [](const Scenario& scenario) {
        return scenario.parallel.schedule == Schedule::interleaved;
    };
    return group;
}

ScenarioSection advancedLayoutSection()
{
    constexpr auto parallel = &Scenario::parallel;
    return {"Layout in detail",
            {choice<parallel, &Parallel::context_method>(
                 {"parallel.context_method", "Context method", "",
                  "How the ranks that share out a sequence work on its attention."},
                 {{"ring", "Keys and values go round a ring"},
                  {"Ulysses", "all_to_all between sequence and heads"},
                  {"gather", "Every rank gathers the keys and values of the whole sequence"}}),
             microBatchGroupFigure(),
             choice<parallel, &Parallel::stage_balance>(
                 {"parallel.stage_balance", "Stage balance", "", "How layers are dealt out to the stages."},
                 {{"layers", "Evenly; the first stages hold one more"},
                  {"ends count", "The embedding and the head each count as a layer"},
                  {"parameters", "Contiguous, with the smallest largest part"}}),
             TextFigure{{"parallel.stage_layers", "Layers by stage", "",
                         "One number for each stage; empty: balanced."},
                        stageLayers,
                        withStageLayers,
                        {},
                        "balanced",
                        nullptr}}};
}

} // namespace

std::vector<ScenarioControl> together(std::initializer_list<std::vector<ScenarioControl>> groups)
{
    std::vector<ScenarioControl> all;
    for (const std::vector<ScenarioControl>& group : groups)
        all.insert(all.end(), group.begin(), group.end());
    return all;
}

std::vector<ScenarioSection> advancedSections()
{
    std::vector<ScenarioSection> sections{advancedModelSection(), expertSection(), trainingSection(),
                                          advancedLayoutSection(), conventionSection()};
    for (ScenarioSection& section : clusterSections())
        sections.push_back(std::move(section));
    return sections;
}

} // namespace shardscope
