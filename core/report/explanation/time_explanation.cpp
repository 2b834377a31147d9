#include "core/base/format.h"
#include "core/prediction/model/flops.h"
#include "core/prediction/time/time_error.h"
#include "core/report/explanation/explanation_parts.h"
#include "core/report/explanation/worked_formula.h"
#include "core/report/prediction_report.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// Whose measured steps the band of a calibrated time model is of.
std::string bandMeaning(const Scenario& scenario)
{
    const Cluster& cluster = scenario.cluster;
    const bool is_li = scenario.time_model == TimeModel::li;
    const std::string within = "four of five lie within such a " + std::string{is_li ? "factor" : "band"};
    if (is_li || cluster.compute.fitted)
        return "of the steps that the cluster was fitted to, each predicted without it, " + within
               + "; where they were too few, of published ones";
    if (cluster.hasFittedMu())
        return "your steps fitted Li et al.'s formula, not this time model: its band is that of published "
               "steps (Help > Accuracy of predictions), or wider where yours lie further off";
    return "of published steps that the constants were found without, " + within
           + ": Help > Accuracy of predictions";
}

// What stands beside the time, and why.
std::string bandParts(const ExplainedRun& run)
{
    const TimePrediction& time = run.prediction.time;
    const std::string band = timeBandText(run.scenario, time);
    if (band.empty())
        return {};
    if (isUncalibratedLi(run.scenario))
        return band
               + "\nthe formula's bandwidths are derived from data sheets; give measured ones, or calibrate"
                 "\nof all published steps four of five lie within such a factor: Help > Accuracy of "
                 "predictions";
    if (time.error_band[1] > timeErrorBand(run.scenario, run.prediction.parameters.total)[1])
        return band
               + "\nmost of it is exposed communication: the band is that of its calls, of which four of "
                 "five "
                 "lie within what Collectives shows; that of measured steps, most of which compute, is "
                 "narrower";
    return band + '\n' + bandMeaning(run.scenario);
}

// As the bar divides it: what communication hides behind, and the step, beside the rest that is computed.
Sum partsOfIteration(const TimePrediction& time)
{
    const double computing_s = std::max(0.0, time.compute_s - time.step_s);
    const double hidden_s = std::min(computing_s, time.hidden_communication_s);
    Sum sum;
    sum.addTime("compute", computing_s - hidden_s).addTime("hidden", hidden_s).addTime("step", time.step_s);
    const double parts = time.tp_s + time.cp_s + time.ep_s + time.pp_s + time.dp_s + time.emb_s + time.mp_s;
    if (std::fabs(parts - time.exposed_communication_s) <= 1e-9 * time.exposed_communication_s)
        sum.addTime("tp", time.tp_s)
            .addTime("cp", time.cp_s)
            .addTime("ep", time.ep_s)
            .addTime("pp", time.pp_s)
            .addTime("dp", time.dp_s)
            .addTime("emb", time.emb_s)
            .addTime("mp", time.mp_s);
    else
        sum.addTime("exposed communication", time.exposed_communication_s);
    return sum.addTime("bubble", time.bubble_s);
}

Explanation explainIteration(const ExplainedRun& run)
{
    const TimePrediction& time = run.prediction.time;
    const Sum sum = partsOfIteration(time);
    const bool is_li = run.scenario.time_model == TimeModel::li;
    const bool hides = !is_li && time.hidden_communication_s > 0.0;
    return {"Time of an iteration",
            std::string{"What the slowest stage spends, one after the other."}
                + (hides ? " Hidden: it computes while communication runs behind." : ""),
            sum.symbols(),
            worked(sum.values(), formatSeconds(time.iteration_s)),
            is_li ? "Li et al. 2024, Eq. 1" : detailed_time_source,
            bandParts(run)};
}

Explanation explainThroughput(const ExplainedRun& run)
{
    const Training& training = run.scenario.training;
    if (run.scenario.model.kind == ModelKind::parameter_list)
        return {
            "Samples each second", "Of all GPUs together.", "gb / iteration",
            worked(plain(training.global_batch_size) + " / " + plainTime(run.prediction.time.iteration_s, 5),
                   formatCount(run.prediction.time.tokens_per_s)),
            "Narayanan et al. 2021, section 5"};
    return {"Tokens each second", "Of all GPUs together.", "gb s / iteration",
            worked(plain(training.global_batch_size) + " * " + plain(run.scenario.model.sequence_length)
                       + " / " + plainTime(run.prediction.time.iteration_s, 5),
                   formatCount(run.prediction.time.tokens_per_s)),
            "Narayanan et al. 2021, section 5"};
}

// What F is, whichever format the products are in.
std::string peakText(const Scenario& scenario)
{
    const Precision precision = scenario.training.precision;
    const double peak = densePeak(scenario).value();
    const ComputeLaw& law = scenario.cluster.compute;
    if (precision == Precision::fp4 && law.hasFp4())
        return "F is the dense peak in fp4, " + formatPlain(2.0 * law.fp4_over_fp8, 3)
               + " times that in 16 bits: " + plainSpeed(peak) + '.';
    if (quantizesProducts(precision) && law.hasFp8())
        return "F is the dense peak in fp8, twice that in 16 bits: " + plainSpeed(peak) + '.';
    const std::string text = "F is the dense peak in 16 bits, " + plainSpeed(peak);
    const double reached = formatPeak(scenario).value();
    if (reached == peak)
        return text + '.';
    return text + "; products in " + std::string{word(precision)} + " reach " + plainSpeed(reached)
           + " of it at most"
           + (precision == Precision::fp32 && takesTf32(scenario.cluster) ? ", as TF32." : ".");
}

