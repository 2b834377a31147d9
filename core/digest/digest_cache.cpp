#include "core/digest/digest_cache.h"

#include "core/analysis/digest/digest.h"
#include "core/base/file.h"
#include "core/base/user_folders.h"
#include "core/digest/file_stamp.h"
#include "core/import/digest_file.h"

#include <cstdint>
#include <memory>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

// Smaller ones are read as fast as their digests.
constexpr std::int64_t worth_keeping_bytes = std::int64_t{256} << 10;

bool keep(const fs::path& place, const std::string& bytes)
{
    std::error_code ignored;
    fs::create_directories(place.parent_path(), ignored);
    return static_cast<bool>(replaceFile(place, bytes));
}

} // namespace

std::vector<fs::path> digestPlaces(const fs::path& trace)
{
    std::error_code error;
    const fs::path full = fs::absolute(trace, error);
    std::vector<fs::path> places{full.parent_path() / ("." + full.filename().string() + ".digest")};
    if (const auto cache = userCacheFolder())
        places.push_back(*cache / "digests" / (full.relative_path() += ".digest"));
    return places;
}

DigestCache::DigestCache(const ClassificationRules& rules) : m_rules{rules}, m_mark{rulesMark(rules)} {}

std::optional<TraceFile> DigestCache::find(const fs::path& trace) const
{
    const auto stamp = stampOf(trace);
    if (!stamp || stamp->bytes < worth_keeping_bytes)
        return std::nullopt;
    for (const fs::path& place : digestPlaces(trace)) {
        Result<TraceFile> read = readDigestFile(place);
        if (!read)
            continue;
        TraceFile& file = read.value();
        const TraceDigest& digest = *file.digest;
        if (*stamp != FileStamp{digest.source_bytes, digest.source_modified_ns} || digest.rules != m_mark
            || digest.version != digest_version || !file.rejection.empty())
            continue;
        file.path = trace.string();
        file.status = file.warnings.empty() ? FileStatus::ok : FileStatus::recovered;
        return std::move(file);
    }
    return std::nullopt;
}

void DigestCache::replace(TraceFile& file) const
{
    if (file.digest || file.status == FileStatus::rejected)
        return;
    const auto stamp = stampOf(file.path);
    TraceFile small = digestOf(file, m_rules);
    if (stamp) {
        auto digest = std::make_shared<TraceDigest>(*small.digest);
        std::error_code error;
        digest->source_path = fs::absolute(file.path, error).string();
        digest->source_bytes = stamp->bytes;
        digest->source_modified_ns = stamp->modified_ns;
        small.digest = std::move(digest);
        if (stamp->bytes >= worth_keeping_bytes) {
            const std::string bytes = encodeDigest(small);
            for (const fs::path& place : digestPlaces(file.path))
                if (keep(place, bytes))
                    break;
        }
    }
    file = std::move(small);
}

} // namespace shardscope
