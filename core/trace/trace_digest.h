#pragma once

#include "core/trace/trace_store.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardscope
{

// A communication call of a digest, with what cannot be found again once the events around it are gone.
struct DigestedCall {
    EventIndex event{};               // in the digest's own store
    std::int64_t exposed_ns = 0;      // while the rank computed nothing
    std::int64_t step_exposed_ns = 0; // the same where only the events of its profiler step count
};

// What a small summary keeps of a trace beside a few of its events: communication calls, what launched them,
// profiler steps and annotations stand in the store as they were; the rest of each lane is merged to what the
// lane showed, "mostly gemm".
struct TraceDigest {
    int version = 0; // of the format, where it was read from bytes
    std::string source_path;
    std::string source_format;           // as TraceFile::format
    std::int64_t source_bytes = 0;       // on the disk
    std::int64_t source_modified_ns = 0; // since 1970
    std::string rules;                   // which rules told communication: see rulesMark()
    std::vector<DigestedCall> calls;     // by event
    std::string figures;                 // as encodeFigures() has them
};

} // namespace shardscope
