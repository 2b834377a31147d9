#pragma once

#include "core/import/import_control.h"
#include "core/import/streams/byte_stream.h"
#include "core/import/warning_log.h"
#include "core/trace/trace_set.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Why nothing of a file could be read.
struct Rejection {
    std::string sentence;
    bool is_other_file = false; // it is no trace at all, rather than a broken one
};

// One file that is being read.
struct ReadJob {
    std::filesystem::path path;
    PeekedStream& stream;
    ImportControl& control;
    std::size_t thread = 0;
    WarningLog warnings = {};
    std::vector<TraceFile> further = {}; // ranks beside the first that the same file holds, with their paths
};

// A format of traces. To add one: write its file, add its line to the list in trace_formats.cpp.
struct TraceFormat {
    // As TraceFile::format; a reader may set another.
    std::string_view name;
    // Whether the first bytes of a file, inflated, look like it. Names do not count.
    bool (*recognises)(std::string_view head) = nullptr;
    // Fills the file, apart from its path, status, load_s and warnings.
    std::optional<Rejection> (*read)(ReadJob& job, TraceFile& file) = nullptr;
};

// In the order in which they are asked.
std::span<const TraceFormat> traceFormats();

// How much of a file's beginning recognises() gets to see.
inline constexpr std::size_t head_bytes = 64 * 1024;

// The readers and what they recognise, one file each.
bool looksLikeChromeTrace(std::string_view head);
std::optional<Rejection> readChromeTrace(ReadJob& job, TraceFile& file);
bool looksLikeDigest(std::string_view head);
std::optional<Rejection> readDigest(ReadJob& job, TraceFile& file);
bool looksLikeSqlite(std::string_view head);
std::optional<Rejection> readNsysSqlite(ReadJob& job, TraceFile& file);
bool looksLikePickle(std::string_view head);
std::optional<Rejection> readPickledFlightRecorder(ReadJob& job, TraceFile& file);
bool looksLikeFlightRecorder(std::string_view head);
std::optional<Rejection> readFlightRecorder(ReadJob& job, TraceFile& file);
bool looksLikePrimus(std::string_view head);
std::optional<Rejection> readPrimus(ReadJob& job, TraceFile& file);
bool looksLikeNcclInspector(std::string_view head);
std::optional<Rejection> readNcclInspector(ReadJob& job, TraceFile& file);
bool looksLikePytorchEt(std::string_view head);
std::optional<Rejection> readPytorchEt(ReadJob& job, TraceFile& file);
bool looksLikeChakraEt(std::string_view head);
std::optional<Rejection> readChakraEt(ReadJob& job, TraceFile& file);
bool looksLikeChakraJson(std::string_view head);
std::optional<Rejection> readChakraJson(ReadJob& job, TraceFile& file);
bool looksLikeAicb(std::string_view head);
std::optional<Rejection> readAicb(ReadJob& job, TraceFile& file);
bool looksLikeSimai(std::string_view head);
std::optional<Rejection> readSimai(ReadJob& job, TraceFile& file);
bool looksLikeNcclTestsJson(std::string_view head);
std::optional<Rejection> readNcclTestsJson(ReadJob& job, TraceFile& file);
bool looksLikeText(std::string_view head);
std::optional<Rejection> readLog(ReadJob& job, TraceFile& file);

} // namespace shardscope
