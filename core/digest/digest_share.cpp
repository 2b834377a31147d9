#include "core/digest/digest_share.h"

#include "core/base/protobuf_fields.h"
#include "core/digest/digest_cache.h"
#include "core/import/digest_file.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardscope
{

namespace fs = std::filesystem;

void fields(auto& codec, Like<NamedDigest> auto& digest)
{
    codec(1, digest.name);
    codec(2, digest.modified_s);
    codec(3, digest.bytes);
    codec(4, digest.rejection);
}

void fields(auto& codec, Like<DigestShare> auto& share)
{
    codec(1, share.error);
    codec(2, share.digests);
    codec(3, share.left_out);
}

namespace
{

bool liesIn(const std::string& path, const std::string& folder)
{
    return path == folder || path.starts_with(folder + "/");
}

NamedDigest named(const TraceFile& file, const fs::path& folder)
{
    NamedDigest digest;
    digest.name = fs::path(file.path).lexically_relative(folder).string();
    if (digest.name.empty() || digest.name == ".")
        digest.name = fs::path(file.path).filename().string();
    digest.modified_s = file.digest ? file.digest->source_modified_ns / 1'000'000'000 : 0;
    digest.bytes = encodeDigest(file);
    digest.rejection = file.rejection;
    return digest;
}

bool isRejected(const NamedDigest& digest)
{
    return !digest.rejection.empty();
}

} // namespace

DigestShare digestFolder(const fs::path& folder, const fs::path& out, const ClassificationRules& rules,
                         ImportOptions options)
{
    const DigestCache cache{rules};
    options.instead = [&](const fs::path& path) { return cache.find(path); };
    options.on_read = [&](TraceFile& file) { cache.replace(file); };
    DigestShare share;
    const Result<TraceSet> traces = importTraces({&folder, 1}, options);
    if (!traces) {
        share.error = traces.error().sentence;
        return share;
    }
    std::error_code error;
    const std::string own = fs::weakly_canonical(out, error).string();
    for (const TraceFile& file : traces.value().files)
        if (!liesIn(fs::weakly_canonical(file.path, error).string(), own))
            share.digests.push_back(named(file, folder));
    std::ranges::sort(share.digests, {}, &NamedDigest::name);
    for (const ImportWarning& warning : traces.value().warnings)
        if (warning.of == WarningOf::no_traces)
            share.left_out += warning.count;
    return share;
}

std::string encodeShare(const DigestShare& share)
{
    ProtoFieldWriter writer;
    fields(writer, share);
    return writer.bytes();
}

DigestShare decodeShare(std::string_view bytes)
{
    DigestShare share;
    ProtoFieldReader reader(bytes);
    fields(reader, share);
    if (reader.isDamaged())
        share.error = "what another process has sent is damaged; are all of the same version?";
    return share;
}

DigestShare mergeShares(std::vector<DigestShare> shares)
{
    DigestShare all;
    for (DigestShare& share : shares) {
        if (all.error.empty())
            all.error = std::move(share.error);
        std::ranges::move(share.digests, std::back_inserter(all.digests));
        all.left_out += share.left_out;
    }
    std::ranges::sort(all.digests, {}, &NamedDigest::name);
    if (all.error.empty() && std::ranges::all_of(all.digests, isRejected))
        all.error = all.digests.empty() ? std::string("there is no trace in this folder")
                                        : all.digests[0].name + ": " + all.digests[0].rejection;
    return all;
}

} // namespace shardscope
