#include "core/import/source_files.h"

#include "core/base/format.h"
#include "core/import/rank_from_name.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

constexpr std::size_t asked_every = 256; // entries of folders

enum class LeftOut : std::uint8_t {
    special_entry,
    linked_folder,
    dead_link,
    kernel_folder,
    closed_folder,
    other_name
};

// What is counted, and the sentences that say it of one and of several; "#" is their number.
struct LeftOutWords {
    std::string_view what;
    std::string_view one;
    std::string_view several;
};

LeftOutWords wordsOf(LeftOut kind)
{
    switch (kind) {
    case LeftOut::special_entry:
        return {"pipe, socket or device of the folder, which is no file",
                "One entry of the folder is a pipe, socket or device and was left out.",
                "# entries of the folder are pipes, sockets or devices and were left out."};
    case LeftOut::linked_folder:
        return {"linked folder that was not entered: name it to open it too",
                "One linked folder was not entered: name it to open it too.",
                "# linked folders were not entered: name them to open them too."};
    case LeftOut::dead_link:
        return {"link of the folder that leads nowhere", "One link of the folder leads nowhere.",
                "# links of the folder lead nowhere."};
    case LeftOut::kernel_folder:
        return {"folder that the kernel makes up, not entered",
                "One folder that the kernel makes up was not entered.",
                "# folders that the kernel makes up were not entered."};
    case LeftOut::closed_folder:
        return {"folder that cannot be read", "One folder cannot be read.", "# folders cannot be read."};
    case LeftOut::other_name:
        break;
    }
    return {"other name of a file that is read already", "One file has two names and was read once.",
            "# names are those of files that were read already."};
}

Error stopped()
{
    return Error{"stopped"};
}

// Whether a path lies in a file system that the kernel makes up.
bool isMadeUpByKernel(const fs::path& path)
{
    constexpr std::array<std::int64_t, 13> kinds{
        PROC_SUPER_MAGIC,    SYSFS_MAGIC,        DEBUGFS_MAGIC, TRACEFS_MAGIC,  CGROUP_SUPER_MAGIC,
        CGROUP2_SUPER_MAGIC, DEVPTS_SUPER_MAGIC, BPF_FS_MAGIC,  PSTOREFS_MAGIC, EFIVARFS_MAGIC,
        BINFMTFS_MAGIC,      SECURITYFS_MAGIC,   SELINUX_MAGIC};
    struct statfs system {
    };
    if (statfs(path.c_str(), &system) != 0)
        return false;
    return std::ranges::find(kinds, static_cast<std::int64_t>(system.f_type)) != kinds.end();
}

// Walks through one folder.
class FolderWalk
{
public:
    FolderWalk(const std::function<bool(std::size_t)>& go_on, std::size_t files_before)
        : m_go_on(go_on), m_files_before(files_before)
    {
    }

    // False when it was stopped.
    bool enter(const fs::path& folder);
    // By path.
    std::vector<fs::path> files();
    const std::map<LeftOut, std::int64_t>& leftOut() const { return m_left_out; }

private:
    bool readFolder(const fs::path& folder);
    void take(const fs::directory_entry& entry);
    bool goOn();

    const std::function<bool(std::size_t)>& m_go_on;
    std::size_t m_files_before;
    std::size_t m_entries = 0;
    std::vector<fs::path> m_files;
    std::vector<fs::path> m_folders; // still to be entered
    std::map<LeftOut, std::int64_t> m_left_out;
};

bool FolderWalk::enter(const fs::path& folder)
{
    m_folders.push_back(folder);
    while (!m_folders.empty()) {
        const fs::path next = std::move(m_folders.back());
        m_folders.pop_back();
        if (isMadeUpByKernel(next))
            ++m_left_out[LeftOut::kernel_folder];
        else if (!readFolder(next))
            return false;
    }
    return true;
}

bool FolderWalk::readFolder(const fs::path& folder)
{
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
        if (!goOn())
            return false;
        take(*entry);
    }
    if (error)
        ++m_left_out[LeftOut::closed_folder];
    return true;
}

void FolderWalk::take(const fs::directory_entry& entry)
{
    if (entry.path().filename().native().starts_with('.'))
        return;
    std::error_code error;
    const bool is_link = entry.is_symlink(error);
    const fs::file_status status = entry.status(error);
    if (fs::is_regular_file(status))
        m_files.push_back(entry.path());
    else if (fs::is_directory(status) && !is_link)
        m_folders.push_back(entry.path());
    else
        ++m_left_out[fs::is_directory(status)         ? LeftOut::linked_folder
                     : is_link && !fs::exists(status) ? LeftOut::dead_link
                                                      : LeftOut::special_entry];
}

bool FolderWalk::goOn()
{
    return ++m_entries % asked_every != 0 || !m_go_on || m_go_on(m_files_before + m_files.size());
}

