#include "core/report/run_difference_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace shardscope
{

namespace
{

constexpr std::size_t most_rows = 20; // of a table for people
constexpr std::size_t named_parts = 3;
// Ours: less than that of an iteration is no difference between two runs, which repeats of one differ by.
constexpr double repeatable = 1e-3;

// After by before, less one; nothing where there was nothing before.
std::optional<double> changeOf(double before, double after)
{
    return before > 0.0 ? std::optional{after / before - 1.0} : std::nullopt;
}

std::string changeText(double before, double after)
{
    const auto change = changeOf(before, after);
    return change ? formatChange(*change) : after > 0.0 ? "new" : "";
}

std::string secondsOrNone(double seconds)
{
    return seconds > 0.0 ? formatSeconds(seconds) : "–";
}

std::string secondsOrNone(const std::optional<double>& seconds)
{
    return secondsOrNone(seconds.value_or(0.0));
}

std::string sizeText(std::int64_t bytes)
{
    return bytes < 0 ? "?" : formatBytes(static_cast<double>(bytes));
}

std::string groupText(std::int64_t ranks)
{
    return ranks > 0 ? std::to_string(ranks) : "?";
}

void writeSeconds(double before_s, double after_s, JsonWriter& json)
{
    json.member("before_s", before_s);
    json.member("after_s", after_s);
    json.member("added_s", after_s - before_s);
}

void write(const AmountChange& amount, JsonWriter& json)
{
    json.member("before_count", amount.before.calls);
    json.member("after_count", amount.after.calls);
    writeSeconds(amount.before.seconds, amount.after.seconds, json);
}

void write(const PartChange& part, JsonWriter& json)
{
    json.member("part", word(part.part));
    if (part.part == IterationPart::communication)
        json.member("kind", word(part.kind));
    writeSeconds(part.before_s, part.after_s, json);
}

void write(const CallsChange& calls, JsonWriter& json)
{
    const auto known = [](std::int64_t value, std::int64_t unknown) {
        return value == unknown ? std::nullopt : std::optional{value};
    };
    json.member("kind", word(calls.kind));
    json.member("op", word(calls.op));
    json.member("message_bytes", known(calls.message_bytes, -1));
    json.member("group_size", known(calls.group_size, 0));
    write(calls.amount, json);
    json.member("before_exposed_s", calls.amount.before.exposed_s);
    json.member("after_exposed_s", calls.amount.after.exposed_s);
    json.member("before_transfer_s", calls.before_transfer_s);
    json.member("after_transfer_s", calls.after_transfer_s);
}

void write(const KernelClassChange& row, JsonWriter& json)
{
    json.member("class", word(row.of));
    write(row.amount, json);
}

void write(const KernelChange& kernel, JsonWriter& json)
{
    json.member("name", kernel.name);
    json.member("class", kernelWord(kernel));
    write(kernel.amount, json);
}

void write(const TimerChange& timer, JsonWriter& json)
{
    json.member("name", timer.name);
    json.member("before_s", timer.before_s);
    json.member("after_s", timer.after_s);
}

template<class Row>
void writeRows(const char* key, const std::vector<Row>& rows, JsonWriter& json)
{
    json.key(key);
    json.beginArray();
    for (const Row& row : rows) {
        json.beginObject(JsonWriter::Layout::line);
        write(row, json);
        json.endObject();
    }
    json.endArray();
}

void write(const char* key, const PeakChange& peak, JsonWriter& json)
{
    if (!peak.isTold())
        return;
    json.key(key);
    json.beginObject(JsonWriter::Layout::line);
    json.member("before_bytes", peak.before_bytes);
    json.member("after_bytes", peak.after_bytes);
    json.endObject();
}

void writeRun(const char* key, double iteration_s, std::int64_t ranks, std::int64_t iterations,
              JsonWriter& json)
{
    json.key(key);
    json.beginObject(JsonWriter::Layout::line);
    json.member("iteration_s", iteration_s > 0.0 ? std::optional{iteration_s} : std::nullopt);
    json.member("ranks", ranks);
    json.member("iterations", iterations);
    json.endObject();
}

bool isTimed(const RunDifference& difference)
{
    return difference.before_iteration_s > 0.0 && difference.after_iteration_s > 0.0;
}

// The table of rows that differ most, under a heading; nothing of no rows.
template<class Row, class Cells>
std::string tableOf(const std::string& heading, std::vector<std::string> headings,
                    const std::vector<Row>& rows, Cells cells, std::size_t most = most_rows)
{
    if (rows.empty())
        return {};
    TextTable table{std::move(headings)};
    for (std::size_t i = 0; i < std::min(most, rows.size()); ++i)
        table.addRow(cells(rows[i]));
    std::string text = '\n' + heading + '\n' + table.text();
    if (rows.size() > most)
        text += "  and " + countedSentence(static_cast<std::int64_t>(rows.size() - most), "one row", "# rows")
                + " more, whose times differ less: --json has them\n";
    return text;
}

std::vector<std::string> timeCells(double before_s, double after_s)
{
    return {secondsOrNone(before_s), secondsOrNone(after_s), addedText(after_s - before_s),
            changeText(before_s, after_s)};
}

std::vector<std::string> joined(std::vector<std::string> first, const std::vector<std::string>& rest)
{
    first.insert(first.end(), rest.begin(), rest.end());
    return first;
}

std::vector<std::string> amountCells(std::vector<std::string> first, const AmountChange& amount)
{
    first.push_back(callCountText(amount.before.calls));
    first.push_back(callCountText(amount.after.calls));
    return joined(std::move(first), timeCells(amount.before.seconds, amount.after.seconds));
}

std::string callsTable(const RunDifference& difference)
{
    return tableOf("Calls, waiting included; transfer: one call once every rank is there",
                   {"kind", "op", ">size", ">ranks", ">calls before", ">after", ">time before", ">after",
                    ">added", ">", ">transfer before", ">after"},
                   difference.calls, [](const CallsChange& row) {
                       return joined(
                           amountCells({std::string{word(row.kind)}, std::string{word(row.op)},
                                        sizeText(row.message_bytes), groupText(row.group_size)},
                                       row.amount),
                           {secondsOrNone(row.before_transfer_s), secondsOrNone(row.after_transfer_s)});
                   });
}

std::string kernelTables(const RunDifference& difference)
{
    std::vector<std::string> headings{"", ">calls before", ">after", ">time before", ">after", ">added", ">"};
    std::string text = tableOf(
        "Computing, by what kernels do", headings, difference.classes,
        [](const KernelClassChange& row) { return amountCells({std::string{word(row.of)}}, row.amount); });
    headings.emplace_back("kernel");
    headings.front() = "what";
    return text + tableOf("Kernels", headings, difference.kernels, [](const KernelChange& row) {
               return joined(amountCells({kernelWord(row)}, row.amount), {row.name});
           });
}

std::string timersTable(const RunDifference& difference)
{
    return tableOf("Timers of the logs, medians", {"timer", ">before", ">after", ">added", ">"},
                   difference.timers, [](const TimerChange& row) -> std::vector<std::string> {
                       if (row.before_s && row.after_s)
                           return joined({row.name}, timeCells(*row.before_s, *row.after_s));
                       return {row.name, secondsOrNone(row.before_s), secondsOrNone(row.after_s)};
                   });
}

std::string partsTable(const RunDifference& difference)
{
    return tableOf(
        "Where an iteration's time goes", {"", ">before", ">after", ">added", ">"}, difference.parts,
        [](const PartChange& row) { return joined({partText(row)}, timeCells(row.before_s, row.after_s)); });
}

// "the mean of 8 ranks over 2 iterations"
std::string meanText(std::int64_t ranks, std::int64_t iterations)
{
    return countedSentence(ranks, "one rank", "the mean of # ranks") + " over "
           + countedSentence(iterations, "1 iteration", "# iterations");
}

std::string peakText(const std::optional<std::int64_t>& bytes)
{
    return bytes ? formatBytes(static_cast<double>(*bytes)) : "–";
}

// "allocated 26.1 GiB, before 24.4 GiB"
std::string peakText(const char* name, const PeakChange& peak)
{
    return std::string{name} + ' ' + peakText(peak.after_bytes) + ", before " + peakText(peak.before_bytes);
}

// The parts that changed most, some of which may make up for others: "; idle +9.1 ms, compute -7.7 ms".
std::string causes(const RunDifference& difference)
{
    constexpr double worth_naming = 0.1; // of the part that changed most
    std::vector<PartChange> parts = difference.parts;
    const auto change_s = [](const PartChange& part) { return std::abs(part.added_s()); };
    std::ranges::stable_sort(parts, std::greater{}, change_s);
    std::string text;
    for (std::size_t i = 0; i < std::min(named_parts, parts.size()); ++i)
        if (change_s(parts[i]) > worth_naming * change_s(parts.front()))
            text += (text.empty() ? "; " : ", ") + partText(parts[i]) + ' ' + addedText(parts[i].added_s());
    return text;
}

} // namespace

std::string partText(const PartChange& part)
{
    const bool has_kind = part.part == IterationPart::communication && part.kind != Kind::unknown;
    return has_kind ? "exposed " + std::string{word(part.kind)} : std::string{word(part.part)};
}

std::string memorySentence(const RunDifference& difference)
{
    std::string text;
    if (difference.allocated.isTold())
        text += peakText("allocated", difference.allocated);
    if (difference.reserved.isTold())
        text += (text.empty() ? "" : "; ") + peakText("reserved", difference.reserved);
    return text.empty() ? text : "The fullest rank's GPU held at most: " + text;
}

std::string kernelWord(const KernelChange& kernel)
{
    return kernel.of == EventClass::communication ? "communication"
           : kernel.of == EventClass::memory      ? "copy or fill"
                                                  : std::string{word(kernelClassOf(kernel.name))};
}

std::string addedText(double added_s)
{
    if (std::abs(added_s) < 0.5e-9) // what sums in another order leave
        return "0";
    return (added_s > 0.0 ? "+" : "-") + formatSeconds(std::abs(added_s));
}

std::string callCountText(double calls)
{
    constexpr double broken_from = 100.0; // above, a part of a call tells nothing
    return calls >= broken_from ? formatGrouped(std::llround(calls)) : formatTrimmed(calls, 1);
}

std::string runDifferenceSentence(const RunDifference& difference)
{
    if (!isTimed(difference))
        return "How long an iteration takes is not told by both runs: their calls alone are compared";
    const double before_s = difference.before_iteration_s;
    const double after_s = difference.after_iteration_s;
    const double added_s = after_s - before_s;
    const std::string times =
        "An iteration takes " + formatSeconds(after_s) + ", before " + formatSeconds(before_s);
    if (std::abs(added_s) < repeatable * before_s)
        return times + ": as long";
    return times + ": " + formatSeconds(std::abs(added_s)) + (added_s > 0.0 ? " more (" : " less (")
           + formatChange(after_s / before_s - 1.0) + ')' + causes(difference);
}

std::string runDifferenceJson(const RunDifference& difference, int indent)
{
    const bool timed = isTimed(difference);
    const double added_s = difference.after_iteration_s - difference.before_iteration_s;
    JsonWriter json{indent};
    json.beginObject();
    json.member("shardscope", 1);
    writeRun("before", difference.before_iteration_s, difference.before_ranks, difference.before_iterations,
             json);
    writeRun("after", difference.after_iteration_s, difference.after_ranks, difference.after_iterations,
             json);
    json.member("added_s", timed ? std::optional{added_s} : std::nullopt);
    json.member("change",
                timed ? changeOf(difference.before_iteration_s, difference.after_iteration_s) : std::nullopt);
    writeRows("parts", difference.parts, json);
    writeRows("calls", difference.calls, json);
    writeRows("classes", difference.classes, json);
    writeRows("kernels", difference.kernels, json);
    writeRows("timers", difference.timers, json);
    write("peak_allocated", difference.allocated, json);
    write("peak_reserved", difference.reserved, json);
    json.key("notes");
    json.beginArray();
    for (const std::string& note : difference.notes)
        json.value(note);
    json.endArray();
    json.endObject();
    return json.take();
}

std::string runDifferenceText(const RunDifference& difference)
{
    std::string text = runDifferenceSentence(difference) + '\n';
    if (difference.before_ranks > 0 && difference.after_ranks > 0)
        text += "One rank in one iteration: before, "
                + meanText(difference.before_ranks, difference.before_iterations) + "; after, "
                + meanText(difference.after_ranks, difference.after_iterations) + '\n';
    text +=
        partsTable(difference) + callsTable(difference) + kernelTables(difference) + timersTable(difference);
    if (const std::string memory = memorySentence(difference); !memory.empty())
        text += '\n' + memory + '\n';
    if (!difference.notes.empty())
        text += "\nNotes\n";
    for (const std::string& note : difference.notes)
        text += "  " + note + '\n';
    return text;
}

} // namespace shardscope
