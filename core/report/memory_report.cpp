#include "core/report/memory_report.h"

#include "core/base/format.h"
#include "core/report/text_table.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace shardscope
{

namespace
{

using Json = nlohmann::ordered_json;

std::string rankText(std::int64_t rank)
{
    return rank < 0 ? "a rank" : std::to_string(rank);
}

std::string knownBytesText(std::int64_t bytes)
{
    return bytes < 0 ? "–" : formatBytes(static_cast<double>(bytes));
}

// Predicted over measured, less one; nothing where either is missing.
std::optional<double> residualOf(std::int64_t predicted_bytes, std::int64_t measured_bytes)
{
    if (predicted_bytes <= 0 || measured_bytes <= 0)
        return std::nullopt;
    return static_cast<double>(predicted_bytes) / static_cast<double>(measured_bytes) - 1.0;
}

Json toldBytes(std::int64_t bytes)
{
    return bytes < 0 ? Json(nullptr) : Json(bytes);
}

Json rankJson(std::int64_t rank)
{
    return rank < 0 ? Json(nullptr) : Json(rank);
}

void addBytes(const std::string& what, std::int64_t predicted_bytes, std::int64_t measured_bytes, Json& json)
{
    const std::optional<double> residual = residualOf(predicted_bytes, measured_bytes);
    json["predicted_" + what + "_bytes"] = predicted_bytes;
    json["measured_" + what + "_bytes"] = toldBytes(measured_bytes);
    json[what + "_residual"] = residual ? Json(*residual) : Json(nullptr);
}

// A row of a stage's fullest rank.
void addRow(const std::string& what, const ComparedMemory& rank, std::int64_t predicted_bytes,
            std::int64_t measured_bytes, TextTable& table)
{
    const std::optional<double> residual = residualOf(predicted_bytes, measured_bytes);
    table.addRow({std::to_string(rank.stage), what, rankText(rank.measured.rank),
                  knownBytesText(predicted_bytes), knownBytesText(measured_bytes),
                  residual ? formatChange(*residual) : "–"});
}

} // namespace

std::string_view word(MemoryFrom from)
{
    switch (from) {
    case MemoryFrom::log:
        return "log";
    case MemoryFrom::schedule:
        return "schedule";
    case MemoryFrom::profiler:
        break;
    }
    return "profiler";
}

std::string_view memorySource(MemoryFrom from)
{
    switch (from) {
    case MemoryFrom::log:
        return "training log";
    case MemoryFrom::schedule:
        return "pipeline schedule";
    case MemoryFrom::profiler:
        break;
    }
    return "profiler";
}

void addMemoryJson(const Measurement& measurement, Json& json)
{
    for (const RankMemory& memory : measurement.memory) {
        Json row{{"rank", rankJson(memory.rank)}};
        if (memory.peak_allocated_bytes >= 0)
            row["peak_allocated_bytes"] = memory.peak_allocated_bytes;
        if (memory.peak_reserved_bytes >= 0)
            row["peak_reserved_bytes"] = memory.peak_reserved_bytes;
        row["from"] = word(memory.from);
        json["memory"].push_back(std::move(row));
    }
}

void addMemoryJson(const MemoryComparison& comparison, Json& json)
{
    for (const ComparedMemory& rank : comparison.ranks) {
        Json row{{"rank", rankJson(rank.measured.rank)}, {"stage", rank.stage}};
        addBytes("allocated", rank.predicted_allocated_bytes, rank.measured.peak_allocated_bytes, row);
        addBytes("reserved", rank.predicted_reserved_bytes, rank.measured.peak_reserved_bytes, row);
        json["memory"].push_back(std::move(row));
    }
}

std::string memoryText(const Measurement& measurement)
{
    TextTable table{{">rank", ">allocated", ">reserved", "told by"}};
    for (const RankMemory& memory : measurement.memory)
        table.addRow({rankText(memory.rank), knownBytesText(memory.peak_allocated_bytes),
                      knownBytesText(memory.peak_reserved_bytes), std::string{memorySource(memory.from)}});
    return table.empty() ? "" : "\nMemory of each rank's GPU, at most\n" + table.text();
}

std::string memoryText(const MemoryComparison& comparison)
{
    TextTable table{{">stage", "memory", ">fullest rank", ">predicted", ">measured", ">residual"}};
    for (const StagePeaks& stage : comparison.stages()) {
        if (stage.allocated)
            addRow("allocated", *stage.allocated, stage.allocated->predicted_allocated_bytes,
                   stage.allocated->measured.peak_allocated_bytes, table);
        if (stage.reserved)
            addRow("reserved", *stage.reserved, stage.reserved->predicted_reserved_bytes,
                   stage.reserved->measured.peak_reserved_bytes, table);
    }
    return table.empty() ? "" : "\nMemory of one GPU of each stage, at most\n" + table.text();
}

} // namespace shardscope