std::vector<fs::path> FolderWalk::files()
{
    std::ranges::sort(m_files);
    return std::move(m_files);
}

std::optional<std::string> refusalOf(const fs::path& path)
{
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
        return "there is no such file or folder; check whether it was moved or renamed";
    if (!fs::is_directory(status) && !fs::is_regular_file(status))
        return "this is neither a file nor a folder: save what comes from it as a file";
    if (isMadeUpByKernel(path))
        return "this is made up by the kernel and lies on no disk: name the folder that holds the traces";
    return std::nullopt;
}

// By which a file is the same under all its names.
struct FileIdentity {
    dev_t device = 0;
    ino_t number = 0;
    auto operator<=>(const FileIdentity&) const = default;
};

std::optional<FileIdentity> identityOf(const fs::path& path)
{
    struct stat file {
    };
    if (stat(path.c_str(), &file) != 0)
        return std::nullopt;
    return FileIdentity{file.st_dev, file.st_ino};
}

// What in a path may tell a rank.
struct ToldNumbers {
    std::string of_name; // its digits
    std::optional<std::int64_t> of_folders;

    explicit ToldNumbers(const fs::path& path) : of_folders(rankFromFolders(path))
    {
        for (const char letter : path.filename().string())
            if (letter >= '0' && letter <= '9')
                of_name += letter;
    }
    bool differFrom(const ToldNumbers& other) const
    {
        return (!of_name.empty() && !other.of_name.empty() && of_name != other.of_name)
               || (of_folders && other.of_folders && of_folders != other.of_folders);
    }
};

// Leaves out links to files that are there themselves, and further names of one file. Names that may tell
// different ranks count: someone puts a run together of few files. Answers how many were left out.
std::int64_t dropOtherNames(std::vector<SourceFile>& files)
{
    std::map<FileIdentity, std::vector<ToldNumbers>> kept;
    std::set<fs::path> dropped;
    for (const bool are_links : {false, true}) { // what is linked comes first
        for (const SourceFile& file : files) {
            std::error_code error;
            const auto identity = identityOf(file.path);
            if (!identity || fs::is_symlink(file.path, error) != are_links)
                continue;
            const ToldNumbers told(file.path);
            std::vector<ToldNumbers>& names = kept[*identity];
            if (std::ranges::all_of(names, [&](const ToldNumbers& name) { return name.differFrom(told); }))
                names.push_back(told);
            else
                dropped.insert(file.path);
        }
    }
    std::erase_if(files, [&](const SourceFile& file) { return dropped.contains(file.path); });
    return static_cast<std::int64_t>(dropped.size());
}

} // namespace

std::int64_t bytesOfFile(const fs::path& path)
{
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    return error ? 0 : static_cast<std::int64_t>(bytes);
}

std::vector<RefusedPath> refusedPaths(std::span<const fs::path> paths)
{
    std::vector<RefusedPath> refused;
    for (const fs::path& path : paths) {
        if (std::optional<std::string> why = refusalOf(path))
            refused.push_back({path, *std::move(why)});
    }
    return refused;
}

Error refusal(std::span<const RefusedPath> refused)
{
    std::string sentence = refused.front().path.string() + ": " + refused.front().why;
    std::string others;
    for (const RefusedPath& other : refused.subspan(1))
        others += (others.empty() ? " (the same of " : ", ") + other.path.string();
    return Error{sentence + others + (others.empty() ? "" : ")")};
}

std::int64_t SourceFiles::bytes() const
{
    return std::accumulate(files.begin(), files.end(), std::int64_t{0},
                           [](std::int64_t sum, const SourceFile& file) { return sum + file.bytes; });
}

Result<SourceFiles> sourceFilesIn(std::span<const fs::path> paths,
                                  const std::function<bool(std::size_t)>& go_on)
{
    if (const std::vector<RefusedPath> refused = refusedPaths(paths); !refused.empty())
        return refusal(refused);
    SourceFiles found;
    std::set<fs::path> seen;
    std::map<LeftOut, std::int64_t> left_out;
    const auto add = [&](const fs::path& path, bool is_from_folder) {
        if (seen.insert(path).second)
            found.files.push_back({path, bytesOfFile(path), is_from_folder});
    };
    for (const fs::path& path : paths) {
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            add(path, false);
            continue;
        }
        FolderWalk walk(go_on, found.files.size());
        if (!walk.enter(path))
            return stopped();
        for (const fs::path& file : walk.files())
            add(file, true);
        for (const auto& [kind, count] : walk.leftOut())
            left_out[kind] += count;
    }
    if (const std::int64_t dropped = dropOtherNames(found.files); dropped > 0)
        left_out[LeftOut::other_name] += dropped;
    for (const auto& [kind, count] : left_out) {
        const LeftOutWords words = wordsOf(kind);
        found.left_out.push_back(
            {std::string{words.what}, count, {}, countedSentence(count, words.one, words.several)});
    }
    return found;
}

} // namespace shardscope
