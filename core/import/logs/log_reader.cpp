// Logs of training runs: everything in them that some kind of line is known for.
#include "core/import/logs/log_lines.h"
#include "core/import/streams/whole_text.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace shardscope
{

bool looksLikeText(std::string_view head)
{
    const auto is_odd = [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte < 0x20 && letter != '\n' && letter != '\r' && letter != '\t' && letter != '\x1b'
               && letter != '\b';
    };
    return !head.empty() && std::ranges::count_if(head, is_odd) == 0;
}

namespace
{

// Calls that two kinds of lines tell of are the same ones; what is asked later has their sizes to the byte.
void fillFrom(LogLines& lines, TraceFile& file, std::vector<TraceFile>& further)
{
    std::vector<SizedCall> before = std::exchange(file.calls, {});
    std::vector<TraceFile> ranks;
    const bool has_found = lines.fill(file, ranks);
    if (has_found && file.format.empty())
        file.format = lines.format();
    if (file.calls.empty()) {
        file.calls = std::move(before);
        std::ranges::move(ranks, std::back_inserter(further));
        return;
    }
    if (!before.empty())
        file.notes.push_back("two loggers have written each call: those of " + std::string(lines.format())
                             + " are counted, whose sizes are exact");
    further = std::move(ranks);
}

} // namespace

std::optional<Rejection> readLog(ReadJob& job, TraceFile& file)
{
    // What is asked first gives the file its format.
    const std::array<std::unique_ptr<LogLines>, 6> kinds{makeMegatronLines(),  makeDeepSpeedLines(),
                                                         makeNcclTestsLines(), makeNcclLines(),
                                                         makeMemoryLines(),    makeArgumentLines()};
    LineReader lines(job.stream);
    std::string_view line;
    std::int64_t reported = 0;
    for (std::int64_t number = 0; lines.next(line); ++number) {
        for (const auto& kind : kinds)
            kind->take(line);
        if (number % 4096 != 0)
            continue;
        job.control.addBytes(job.stream.bytesOfFile() - reported);
        reported = job.stream.bytesOfFile();
        if (!job.control.goOn(job.thread))
            return Rejection{"stopped"};
    }
    job.control.addBytes(job.stream.bytesOfFile() - reported);
    file.bytes_uncompressed = lines.bytesRead();
    file.format.clear();
    for (const auto& kind : kinds)
        fillFrom(*kind, file, job.further);
    for (const ImportWarning& warning : file.warnings)
        job.warnings.add(warning);
    if (!file.format.empty())
        return std::nullopt;
    return Rejection{"this text holds nothing that is known here: no timers, no memory and no table of "
                     "arguments of Megatron, no communication of DeepSpeed or NCCL, no table of nccl-tests",
                     true};
}

} // namespace shardscope
