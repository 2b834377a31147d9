#include "app/cli/digest_command.h"

#include "app/cli/command.h"
#include "app/cli/exit_status.h"
#include "app/cli/processes.h"
#include "app/cli/progress_line.h"
#include "app/cli/trace_arguments.h"
#include "core/base/format.h"
#include "core/digest/digest_share.h"

#include <filesystem>

namespace shardscope
{

namespace
{

DigestShare ownShare(const Arguments& arguments, const ClassificationRules& rules, const Processes& processes)
{
    ImportOptions options = importOptionsOf(arguments);
    options.share = static_cast<std::size_t>(processes.index());
    options.shares = static_cast<std::size_t>(processes.count());
    // Several processes on one machine share its cores; mpirun binds each to its own.
    options.threads = processes.count() > 1 ? 1 : 0;
    ProgressLine line;
    if (processes.count() == 1)
        options.on_progress = [&line](const ImportProgress& progress) { return line.show(progress); };
    return digestFolder(arguments.paths.front(), arguments.valueOf("-o"), rules, options);
}

int save(const DigestShare& all, const Arguments& arguments)
{
    const std::string out = arguments.valueOf("-o");
    if (!all.error.empty())
        return fail(exit_bad_input, all.error);
    std::int64_t rejected = 0;
    std::int64_t bytes = 0;
    for (const NamedDigest& digest : all.digests) {
        bytes += static_cast<std::int64_t>(digest.bytes.size());
        if (digest.rejection.empty())
            continue;
        ++rejected;
        warn(arguments.paths.front() + "/" + digest.name + ": " + digest.rejection);
    }
    if (all.left_out > 0)
        warn(std::to_string(all.left_out) + (all.left_out == 1 ? " file" : " files")
             + " of the folder are no traces");
    if (const auto saved = writeDigests(out, all.digests); !saved)
        return fail(exit_bad_input, out + ": " + saved.error().sentence);
    return print(std::to_string(static_cast<std::int64_t>(all.digests.size()) - rejected) + " digests, "
                 + formatBytes(static_cast<double>(bytes)) + ", in " + out + '\n');
}

} // namespace

int digestCommand(const Arguments& arguments)
{
    const std::string usage = "; usage: " + usageOf(*commandNamed("digest"));
    if (arguments.paths.size() != 1)
        return fail(exit_wrong_usage, "digest needs one folder of traces" + usage);
    if (!arguments.has("-o"))
        return fail(exit_wrong_usage, "digest needs -o with the file to write" + usage);
    const Result<ClassificationRules> rules = rulesOf(arguments);
    if (!rules)
        return fail(exit_bad_input, rules.error().sentence);
    std::error_code error;
    if (std::filesystem::is_directory(arguments.valueOf("-o"), error))
        return fail(exit_bad_input, arguments.valueOf("-o") + ": this is a folder; name a file to write");

    const Processes processes;
    const DigestShare own = ownShare(arguments, rules.value(), processes);
    const std::vector<std::string> gathered = processes.gather(encodeShare(own));
    if (processes.index() != 0)
        return exit_done;
    std::vector<DigestShare> shares;
    for (const std::string& bytes : gathered)
        shares.push_back(decodeShare(bytes));
    return save(mergeShares(std::move(shares)), arguments);
}

} // namespace shardscope
