#include "core/report/search_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/report/prediction_report.h"
#include "core/report/scenario_words.h"
#include "core/report/text_table.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/words.h"
#include "core/sweep/layout_candidates.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope
{

namespace
{

constexpr std::size_t longest_front = 12; // of the table; the JSON has all of it

constexpr std::array<std::pair<bool Conventions::*, std::string_view>, 4> overlaps{
    {{&Conventions::dp_overlap, "dp"},
     {&Conventions::param_overlap, "param"},
     {&Conventions::tp_overlap, "tp"},
     {&Conventions::pp_overlap, "pp"}}};

// "+dp +tp": what is overlapped with the layout and is not with the scenario; "-tp": the other way round.
std::string overlapsOf(const FoundLayout& found, const Scenario& base)
{
    const Conventions there = withLayout(base, found.layout).conventions;
    std::string text;
    for (const auto& [overlap, name] : overlaps)
        if (there.*overlap != base.conventions.*overlap)
            text += (text.empty() ? "" : " ") + std::string{there.*overlap ? "+" : "-"} + std::string{name};
    return text;
}

void writeKeys(const std::vector<std::string>& keys, JsonWriter& json)
{
    json.beginArray();
    for (const std::string& key : keys)
        json.value(key);
    json.endArray();
}

void write(const FoundLayout& found, const Scenario& base, JsonWriter& json)
{
    const TimePrediction& time = found.time;
    json.beginObject();
    json.member("iteration_s", time.iteration_s);
    json.key("error_band");
    writeBand(time.error_band, json);
    json.member("may_be_fastest", found.may_be_fastest);
    json.member("tokens_per_s", time.tokens_per_s);
    json.member("mfu", time.mfu);
    json.member("communication_ratio", time.communication_ratio);
    json.member("bubble_ratio", time.bubble_ratio);
    json.member("micro_batches", found.micro_batches);
    json.member("device_bytes", found.device_bytes);
    json.member("nearly_full", found.is_nearly_full);
    json.key("followed");
    writeKeys(followedKeys({found.layout}, base), json);
    json.key("scenario");
    writeScenario(foundScenario(base, found.layout), json);
    json.endObject();
}

// Degrees that few layouts have are shown where one does.
struct Columns {
    bool context = false;
    bool expert = false;
    bool expert_tensor = false; // where some hold experts whole
    bool overlap = false;       // where a layout's differs from the scenario's
};

Columns columnsOf(const LayoutSearch& search, const Scenario& base)
{
    const auto any = [&](std::int64_t Parallel::*degree) {
        return base.parallel.*degree > 1 || std::ranges::any_of(search.found, [&](const FoundLayout& found) {
                   return found.layout.parallel.*degree > 1;
               });
    };
    const bool any_overlaps = std::ranges::any_of(
        search.found, [&](const FoundLayout& found) { return !overlapsOf(found, base).empty(); });
    const bool any_whole = std::ranges::any_of(
        search.found, [](const FoundLayout& found) { return found.layout.parallel.holdsExpertsWhole(); });
    return {any(&Parallel::context), any(&Parallel::expert), any_whole, any_overlaps};
}

// Of the cells of all columns, those that are shown.
std::vector<std::string> shownCells(std::vector<std::string> cells, const Columns& columns)
{
    constexpr std::ptrdiff_t context = 2;
    constexpr std::ptrdiff_t expert = 4;
    constexpr std::ptrdiff_t expert_tensor = 5;
    constexpr std::ptrdiff_t overlap = 13;
    if (!columns.overlap)
        cells.erase(cells.begin() + overlap);
    if (!columns.expert_tensor)
        cells.erase(cells.begin() + expert_tensor);
    if (!columns.expert)
        cells.erase(cells.begin() + expert);
    if (!columns.context)
        cells.erase(cells.begin() + context);
    return cells;
}

TextTable emptyTable(const Columns& columns, const Scenario& base)
{
    return TextTable{shownCells({">p",
                                 ">t",
                                 ">c",
                                 ">d",
                                 ">ep",
                                 ">etp",
                                 ">b",
                                 ">m",
                                 "schedule",
                                 ">v",
                                 ">ZeRO",
                                 "seq.",
                                 "recompute",
                                 "overlap",
                                 ">time",
                                 "band",
                                 '>' + throughputWord(base.model),
                                 ">MFU",
                                 ">bubble",
                                 ">memory",
                                 ""},
                                columns)};
}

std::vector<Layout> layoutsOf(const LayoutSearch& search)
{
    std::vector<Layout> layouts;
    for (const FoundLayout& found : search.found)
        layouts.push_back(found.layout);
    return layouts;
}

std::string bandOf(const TimePrediction& time, bool is_calibrated)
{
    return is_calibrated ? timeBandWords(time.error_band) : "";
}

void addRow(TextTable& table, const Columns& columns, const LayoutSearch& search, const FoundLayout& found,
            const Scenario& base)
{
    const Parallel& parallel = found.layout.parallel;
    const TimePrediction& time = found.time;
    table.addRow(shownCells({std::to_string(parallel.pipeline),
                             std::to_string(parallel.tensor),
                             std::to_string(parallel.context),
                             std::to_string(parallel.data),
                             std::to_string(parallel.expert),
                             std::to_string(parallel.expertTensor()),
                             std::to_string(found.layout.micro_batch_size),
                             std::to_string(found.micro_batches),
                             std::string{word(parallel.schedule)},
                             std::to_string(parallel.virtual_stages),
                             std::to_string(parallel.zero_stage),
                             parallel.sequence_parallel ? "yes" : "no",
                             recomputationBrief(withLayout(base, found.layout)),
                             overlapsOf(found, base),
                             formatSeconds(time.iteration_s),
                             bandOf(time, search.calibrated),
                             formatCount(time.tokens_per_s),
                             formatRatio(time.mfu),
                             formatRatio(time.bubble_ratio),
                             formatBytes(static_cast<double>(found.device_bytes)),
                             std::string{found.may_be_fastest && search.calibrated ? "~" : " "}
                                 + (found.is_nearly_full ? "!" : "")},
                            columns));
}

// What the marks behind the fastest mean.
std::string legend(const LayoutSearch& search)
{
    const std::string full = "!: memory is full up to what its prediction is off by, it may run out";
    if (!search.calibrated)
        return full;
    const std::int64_t equals = search.may_be_fastest;
    return "~: " + std::string{equals == 1 ? "" : "up to "} + formatGrouped(equals)
           + (equals == 1 ? " whose error band reaches the fastest: this one itself; "
                          : " whose error bands reach the fastest, which of them is, is not known; ")
           + full;
}

std::string headline(const LayoutSearch& search, const Scenario& base)
{
    std::string text = formatGrouped(search.possible) + " layouts on " + formatGrouped(search.gpus)
                       + (search.gpus == 1 ? " GPU, " : " GPUs, ") + formatGrouped(search.fitting())
                       + " fit into " + formatBytes(static_cast<double>(search.capacity_bytes))
                       + "\nVaried: ";
    for (const VariedFigure& figure : variedFigures(base))
        if (!figure.name.empty())
            text += (text.back() == ' ' ? "" : ", ") + std::string{figure.name};
    text += ". Kept: " + keptText(base);
    const bool needs_fused =
        base.model.kind == ModelKind::transformer && !base.model.hasEncoder() && !layoutChoices(base).context;
    text += needs_fused ? " (a ring would bring fused attention; set flash_attention).\n" : ".\n";
    const std::vector<std::string> followed = followedKeys(layoutsOf(search), base);
    if (followed.empty())
        return text;
    text += "Following the layout, as the framework's defaults do: ";
    for (const std::string& key : followed)
        text += (key == followed.front() ? "" : ", ") + key.substr(key.find('.') + 1);
    return text + (columnsOf(search, base).overlap ? "; overlap: what of it is on (+) or off (-).\n" : ".\n");
}

} // namespace

std::string searchJson(const LayoutSearch& search, const Scenario& base, std::size_t top, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    json.member("gpus", search.gpus);
    json.member("possible", search.possible);
    json.member("too_large", search.too_large);
    json.member("capacity_bytes", search.capacity_bytes);
    json.member("fitting", search.fitting());
    json.member("calibrated", search.calibrated);
    json.member("may_be_fastest", search.may_be_fastest);
    json.key("varied");
    json.beginArray();
    for (const VariedFigure& figure : variedFigures(base))
        json.value(figure.key);
    json.endArray();
    json.key("followed");
    writeKeys(followedKeys(layoutsOf(search), base), json);
    json.key("best");
    json.beginArray();
    for (std::size_t i = 0; i < std::min(top, search.found.size()); ++i)
        write(search.found[i], base, json);
    json.endArray();
    json.key("front");
    json.beginArray();
    for (const std::size_t place : search.front)
        write(search.found[place], base, json);
    json.endArray();
    json.endObject();
    return json.take();
}

std::string searchText(const LayoutSearch& search, const Scenario& base, std::size_t top)
{
    std::string text = headline(search, base);
    if (search.found.empty())
        return text + "\nNone fits: give more GPUs, a smaller global batch, or GPUs with more memory.\n";
    const Columns columns = columnsOf(search, base);
    TextTable best = emptyTable(columns, base);
    for (std::size_t i = 0; i < std::min(top, search.found.size()); ++i)
        addRow(best, columns, search, search.found[i], base);
    text += "\nThe fastest (" + legend(search) + ")\n\n" + best.text();
    if (const std::size_t roomy = search.fastestWithRoom(); roomy > 0)
        text += "\nThe fastest with room to spare is number " + std::to_string(roomy + 1) + ": "
                + layoutText(search.found[roomy].layout) + ", "
                + formatSeconds(search.found[roomy].time.iteration_s) + '\n';
    TextTable front = emptyTable(columns, base);
    const std::size_t shown = std::min(longest_front, search.front.size());
    for (std::size_t i = 0; i < shown; ++i)
        addRow(front, columns, search, search.found[search.front[i]], base);
    text += "\nOf all that were tried none is both faster and smaller than these ("
            + (shown < search.front.size() ? "the first " + std::to_string(shown) + " of " : std::string{})
            + std::to_string(search.front.size()) + ")\n\n" + front.text();
    return text + calibrationNote(base.cluster);
}

std::vector<std::string> followedKeys(const std::vector<Layout>& layouts, const Scenario& base)
{
    std::vector<std::string> keys;
    for (const Layout& layout : layouts)
        for (const ScenarioDifference& one : followingConventions(base, layout))
            if (std::string key = "conventions." + one.key; std::ranges::find(keys, key) == keys.end())
                keys.push_back(std::move(key));
    return keys;
}

std::string keptText(const Scenario& base)
{
    const LayoutChoices choices = layoutChoices(base);
    std::string text = "global batch " + formatGrouped(base.training.global_batch_size);
    if (choices.layers && !choices.context)
        text += ", context " + std::to_string(base.parallel.context);
    if (choices.layers && !choices.virtual_stages)
        text += ", schedule " + std::string{word(base.parallel.schedule)};
    return text;
}

} // namespace shardscope
