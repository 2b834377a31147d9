// What the activations of a stage are made of.
#include "core/base/format.h"
#include "core/prediction/memory/activation_memory.h"
#include "core/prediction/memory/memory_moments.h"
#include "core/prediction/model/layer_traits.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/layer_lines.h"
#include "core/report/explanation/worked_formula.h"
#include "core/scenario/layer_form_words.h"
#include "core/scenario/recomputation_words.h"

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

std::string nameOfLayer(const StageShape& shape, LayerForm form)
{
    if (form == LayerForm::attention_experts)
        return "a MoE layer";
    if (form == LayerForm::attention_mlp)
        return shape.layersWith(hasExperts) > 0 ? "a dense layer" : "a layer";
    return "a layer of " + std::string{layerFormWords(form)};
}

// Layers of a sort, and which of them are computed again whole.
struct SortOfLayers {
    LayerSort sort;
    const char* number; // a symbol
    std::string name;
    std::int64_t all = 0;
    std::int64_t again = 0;

    bool isMixed() const { return again > 0 && again < all; }
    std::string numberOf(bool is_again) const
    {
        return (isMixed() && is_again ? "recomputed " : "") + std::string{number};
    }
    std::string nameOf(bool is_again) const { return (isMixed() && is_again ? "the input of " : "") + name; }
};

std::vector<SortOfLayers> sortsOf(const StageShape& shape)
{
    std::vector<SortOfLayers> sorts;
    shape.counts.decoder.each([&](LayerForm form, std::int64_t layers) {
        sorts.push_back({{LayerSort::Stack::decoder, form},
                         "layers",
                         nameOfLayer(shape, form),
                         layers,
                         shape.recomputed.decoder[form]});
    });
    if (shape.counts.encoder > 0)
        sorts.push_back({encoder_layer_sort, "layers of the encoder", "a layer of the encoder",
                         shape.counts.encoder, shape.recomputed.encoder});
    return sorts;
}

// Calls back with whether they are computed again whole, how many, and what of them is.
template<class Take>
void takeEach(const ExplainedRun& run, const SortOfLayers& sort, Take take)
{
    if (sort.again > 0)
        take(true, sort.again, whole_layer);
    if (sort.again < sort.all)
        take(false, sort.all - sort.again, repeatsOfOthers(run.scenario));
}

std::int64_t layerBytes(const ExplainedRun& run, LayerSort sort, const Repeats& repeats)
{
    return sort.isOfEncoder() ? encoderLayerBytes(run.figures, repeats)
                              : layerActivationBytes(run.figures, sort.form, repeats);
}

// Of one micro-batch: "layers of the stage = layers * a layer = 14 * 125 MiB = 1.709 GiB"
void addStage(LayerLines& lines, const ExplainedRun& run, const StageShape& shape, const MemoryTerm& layers)
{
    Sum sum;
    for (const SortOfLayers& sort : sortsOf(shape))
        takeEach(run, sort, [&](bool is_again, std::int64_t count, const Repeats& repeats) {
            sum.add(Product{}
                        .times(sort.numberOf(is_again), count)
                        .timesBytes(sort.nameOf(is_again), layerBytes(run, sort.sort, repeats)));
        });
    if (shape.counts.encoder > 0)
        sum.addBytes("the encoder's output", encoderLayerBytes(run.figures, whole_layer));
    lines.add(layers.what, sum, layers.each_bytes);
}

std::string waitingName(LayerForm form)
{
    if (form == LayerForm::attention_experts)
        return "MoE inputs and gradients";
    return "inputs and gradients"
           + (form == LayerForm::attention_mlp ? "" : " of " + std::string{layerFormWords(form)});
}

void addPutOff(LayerLines& lines, const ExplainedRun& run, const StageShape& shape,
               const PutOffGradients& put_off)
{
    lines.add(std::string{put_off_gradients}
              + " = min(their number * what each waits with, room * what a micro-batch would keep if nothing "
                "were recomputed) = "
              + worked("min(" + plain(put_off.count) + " * " + sizeText(put_off.each_bytes) + ", "
                           + plain(put_off.room) + " * " + sizeText(put_off.kept_bytes) + ")",
                       sizeText(put_off.bytes())));
    Sum sum;
    std::int64_t all_bytes = shape.counts.mtp * mtpGradientWaitBytes(run.figures);
    shape.counts.decoder.each([&](LayerForm form, std::int64_t layers) {
        const std::int64_t each = weightGradientWaitBytes(run.figures, form);
        all_bytes += layers * each;
        sum.add(Product{}.times("layers", layers).timesBytes(waitingName(form), each));
    });
    if (shape.counts.mtp > 0)
        sum.add(Product{}
                    .times("modules", shape.counts.mtp)
                    .timesBytes("projection's input and gradient", mtpGradientWaitBytes(run.figures)));
    if (all_bytes != put_off.each_bytes) { // in a V, where chunks in flight keep the rest
        Sum rest;
        rest.addBytes("inputs and gradients that recomputation has not kept", put_off.each_bytes);
        return lines.add("what each waits with", rest, put_off.each_bytes);
    }
    lines.add("what each waits with", sum, put_off.each_bytes);
    shape.counts.decoder.each(
        [&](LayerForm form, std::int64_t) { lines.addGradients(waitingName(form), form); });
}

