#include "core/import/importer.h"

#include "core/base/format.h"
#include "core/base/most_ranks.h"
#include "core/import/import_control.h"
#include "core/import/logs/nccl_groups.h"
#include "core/import/rank_from_name.h"
#include "core/import/rank_placement.h"
#include "core/import/source_files.h"
#include "core/import/streams/controlled_stream.h"
#include "core/import/streams/tar_archive.h"
#include "core/import/trace_format.h"
#include "core/import/unread_kinds.h"
#include "core/trace/rank_claims.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

// Finds the files; the user may stop it.
Result<SourceFiles> gather(std::span<const fs::path> paths, const ImportOptions& options)
{
    return sourceFilesIn(paths, [&](std::size_t files) {
        return !options.on_progress || options.on_progress({0, 0, 0, static_cast<int>(files)});
    });
}

// Of files that are kept, or of the largest `at_once` of them. Error: the user stopped it.
Result<MemoryNeed> memoryNeed(const SourceFiles& sources, std::size_t at_once, const ImportOptions& options)
{
    constexpr std::size_t asked_every = 64;
    std::vector<std::int64_t> needs;
    for (const SourceFile& file : sources.files) {
        needs.push_back(estimateMemory(file.path));
        if (needs.size() % asked_every == 0 && options.on_progress
            && !options.on_progress({0, 0, 0, static_cast<int>(sources.files.size())}))
            return Error{"stopped"};
    }
    std::ranges::sort(needs, std::ranges::greater{});
    needs.resize(std::min(needs.size(), at_once));
    MemoryNeed need;
    for (const std::int64_t bytes : needs)
        need.needed_bytes += bytes;
    need.available_bytes = availableMemory();
    return need;
}

// The files of one share.
void keepShare(std::vector<SourceFile>& files, const ImportOptions& options)
{
    std::vector<SourceFile> kept;
    for (std::size_t i = options.share; i < files.size(); i += options.shares)
        kept.push_back(std::move(files[i]));
    files = std::move(kept);
}

std::string tooLarge(const MemoryNeed& need)
{
    return "these traces would take about " + formatBytes(static_cast<double>(need.needed_bytes))
           + " of memory and " + formatBytes(static_cast<double>(need.available_bytes))
           + " are free: open fewer ranks at once";
}

struct Outcome {
    TraceFile file;
    bool is_other_file = false;  // no trace at all
    bool is_from_folder = false; // or from an archive
};

std::optional<Rejection> readStream(PeekedStream& stream, ImportControl& control, std::size_t thread,
                                    TraceFile& file, std::vector<TraceFile>& further, bool is_glance)
{
    const std::string_view head = stream.peek(head_bytes);
    if (head.empty())
        return Rejection{stream.damage().empty() ? "the file is empty" : stream.damage()};
    const auto formats = traceFormats();
    const auto format =
        std::ranges::find_if(formats, [&](const TraceFormat& each) { return each.recognises(head); });
    if (format == formats.end())
        return rejectionOfUnknown(head);
    if (is_glance && format->read != readChromeTrace)
        return Rejection{"this format is read as a whole", true};
    file.format = format->name;
    ReadJob job{file.path, stream, control, thread};
    auto rejection = format->read(job, file);
    if (const std::string damage = stream.damage(); !damage.empty()) {
        if (rejection)
            rejection = Rejection{rejection->sentence + " (" + damage + ")"};
        job.warnings.add(damage);
    }
    file.warnings = job.warnings.warnings();
    further = std::move(job.further);
    return rejection;
}

// Asks the names where nothing in the content tells the rank: the file's, then those of its folders. A digest
// that lies elsewhere than its trace keeps what the trace's own folder has told.
void claimRank(TraceFile& file)
{
    const bool is_told = file.rank_is_known && file.rank_guess == RankGuess::none;
    if (is_told || file.rank_guess == RankGuess::order_in_file)
        return;
    const fs::path path(file.path);
    if (const auto rank = rankFromName(path.filename().string())) {
        file.rank = *rank;
        file.rank_guess = RankGuess::none;
        file.rank_is_known = true;
    } else if (const auto folders_rank = rankFromFolders(path)) {
        file.rank = *folders_rank;
        file.rank_guess = RankGuess::folder_name;
        file.rank_is_known = true;
    } else if (!file.rank_is_known) {
        file.rank = 0;
    }
}

// Ranks beyond any cluster's are damage, and what is computed from them would overflow.
void dropImpossibleRanks(TraceFile& file)
{
    const auto isImpossible = [](std::int64_t rank) { return rank < 0 || rank >= most_ranks; };
    std::int64_t dropped = 0;
    if (isImpossible(file.rank)) {
        file.rank = 0;
        file.rank_is_known = false;
        ++dropped;
    }
    if (file.world_size < 0 || file.world_size > most_ranks) {
        file.world_size = 0;
        ++dropped;
    }
    for (ProcessGroup& group : file.groups)
        dropped += static_cast<std::int64_t>(std::erase_if(group.ranks, isImpossible));
    if (dropped > 0)
        file.warnings.push_back({"rank that no cluster has", dropped});
}

