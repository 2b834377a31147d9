#include "bench/accuracy/accuracy_report.h"

#include "bench/accuracy/cross_validation.h"
#include "bench/accuracy/expert_steps.h"
#include "bench/accuracy/memory_runs.h"
#include "bench/accuracy/schedule_ratios.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

namespace shardscope
{

namespace
{

constexpr std::size_t worst_cases = 12;

template<class... Values>
std::string formatted(const char* form, Values... values)
{
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), form, values...);
    return text.data();
}

std::string percent(double share)
{
    return formatted("%.1f %%", 100.0 * share);
}

bool isOfSweeps(const TruthCase& entry)
{
    return entry.file != "public";
}

std::string scaleOf(const TruthCase& entry)
{
    if (entry.gpus == 1)
        return "1 GPU";
    if (entry.gpus <= entry.gpus_per_node)
        return "up to a node";
    return entry.gpus <= 64 ? "to 64 GPUs" : entry.gpus <= 512 ? "to 512 GPUs" : "more than 512 GPUs";
}

double scaleOrder(const TruthCase& entry)
{
    return entry.gpus <= entry.gpus_per_node ? 0.0 : static_cast<double>(entry.gpus);
}

class Document
{
public:
    explicit Document(const Residuals& residuals) : m_residuals{residuals} {}

    void write(const std::string& text) { m_text += text; }