Explanation explainUtilisation(const ExplainedRun& run, bool hardware)
{
    const Explanation flops = explainCount(hardware ? Figure::hardware_flops : Figure::model_flops, run);
    const double peak = densePeak(run.scenario).value();
    const TimePrediction& time = run.prediction.time;
    const std::string what =
        hardware ? "Share of the GPUs' dense peak that all operations reach, repeated ones included."
                 : "Share of the GPUs' dense peak that the model's own operations reach; recomputation "
                   "does not count.";
    return {hardware ? "HFU" : "MFU",
            what + ' ' + peakText(run.scenario) + ' ' + flops.why,
            hardware ? "hardware FLOPs / (iteration * GPUs * F)" : "model FLOPs / (iteration * GPUs * F)",
            worked(plainFlops(hardware ? run.prediction.flops.hardware : run.prediction.flops.model) + " / ("
                       + plainTime(time.iteration_s, 5) + " * " + plain(run.prediction.world_size) + " * "
                       + plainSpeed(peak) + ")",
                   formatRatio(hardware ? time.hfu : time.mfu)),
            "Chowdhery et al. 2022 (PaLM), appendix B; Korthikanti et al. 2022",
            (hardware ? "hardware FLOPs = " : "model FLOPs = ") + flops.formula + " = " + flops.with_values
                + (flops.parts.empty() ? "" : '\n' + flops.parts)};
}

Explanation explainShare(const char* title, const char* why, const char* symbol, double seconds,
                         double iteration, double ratio, const char* source)
{
    return {title, why, std::string{symbol} + " / iteration",
            worked(plainTime(seconds, 5) + " / " + plainTime(iteration, 5), formatRatio(ratio)), source};
}

std::string longestBubble(const ExplainedRun& run)
{
    const StagePrediction* stage = stageOfLongestBubble(run.prediction);
    if (!stage)
        return {};
    const double bubble_s = stage->use.bubble_s();
    return "stage " + plain(std::int64_t{stage->stage}) + " waits longest: " + plainTime(bubble_s) + ", "
           + formatRatio(bubble_s / run.prediction.time.iteration_s) + " of the iteration";
}

// With equal stages the closed form of the schedule, where it has one without the times of its passes.
Explanation explainBubble(const ExplainedRun& run)
{
    const TimePrediction& time = run.prediction.time;
    std::string what =
        "Idle time before a stage's first backward pass, after its last forward pass, and between them "
        "where a neighbour is not ready. Of the slowest stage, of whose time the iteration is made; the "
        "others may idle longer.";
    const char* source = "Qi et al. 2024";
    const char* const of_time = " of the time without data parallelism.";
    switch (run.scenario.parallel.schedule) {
    case Schedule::gpipe:
    case Schedule::one_f_one_b:
        what += std::string{" With equal stages that is (p - 1) / (p - 1 + m)"} + of_time;
        source = "Li et al. 2024, Eq. 9";
        break;
    case Schedule::interleaved:
        what += std::string{" With equal stages that is (p - 1) / (p - 1 + v m)"} + of_time
                + " The paper has (p - 1) / (v m) of the ideal time; here it is a share of all of it.";
        source = "Narayanan et al. 2021, section 2.2";
        break;
    case Schedule::zb_h1:
    case Schedule::zb_h2:
        what += " Weight gradients that are put off fill a part of it.";
        break;
    case Schedule::zb_v:
    case Schedule::v_half:
    case Schedule::v_min:
        what += " Each stage has a piece of the model's first half and one of its second, in a V, and weight "
                "gradients that are put off fill a part.";
        source = "Qi et al. 2024, Pipeline Parallelism with Controllable Memory";
        break;
    case Schedule::dualpipe:
        what += " Micro-batches enter at both ends, so that a stage has those of the other way at hand.";
        source = "DeepSeek-AI 2024, DeepSeek-V3, section 3.2.1";
        break;
    }
    Explanation explanation = explainShare("Bubble ratio", what.c_str(), "bubble", time.bubble_s,
                                           time.iteration_s, time.bubble_ratio, source);
    explanation.parts = longestBubble(run);
    return explanation;
}

} // namespace

Explanation explainTime(Figure figure, const ExplainedRun& run)
{
    const TimePrediction& time = run.prediction.time;
    switch (figure) {
    case Figure::iteration_time:
        return explainIteration(run);
    case Figure::tokens_per_second:
        return explainThroughput(run);
    case Figure::mfu:
    case Figure::hfu:
        return explainUtilisation(run, figure == Figure::hfu);
    case Figure::communication_ratio:
        return explainShare("Communication ratio", "Communication that computing does not hide.",
                            "exposed communication", time.exposed_communication_s, time.iteration_s,
                            time.communication_ratio, "Li et al. 2024, section 5");
    case Figure::bubble_ratio:
        return explainBubble(run);
    default:
        return run.scenario.time_model == TimeModel::li ? explainLiTime(figure, run)
                                                        : explainDetailedTime(figure, run);
    }
}

} // namespace shardscope