// Sets what is alike for all formats.
void complete(TraceFile& file)
{
    dropImpossibleRanks(file);
    if (!file.store)
        file.store = TraceBuilder().finish();
    if (!file.digest) {
        file.slices = static_cast<std::int64_t>(file.store->size());
        file.tracks = static_cast<std::int64_t>(file.store->tracks().size());
    }
    file.status = file.warnings.empty() ? FileStatus::ok : FileStatus::recovered;
    claimRank(file);
}

// Reads one trace and judges what came of it; more than one outcome where a file holds several ranks.
std::vector<Outcome> readTrace(const fs::path& path, PeekedStream& stream, ImportControl& control,
                               std::size_t thread, bool is_glance)
{
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Outcome> outcomes(1);
    TraceFile file;
    file.path = path.string();
    std::vector<TraceFile> further;
    std::optional<Rejection> rejection;
    try {
        rejection = readStream(stream, control, thread, file, further, is_glance);
    } catch (const std::bad_alloc&) {
        rejection = Rejection{"there is not enough memory to read this file"};
    }
    file.load_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (rejection) {
        file.status = FileStatus::rejected;
        file.rejection = rejection->sentence;
        file.store = nullptr;
        outcomes[0].is_other_file = rejection->is_other_file;
        further.clear();
    } else {
        complete(file);
    }
    outcomes[0].file = std::move(file);
    for (TraceFile& rank : further) {
        complete(rank);
        outcomes.push_back({std::move(rank)});
    }
    return outcomes;
}

Outcome rejected(const fs::path& path, std::string sentence)
{
    Outcome outcome;
    outcome.file.path = path.string();
    outcome.file.status = FileStatus::rejected;
    outcome.file.rejection = std::move(sentence);
    return outcome;
}

void tellOf(Outcome& outcome, const ImportOptions& options, const ImportControl& control)
{
    const bool is_left_out = outcome.is_other_file && outcome.is_from_folder;
    if (options.on_read && !control.isStopped() && !is_left_out)
        options.on_read(outcome.file);
    if (options.on_file && !control.isStopped() && outcome.file.store)
        options.on_file(outcome.file);
}

// Every file of an archive, one after another.
std::vector<Outcome> readArchive(const fs::path& path, PeekedStream& stream, const ImportOptions& options,
                                 ImportControl& control, std::size_t thread)
{
    std::vector<Outcome> outcomes;
    TarArchive archive(stream);
    TarMember member;
    while (!control.isStopped() && archive.next(member)) {
        const fs::path inside = memberPath(path, member.name);
        if (member.bytes == 0 || inside.filename().native().starts_with('.'))
            continue;
        const auto inflated = inflateIfCompressed(std::move(member.stream));
        for (Outcome& outcome : readTrace(inside, *inflated, control, thread, false)) {
            outcome.is_from_folder = true;
            tellOf(outcome, options, control);
            outcomes.push_back(std::move(outcome));
        }
    }
    if (!archive.damage().empty())
        outcomes.push_back(rejected(path, archive.damage()));
    else if (outcomes.empty())
        outcomes.push_back(rejected(path, "there is no file in this archive"));
    return outcomes;
}

// By which a file is known to have changed.
struct FileState {
    std::int64_t bytes = 0;
    fs::file_time_type time{};
    bool operator==(const FileState&) const = default;
};

FileState stateOf(const fs::path& path)
{
    std::error_code gone;
    return {bytesOfFile(path), fs::last_write_time(path, gone)};
}

std::vector<Outcome> readFile(const SourceFile& source, const ImportOptions& options, ImportControl& control,
                              std::size_t thread)
{
    std::vector<Outcome> outcomes;
    const FileState before = stateOf(source.path);
    Result<std::unique_ptr<ByteStream>> file = openFile(source.path);
    if (!file) {
        outcomes.push_back(rejected(source.path, file.error().sentence));
        return outcomes;
    }
    const bool is_glance = options.glance_bytes > 0;
    auto bytes = std::make_unique<ControlledStream>(std::move(file).value(), control);
    const auto stream = inflateIfCompressed(is_glance ? beginningOf(std::move(bytes), options.glance_bytes)
                                                      : std::move(bytes));
    if (TarArchive::recognises(stream->peek(head_bytes)))
        return is_glance ? outcomes : readArchive(source.path, *stream, options, control, thread);
    outcomes = readTrace(source.path, *stream, control, thread, is_glance);
    const bool has_changed = stateOf(source.path) != before;
    for (Outcome& outcome : outcomes) {
        outcome.is_from_folder = source.is_from_folder;
        if (TraceFile& read = outcome.file; read.status != FileStatus::rejected && has_changed) {
            read.warnings.push_back({"file that changed while it was read: open it again", 1});
            read.status = FileStatus::recovered;
        }
        tellOf(outcome, options, control);
    }
    return outcomes;
}

