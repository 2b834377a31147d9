#include "core/digest/full_traces.h"

#include "core/digest/file_stamp.h"
#include "core/digest/open_traces.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

// The trace itself, in its place in the set.
TraceFile inPlaceOf(const TraceFile& digested, TraceFile full)
{
    full.rank = digested.rank;
    full.rank_is_known = digested.rank_is_known;
    full.rank_guess = digested.rank_guess;
    full.world_size = std::max(full.world_size, digested.world_size);
    return full;
}

// Traces, and the place in the set of the digest that each stands behind.
using Sources = std::map<fs::path, std::size_t>;

Result<TraceSet> importSources(const Sources& sources, const ImportOptions& options)
{
    if (sources.empty())
        return TraceSet{};
    std::vector<fs::path> paths;
    for (const auto& [path, place] : sources)
        paths.push_back(path);
    return importTraces(paths, options);
}

// The warning that counts the digests holds for those that are left.
void countDigests(TraceSet& traces)
{
    const auto left =
        std::ranges::count_if(traces.files, [](const TraceFile& file) { return file.digest != nullptr; });
    for (ImportWarning& warning : traces.warnings) {
        if (warning.of == WarningOf::quick_digests || warning.of == WarningOf::fitting_digests)
            warning = digestWarning(warning.of, left);
    }
    std::erase_if(traces.warnings, [](const ImportWarning& warning) { return warning.count == 0; });
}

// Where the trace lies that a digest was made of. Error: it is gone, has changed since, or lay in an archive.
Result<fs::path> sourceOfDigest(const TraceFile& file)
{
    const TraceDigest& digest = *file.digest;
    const fs::path source = digest.source_path.empty() ? file.path : digest.source_path;
    const std::string name = source.filename().string();
    if (digest.source_bytes == 0)
        return Error{name
                     + " was digested as a part of another file: open that file itself to see every event"};
    const auto stamp = stampOf(source);
    if (!stamp)
        return Error{name + " is not at " + source.parent_path().string()
                     + " any more: bring it back, or open it where it lies now"};
    if (*stamp != FileStamp{digest.source_bytes, digest.source_modified_ns})
        return Error{name + " has changed since its digest was made: open the folder of traces again"};
    return source;
}

} // namespace

Result<TraceSet> readInFull(const TraceSet& traces, std::span<const std::size_t> files,
                            const ImportOptions& options)
{
    TraceSet result = traces;
    Sources wanted;
    std::vector<std::string> failures;
    for (const std::size_t file : files) {
        if (!traces.files[file].digest)
            continue;
        const Result<fs::path> source = sourceOfDigest(traces.files[file]);
        if (source)
            wanted.emplace(source.value(), file);
        else
            failures.push_back(source.error().sentence);
    }
    Result<TraceSet> full = importSources(wanted, options);
    if (!full)
        return full.error();
    std::size_t read = 0;
    for (TraceFile& file : full.value().files) {
        const auto place = wanted.find(file.path);
        if (file.status == FileStatus::rejected || place == wanted.end()) {
            failures.push_back(fs::path(file.path).filename().string() + ": " + file.rejection);
            continue;
        }
        TraceFile& digested = result.files[place->second];
        digested = inPlaceOf(digested, std::move(file));
        ++read;
    }
    if (read == 0)
        return Error{failures.empty() ? "these traces are read in full already" : failures.front()};
    for (const std::string& failure : failures)
        result.warnings.push_back({failure, 1, {}, failure + '.'});
    countDigests(result);
    return result;
}

} // namespace shardscope
