#pragma once

#include "core/trace/trace_set.h"

#include <memory>
#include <string_view>
#include <vector>

namespace shardscope
{

// One kind of line that logs of training runs are made of. A log may hold several: Megatron's timers between
// NCCL's messages, DeepSpeed's table at the end.
class LogLines
{
public:
    LogLines() = default;
    LogLines(const LogLines&) = delete;
    LogLines& operator=(const LogLines&) = delete;
    virtual ~LogLines() = default;

    // The format that a file has in which this kind is found.
    virtual std::string_view format() const = 0;
    virtual void take(std::string_view line) = 0;
    // Moves what was found into the file, with warnings of what could not be read, and what is of ranks
    // beside the first into further ones. False where there was nothing.
    virtual bool fill(TraceFile& file, std::vector<TraceFile>& further) = 0;
};

std::unique_ptr<LogLines> makeMegatronLines();
std::unique_ptr<LogLines> makeDeepSpeedLines();
std::unique_ptr<LogLines> makeNcclLines();
std::unique_ptr<LogLines> makeNcclTestsLines();
std::unique_ptr<LogLines> makeMemoryLines();
std::unique_ptr<LogLines> makeArgumentLines();

} // namespace shardscope
