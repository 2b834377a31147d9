#pragma once

#include "core/base/result.h"
#include "core/trace/trace_set.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace shardscope
{

// Grows with what a digest holds. 2: counters; 3: splits of all_to_all; 4: marks of steps of any category;
// 5: what the flight recorder counts; 6: memory that logs and pipeline schedules tell of; 7: arguments of a
// run and counts of parameters.
inline constexpr int digest_version = 7;

// A file with a digest as bytes to be saved: a protobuf message, docs/digest.proto, compressed by zstd. What
// the digest was read from or how long that took is not in it.
std::string encodeDigest(const TraceFile& file);

// Reads what encodeDigest() gave, inflated, into the file; its path, status and format are left to others.
// Error: the bytes are damaged, or a newer version has written them.
Result<bool> decodeDigest(std::string_view message, TraceFile& file);

// A digest that lies in a file of its own, as the trace that it was made of. Error: it cannot be read.
Result<TraceFile> readDigestFile(const std::filesystem::path& path);

} // namespace shardscope