// A line for each term that is made of something.
std::string partsText(const ExplainedRun& run, const StageShape& shape, const MemoryTerms& kept,
                      const MemoryMoment& moment)
{
    LayerLines lines{run};
    if (!kept.terms().empty() && kept.terms().front().what == layers_of_stage)
        addStage(lines, run, shape, kept.terms().front());
    for (const SortOfLayers& sort : sortsOf(shape))
        takeEach(run, sort, [&](bool is_again, std::int64_t, const Repeats& repeats) {
            if (sort.sort.isOfEncoder())
                lines.addEncoderLayer(sort.nameOf(is_again), repeats);
            else
                lines.addLayer(sort.nameOf(is_again), sort.sort.form, repeats);
        });
    if (shape.counts.encoder > 0)
        lines.addEncoderLayer("the encoder's output", whole_layer);
    if (const PutOffGradients put_off = putOffGradients(run.figures, shape); put_off.bytes() > 0)
        addPutOff(lines, run, shape, put_off);
    if (moment.kept.what == recomputed_layer)
        lines.addLayer(recomputed_layer, moment.form, no_repeats);
    return lines.text();
}

Sum sumOf(const MemoryTerms& kept, const MemoryMoment& moment)
{
    Sum sum;
    bool is_first = true;
    for (const MemoryTerm& term : kept.terms()) {
        const bool has_count = std::exchange(is_first, false) || term.times > 1;
        std::string symbol{term.what};
        std::string values = sizeText(term.each_bytes);
        if (has_count) {
            symbol += term.parts > 1 ? " * chunks in flight" : " * in flight";
            values += " * " + plain(term.times);
        }
        if (term.parts > 1) {
            symbol += " / chunks of the stage";
            values += " / " + plain(term.parts);
        }
        sum.addExpression(symbol, values);
    }
    return sum.addBytes(moment.kept.what, moment.kept.bytes())
        .addBytes(moment.further.what, moment.further.bytes());
}

std::string whatIsRecomputed(const ExplainedRun& run, const StageShape& shape)
{
    const Training& training = run.scenario.training;
    if (training.recompute == Recompute::full && training.recompute_layers == 0)
        return " A layer keeps only its input.";
    if (training.recompute == Recompute::full)
        return " Of the stage's layers, " + plain(shape.recomputed.all())
               + " keep only their input, the others all that their backward pass reads.";
    if (checkpointsOperators(run.scenario))
        return " A layer keeps its input, what attention returns, and every second matrix product.";
    if (!recomputesModules(run.scenario))
        return {};
    return " What these modules of a layer return or hold is computed again: "
           + moduleList(training.recompute_modules) + ".";
}

std::string whyOf(const ExplainedRun& run, const StageShape& shape, const MemoryTerms& kept,
                  const MemoryMoment& moment)
{
    const MemoryTerm& layers = kept.terms().front();
    const bool is_one = layers.times == 1 && layers.parts == 1;
    std::string why = "Up to " + plain(layers.times) + (layers.parts > 1 ? " chunks of" : "")
                      + (is_one ? " micro-batch waits" : " micro-batches wait") + " for the backward pass.";
    why += whatIsRecomputed(run, shape);
    if (moment.kept.what == recomputed_layer)
        why += " One at a time is computed again before its backward pass, and is whole until that ends.";
    else if (moment.kept.what == recomputed_modules)
        why += " What one layer computes again is there beside that until its backward pass ends.";
    else if (moment.kept.bytes() > 0)
        why += " The stage is fullest when " + std::string{moment.when} + ".";
    const auto is_put_off = [](const MemoryTerm& term) { return term.what == put_off_gradients; };
    if (std::ranges::any_of(kept.terms(), is_put_off))
        why += std::string{" Weight gradients that are put off wait with what they are made of, whatever is "
                           "recomputed besides; so many of them as fill the time and fit in."}
               + (run.scenario.training.recompute == Recompute::full
                      ? " Full recomputation saves nothing of that: without it the stage may keep less."
                      : "");
    why += " Of each token a layer keeps e bytes a number where nothing else is said.";
    if (const Mla& mla = run.scenario.model.mla; mla.kv_lora_rank > 0)
        why += std::string{" Attention is latent: "}
               + (mla.q_lora_rank > 0 ? "rq and rkv are the ranks" : "rkv is the rank")
               + " of what it compresses; queries and keys of a head have dn numbers and dr that rotate, "
                 "values dv.";
    if (shape.layersWith(hasRecurrence) > 0)
        why += " Of a recurrence, projected are values, gate, keys, queries and the numbers of heads.";
    return why + paperSentence(run);
}

} // namespace

Explanation explainActivations(const ExplainedRun& run, const StageShape& shape, const StageMemory& memory)
{
    Explanation explanation;
    explanation.title = "Activations of one rank of stage " + std::to_string(shape.stage);
    explanation.source = "Korthikanti et al. 2022, Table 2 and section 4.3";
    const std::string shown = formatBytes(static_cast<double>(memory.activations_bytes));
    if (run.scenario.model.kind == ModelKind::parameter_list) {
        explanation.why = "A list of parameters does not tell what its layers keep.";
        explanation.formula = "0";
        explanation.with_values = worked("0", shown);
        return explanation;
    }
    const MemoryTerms kept = keptActivations(run.figures, shape);
    const MemoryMoment moment = fullestMoment(run.figures, shape);
    const Sum sum = sumOf(kept, moment);
    explanation.why = whyOf(run, shape, kept, moment);
    explanation.formula = sum.symbols();
    explanation.with_values = worked(sum.values(), shown);
    explanation.parts = partsText(run, shape, kept, moment);
    return explanation;
}

} // namespace shardscope
