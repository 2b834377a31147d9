#include "core/import/importer.h"

#include "core/import/import_control.h"
#include "core/import/rank_from_name.h"
#include "core/import/trace_format.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

struct Candidate {
    fs::path path;
    std::int64_t bytes = 0;
    bool is_from_folder = false; // may be no trace at all
};

std::int64_t sizeOf(const fs::path& path)
{
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    return error ? 0 : static_cast<std::int64_t>(bytes);
}

void addFolder(const fs::path& folder, std::vector<Candidate>& candidates)
{
    std::vector<fs::path> found;
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    for (auto entry = fs::recursive_directory_iterator(folder, options, error);
         !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        const bool is_hidden = entry->path().filename().native().starts_with('.');
        if (is_hidden && entry->is_directory(ignored))
            entry.disable_recursion_pending();
        else if (!is_hidden && entry->is_regular_file(ignored))
            found.push_back(entry->path());
    }
    std::ranges::sort(found);
    for (const fs::path& path : found)
        candidates.push_back({path, sizeOf(path), true});
}

Result<std::vector<Candidate>> gather(std::span<const fs::path> paths)
{
    std::vector<Candidate> candidates;
    for (const fs::path& path : paths) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (!fs::exists(status))
            return Error{path.string() + ": there is no such file or folder"};
        if (fs::is_directory(status))
            addFolder(path, candidates);
        else if (fs::is_regular_file(status))
            candidates.push_back({path, sizeOf(path), false});
        else
            return Error{path.string() + ": this is neither a file nor a folder"};
    }
    std::set<fs::path> seen;
    std::erase_if(candidates,
                  [&](const Candidate& candidate) { return !seen.insert(candidate.path).second; });
    return candidates;
}

struct Outcome {
    TraceFile file;
    bool is_other_file = false; // no trace at all
};

std::optional<Rejection> readStream(const Candidate& candidate, ImportControl& control, std::size_t thread,
                                    TraceFile& file)
{
    Result<std::unique_ptr<PeekedStream>> stream = openTrace(candidate.path);
    if (!stream)
        return Rejection{stream.error().sentence};
    const std::string_view head = stream.value()->peek(head_bytes);
    if (head.empty())
        return Rejection{stream.value()->damage().empty() ? "the file is empty" : stream.value()->damage()};
    const auto formats = traceFormats();
    const auto format =
        std::ranges::find_if(formats, [&](const TraceFormat& each) { return each.recognises(head); });
    if (format == formats.end())
        return Rejection{"this is no trace in a format that is known here", true};
    file.format = format->name;
    ReadJob job{candidate.path, *stream.value(), control, thread};
    auto rejection = format->read(job, file);
    if (const std::string damage = stream.value()->damage(); !damage.empty()) {
        if (rejection)
            rejection = Rejection{rejection->sentence + " (" + damage + ")"};
        job.warnings.add(damage);
    }
    file.warnings = job.warnings.warnings();
    return rejection;
}

// Sets what is alike for all formats.
void complete(TraceFile& file)
{
    if (!file.store)
        file.store = TraceBuilder().finish();
    file.slices = static_cast<std::int64_t>(file.store->size());
    file.tracks = static_cast<std::int64_t>(file.store->tracks().size());
    file.status = file.warnings.empty() ? FileStatus::ok : FileStatus::recovered;
    if (file.rank_is_known)
        return;
    const auto rank = rankFromName(fs::path(file.path).filename().string());
    file.rank_is_known = rank.has_value();
    file.rank = rank.value_or(0);
}

Outcome readFile(const Candidate& candidate, ImportControl& control, std::size_t thread)
{
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome;
    TraceFile& file = outcome.file;
    file.path = candidate.path.string();
    std::optional<Rejection> rejection;
    try {
        rejection = readStream(candidate, control, thread, file);
    } catch (const std::bad_alloc&) {
        rejection = Rejection{"there is not enough memory to read this file"};
    }
    file.load_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (rejection) {
        file.status = FileStatus::rejected;
        file.rejection = rejection->sentence;
        file.store = nullptr;
        outcome.is_other_file = rejection->is_other_file;
    } else {
        complete(file);
    }
    return outcome;
}

// What concerns several files: ranks that more than one claims, files of a folder that are no traces.
void note(TraceSet& set, std::int64_t left_out)
{
    std::ranges::sort(set.files, {}, [](const TraceFile& file) { return std::tie(file.rank, file.path); });
    std::int64_t shared = 0;
    for (std::size_t i = 1; i < set.files.size(); ++i)
        shared += set.files[i].rank == set.files[i - 1].rank && set.files[i].format == set.files[i - 1].format
                      ? 1
                      : 0;
    if (shared > 0)
        set.warnings.push_back({"file that claims the rank of another one", shared});
    if (left_out > 0)
        set.warnings.push_back({"file of the folder that is no trace", left_out});
}

Error nothingRead(std::span<const fs::path> paths, const std::vector<TraceFile>& files)
{
    if (files.empty())
        return Error{(paths.empty() ? std::string("no path was given") : paths[0].string())
                     + ": there is no trace in it"};
    std::string sentence = files[0].path + ": " + files[0].rejection;
    if (files.size() > 1)
        sentence += " (and " + std::to_string(files.size() - 1) + " more files that cannot be read)";
    return Error{sentence};
}

} // namespace

Result<TraceSet> importTraces(std::span<const fs::path> paths, const ImportOptions& options)
{
    const Result<std::vector<Candidate>> gathered = gather(paths);
    if (!gathered)
        return gathered.error();
    const std::vector<Candidate>& candidates = gathered.value();
    std::int64_t bytes = 0;
    for (const Candidate& candidate : candidates)
        bytes += candidate.bytes;
    const int count = static_cast<int>(candidates.size());
    ImportControl control(options, bytes, count);
    std::vector<Outcome> outcomes(candidates.size());
    control.runFiles(count, [&](std::size_t thread, int index) {
        const auto row = static_cast<std::size_t>(index);
        if (!control.isStopped())
            outcomes[row] = readFile(candidates[row], control, thread);
    });
    if (control.isStopped())
        return Error{"stopped"};

    TraceSet set;
    std::int64_t left_out = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i].is_other_file && candidates[i].is_from_folder)
            ++left_out;
        else
            set.files.push_back(std::move(outcomes[i].file));
    }
    if (std::ranges::all_of(set.files, [](const TraceFile& f) { return f.status == FileStatus::rejected; }))
        return nothingRead(paths, set.files);
    note(set, left_out);
    return set;
}

} // namespace shardscope