// Reads a file, unless something stands for it.
std::vector<Outcome> outcomesOf(const SourceFile& source, const ImportOptions& options,
                                ImportControl& control, std::size_t thread)
{
    if (options.instead) {
        if (std::optional<TraceFile> file = options.instead(source.path)) {
            control.addBytes(source.bytes);
            std::vector<Outcome> outcomes(1);
            outcomes[0].file = *std::move(file);
            // The folder may have another name by now.
            outcomes[0].file.rank_is_known &= outcomes[0].file.rank_guess == RankGuess::none;
            outcomes[0].file.rank_guess = RankGuess::none;
            claimRank(outcomes[0].file);
            return outcomes;
        }
    }
    return readFile(source, options, control, thread);
}

// What was read, in the order of the files.
TraceSet setOf(std::vector<std::vector<Outcome>> outcomes)
{
    TraceSet set;
    std::int64_t left_out = 0;
    for (std::vector<Outcome>& of_file : outcomes) {
        for (Outcome& outcome : of_file) {
            if (outcome.is_other_file && outcome.is_from_folder)
                ++left_out;
            else
                set.files.push_back(std::move(outcome.file));
        }
    }
    if (left_out > 0)
        set.warnings.push_back({"file of the folder that is no trace",
                                left_out,
                                {},
                                countedSentence(left_out, "One file of the folder is no trace.",
                                                "# files of the folder are no traces."),
                                WarningOf::no_traces});
    return set;
}

// `left_out`: of the folders.
Error nothingRead(std::span<const fs::path> paths, const std::vector<TraceFile>& files,
                  const std::vector<ImportWarning>& left_out)
{
    if (files.empty()) {
        std::string sentence = (paths.empty() ? std::string("no path was given") : paths[0].string())
                               + ": there is no trace in it";
        for (const ImportWarning& warning : left_out)
            sentence += (&warning == &left_out.front() ? ". " : " ") + warning.sentence;
        return Error{sentence};
    }
    std::string sentence = files[0].path + ": " + files[0].rejection;
    if (files.size() > 1)
        sentence += files.size() == 2
                        ? " (and 1 more file that cannot be read)"
                        : " (and " + std::to_string(files.size() - 1) + " more files that cannot be read)";
    return Error{sentence};
}

} // namespace

Result<ImportSize> importSize(std::span<const fs::path> paths, const ImportOptions& options)
{
    const Result<SourceFiles> sources = gather(paths, options);
    if (!sources)
        return sources.error();
    const std::size_t count = sources.value().files.size();
    const Result<MemoryNeed> need = memoryNeed(sources.value(), count, options);
    if (!need)
        return need.error();
    return ImportSize{static_cast<int>(count), sources.value().bytes(), need.value()};
}

Result<TraceSet> importTraces(std::span<const fs::path> paths, const ImportOptions& options)
{
    Result<SourceFiles> gathered = gather(paths, options);
    if (!gathered)
        return gathered.error();
    SourceFiles& sources = gathered.value();
    keepShare(sources.files, options);
    const std::size_t count = sources.files.size();
    ImportControl control(options, sources.bytes(), static_cast<int>(count));
    if (options.glance_bytes == 0) {
        const Result<MemoryNeed> need =
            memoryNeed(sources, options.on_read ? control.threads() : count, options);
        if (!need)
            return need.error();
        if (!need.value().fits() && !(options.on_memory_need && options.on_memory_need(need.value())))
            return Error{tooLarge(need.value())};
    }
    std::vector<std::vector<Outcome>> outcomes(count);
    control.runFiles(static_cast<int>(count), [&](std::size_t thread, int index) {
        const auto row = static_cast<std::size_t>(index);
        if (!control.isStopped())
            outcomes[row] = outcomesOf(sources.files[row], options, control, thread);
    });
    if (control.isStopped())
        return Error{"stopped"};

    TraceSet set = setOf(std::move(outcomes));
    if (options.shares == 1 && std::ranges::all_of(set.files, [](const TraceFile& f) {
            return f.status == FileStatus::rejected;
        }))
        return nothingRead(paths, set.files, sources.left_out);
    if (options.share == 0)
        std::ranges::move(sources.left_out, std::back_inserter(set.warnings));
    placeRanks(set);
    if (options.shares == 1) // else the others' members are not there
        findMembersOfNcclGroups(set);
    noteRanks(set);
    return set;
}

} // namespace shardscope