    void head(const char* first)
    {
        write(std::string{"\n| "} + first
              + " | cases | fitted | bias | nine of ten within | source left out | size left out |\n"
                "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    }

    void row(const std::string& name, const Residuals::Chosen& chosen)
    {
        const std::vector<double> fitted = m_residuals.errors(m_residuals.fitted_s, chosen);
        if (fitted.empty())
            return;
        const auto of = [&](const std::vector<double>& predicted) {
            return percent(meanSize(m_residuals.errors(predicted, chosen)));
        };
        write("| " + name + formatted(" | %zu | ", fitted.size()) + percent(meanSize(fitted)) + " | "
              + formatted("%+.1f %%", 100.0 * meanOf(fitted)) + " | " + percent(sizeBelow(fitted, 0.9))
              + " | " + of(m_residuals.source_left_out_s) + " | " + of(m_residuals.size_left_out_s) + " |\n");
    }

    // A row for each value that `nameOf` takes, by name, or by what `keyOf` says of their cases.
    void rows(const std::function<std::string(const TruthCase&)>& nameOf,
              const std::function<double(const TruthCase&)>& keyOf = {})
    {
        std::vector<std::string> names;
        for (const TruthCase& entry : m_residuals.cases)
            if (std::ranges::find(names, nameOf(entry)) == names.end())
                names.push_back(nameOf(entry));
        std::map<std::string, double> keys;
        for (const TruthCase& entry : m_residuals.cases)
            keys[nameOf(entry)] = std::max(keys[nameOf(entry)], keyOf ? keyOf(entry) : 0.0);
        std::ranges::sort(names, {}, [&](const std::string& name) { return std::pair{keys[name], name}; });
        for (const std::string& name : names)
            row(name, [&](const TruthCase& entry) { return nameOf(entry) == name; });
    }

    void orderRow(const std::string& name, const Residuals::Chosen& chosen)
    {
        write("| " + name);
        for (const std::vector<double>* predicted :
             {&m_residuals.fitted_s, &m_residuals.source_left_out_s, &m_residuals.size_left_out_s}) {
            const Ordering order = m_residuals.ordering(*predicted, chosen);
            if (predicted == &m_residuals.fitted_s)
                write(formatted(" | %d", order.groups));
            write(formatted(" | %.3f | %d", order.spearman, order.near_best));
        }
        write(" |\n");
    }

    void worst()
    {
        const std::vector<double> errors = m_residuals.errors(
            m_residuals.fitted_s, [](const TruthCase& entry) { return !isOfSweeps(entry); });
        std::vector<const TruthCase*> cases;
        for (const TruthCase& entry : m_residuals.cases)
            if (!isOfSweeps(entry))
                cases.push_back(&entry);
        std::vector<std::size_t> order(cases.size());
        std::iota(order.begin(), order.end(), 0);
        std::ranges::sort(
            order, [&](std::size_t a, std::size_t b) { return std::abs(errors[a]) > std::abs(errors[b]); });
        write("\n| case | measured | error |\n| --- | ---: | ---: |\n");
        for (std::size_t i = 0; i < std::min(worst_cases, order.size()); ++i)
            write("| " + cases[order[i]]->id + " | "
                  + formatted("%.4g s | %+.1f %%", cases[order[i]]->measured_s, 100.0 * errors[order[i]])
                  + " |\n");
    }

    std::string take() { return std::move(m_text); }

private:
    const Residuals& m_residuals;
    std::string m_text;
};

constexpr const char* introduction =
    "# How far predicted times are from measured ones\n\n"
    "Made by `shardscope-accuracy write` (preset `bench`); not edited by hand. Errors are predicted over "
    "measured iteration time, less one; tables show the mean of their sizes.\n\n"
    "- **fitted**: with the constants that ship. Each type of GPU has one set of constants for all its "
    "cases, "
    "whatever source, model or layout; they are in `resources/presets/gpus`. They may be those of an earlier "
    "form of the model: `shardscope-accuracy fit` finds them again, and they are exchanged when that tells.\n"
    "- **source left out**: the constants were found again without any case of the source. Where a type of "
    "GPU "
    "has a single source, this is the error of constants carried over from another type.\n"
    "- **size left out**: found again without any model of similar size.\n"
    "- Every fit begins with, and is pulled towards, round figures of an earlier one that saw all cases: "
    "what is "
    "left out is not wholly unknown.\n"
    "- Cases are complete, measured training steps of dense models from public tables, logs and papers; "
    "the window's accuracy panel names each one's source. What a case does not say is left to the program's "
    "defaults: the runs of BLOOM have those of Jean Zay's preset, on which kernels are started one by one, "
    "as all large ones were and the first ones of 8 to 160 GPUs probably not. Repeated runs differ by 0.1 to "
    "5 %, so nothing below 2 to 3 % means anything.\n"
    "- The single-node times of vTrain's repository are no clocked steps but sums. Where width, degrees and "
    "micro-batch are the same, a (m + p - 1) l / p + b m + c l / p + d gives all of them (88 groups of six "
    "and more, 748 times: 0.0005 % off in the median, 0.8 % at most), which no run does. They stand for the "
    "32 "
    "layers that were timed - two widths, four tensor degrees, four micro-batches - and are as sure as "
    "these. "
    "Layers bound by the processor take 2.7 to 5.0 ms there without order in width or degree, which is most "
    "of the error; and heads on one GPU take as long as products of a vocabulary that nobody padded.\n";

void writeBands(Document& document, const Residuals& residuals)
{
    document.write(
        "\n## Bands\n\nBeside every predicted time stands the error that four of five cases of a "
        "source stay within when the constants were found without that source. GPUs that nobody "
        "published complete steps of have the constants of another type, and the band that such "
        "constants turned out to need elsewhere; so has what hardly any published step is like: "
        "experts, context parallelism, encoders, lists of parameters, 32 bits. In fp8 the band "
        "is never narrower than in 16 bits: fewer sources measured it. Where more than half of an "
        "iteration is exposed collectives, the band is at least that of these (above, "
        "\"Collectives\"), each with its part of the time: most of what published steps did was to "
        "compute.\n\n"
        "| GPU | 16 bit, from 1 billion parameters | smaller models | fp8, from 1 billion |\n"
        "| --- | ---: | ---: | ---: |\n");
    const std::map<std::string, TimeErrors> by_gpu = timeErrors(residuals);
    for (const auto& [gpu, errors] : by_gpu)
        document.write("| " + (gpu.empty() ? std::string{"others"} : gpu) + " | " + percent(errors.large)
                       + " | " + percent(errors.small) + " | " + percent(std::max(errors.fp8, errors.large))
                       + " |\n");
    const TimeErrors& any = by_gpu.at("");
    document.write("\nOf Li et al.'s formula, with bandwidths from data sheets and the mu that ships, the "
                   "measured time of four of five cases is within "
                   + formatted("%.1f times the predicted one, or its inverse, from 1 billion parameters, and "
                               "%.1f times below: it knows no time to dispatch a kernel.\n",
                               1.0 + any.li, 1.0 + any.li_small));
}

void writeOrder(Document& document)
{
    document.write("\n## Order of layouts\n\nWithin sweeps of at least four layouts of one model on the same "
                   "GPUs, by time for each token: the mean rank correlation (Spearman), and the sweeps whose "
                   "predicted best is within 5 % of the measured best.\n\n"
                   "| cases | sweeps | fitted | near best | source left out | near best | size left out | "
                   "near best |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    document.orderRow("all but single-node sweeps in full",
                      [](const TruthCase& entry) { return !isOfSweeps(entry); });
    document.orderRow("all", [](const TruthCase&) { return true; });
}

void writeErrors(Document& document)
{
    document.write("\n## In short\n");
    document.head("which");
    document.row("all but single-node sweeps in full",
                 [](const TruthCase& entry) { return !isOfSweeps(entry); });
    document.row("of them 16 bit, from 1 billion parameters",
                 [](const TruthCase& entry) { return entry.large && !isOfSweeps(entry); });
    document.row("single-node sweeps in full", isOfSweeps);
    document.write("\n## By source\n");
    document.head("source");
    document.rows([](const TruthCase& entry) { return entry.source; });
    document.write("\n## By GPU\n");
    document.head("GPU");
    document.rows([](const TruthCase& entry) { return entry.gpu + ", " + entry.precision; });
    document.write("\n## By scale\n");
    document.head("GPUs");
    document.rows(scaleOf, [](const TruthCase& entry) { return scaleOrder(entry); });
    document.write("\n## By size of the model\n");
    document.head("parameters");
    document.rows(sizeClass, [](const TruthCase& entry) { return entry.parameters; });
}

} // namespace

std::string accuracyDocument(const Residuals& residuals, const PublishedRuns& published, const Laws& laws)
{
    Document document{residuals};
    document.write(introduction);
    writeErrors(document);
    writeOrder(document);
    document.write(scheduleSection(published.schedules));
    document.write(expertSection(published.experts));
    document.write(unseenSection(published.unseen));
    document.write(memorySection(published, residuals));
    document.write(partialSection(published.partial));
    document.write(collectiveSection(published.curves));
    writeBands(document, residuals);
    document.write("\n## Furthest off\n");
    document.worst();
    document.write(
        "\n## Constants\n\n`shardscope-accuracy fit` finds them by coordinate descent on the absolute "
        "logarithm of predicted over measured time, with a pull towards where they began; a source weighs as "
        "the square root of its "
        "cases. Other sets, with more of one and less of another, fit as well; this one ships.\n\n```\n"
        + describe(laws) + "```\n");
    return document.take();
}

std::string accuracySummary(const Residuals& residuals)
{
    const auto inPublic = [](const TruthCase& entry) { return !isOfSweeps(entry); };
    const std::vector<double> all = residuals.errors(residuals.fitted_s, inPublic);
    const std::vector<double> large = residuals.errors(
        residuals.fitted_s, [](const TruthCase& entry) { return entry.large && !isOfSweeps(entry); });
    const std::vector<double> sweeps = residuals.errors(residuals.fitted_s, isOfSweeps);
    const Ordering order = residuals.ordering(residuals.fitted_s, inPublic);
    return formatted(
        "all %.2f %%, large %.2f %% (p90 %.2f %%), single node %.2f %%, order %.3f, near best %d of %d\n",
        100.0 * meanSize(all), 100.0 * meanSize(large), 100.0 * sizeBelow(large, 0.9),
        100.0 * meanSize(sweeps), order.spearman, order.near_best, order.groups);
}

} // namespace shardscope
