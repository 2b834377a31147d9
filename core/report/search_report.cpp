#include "core/report/search_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/report/prediction_report.h"
#include "core/report/scenario_words.h"
#include "core/report/text_table.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::size_t longest_front = 12; // of the table; the JSON has all of it

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
    json.key("scenario");
    writeScenario(foundScenario(base, found.layout), json);
    json.endObject();
}

TextTable emptyTable(const Scenario& base)
{
    return TextTable{{">p", ">t", ">d", ">b", ">m", "schedule", ">v", ">ZeRO", "seq.", "recompute", ">time",
                      "band", '>' + throughputWord(base.model), ">MFU", ">bubble", ">memory", ""}};
}

std::string bandOf(const TimePrediction& time, bool is_calibrated)
{
    return is_calibrated ? timeBandWords(time.error_band) : "";
}

void addRow(TextTable& table, const LayoutSearch& search, const FoundLayout& found)
{
    const Parallel& parallel = found.layout.parallel;
    const TimePrediction& time = found.time;
    table.addRow({std::to_string(parallel.pipeline), std::to_string(parallel.tensor),
                  std::to_string(parallel.data), std::to_string(found.layout.micro_batch_size),
                  std::to_string(found.micro_batches), std::string{word(parallel.schedule)},
                  std::to_string(parallel.virtual_stages), std::to_string(parallel.zero_stage),
                  parallel.sequence_parallel ? "yes" : "no", std::string{word(found.layout.recompute)},
                  formatSeconds(time.iteration_s), bandOf(time, search.calibrated),
                  formatCount(time.tokens_per_s), formatRatio(time.mfu), formatRatio(time.bubble_ratio),
                  formatBytes(static_cast<double>(found.device_bytes)),
                  std::string{found.may_be_fastest && search.calibrated ? "~" : " "}
                      + (found.is_nearly_full ? "!" : "")});
}

// What the marks behind the fastest mean.
std::string legend(const LayoutSearch& search)
{
    const std::string full = "!: memory is full up to what its prediction is off by, it may run out";
    if (!search.calibrated)
        return full;
    const auto equals = std::ranges::count_if(search.found, &FoundLayout::may_be_fastest);
    return "~: " + formatGrouped(equals)
           + (equals == 1 ? " whose error band reaches the fastest: this one itself; "
                          : " whose error bands reach the fastest, which of them is, is not known; ")
           + full;
}

std::string headline(const LayoutSearch& search)
{
    return formatGrouped(search.possible) + " layouts on " + formatGrouped(search.gpus)
           + (search.gpus == 1 ? " GPU, " : " GPUs, ")
           + formatGrouped(static_cast<std::int64_t>(search.found.size())) + " fit into "
           + formatBytes(static_cast<double>(search.capacity_bytes)) + "\n";
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
    json.member("fitting", search.found.size());
    json.member("calibrated", search.calibrated);
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
    std::string text = headline(search);
    if (search.found.empty())
        return text + "\nNone fits: give more GPUs, a smaller global batch, or GPUs with more memory.\n";
    TextTable best = emptyTable(base);
    for (std::size_t i = 0; i < std::min(top, search.found.size()); ++i)
        addRow(best, search, search.found[i]);
    text += "\nThe fastest (" + legend(search) + ")\n\n" + best.text();
    if (const std::size_t roomy = search.fastestWithRoom(); roomy > 0)
        text += "\nThe fastest with room to spare is number " + std::to_string(roomy + 1) + ": "
                + layoutText(search.found[roomy].layout) + ", "
                + formatSeconds(search.found[roomy].time.iteration_s) + '\n';
    TextTable front = emptyTable(base);
    const std::size_t shown = std::min(longest_front, search.front.size());
    for (std::size_t i = 0; i < shown; ++i)
        addRow(front, search, search.found[search.front[i]]);
    text += "\nThan these no layout is both faster and smaller ("
            + (shown < search.front.size() ? "the first " + std::to_string(shown) + " of " : std::string{})
            + std::to_string(search.front.size()) + ")\n\n" + front.text();
    return text + calibrationNote(base.cluster);
}

} // namespace shardscope
