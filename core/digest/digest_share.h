#pragma once

#include "core/analysis/classification/classification.h"
#include "core/digest/digest_archive.h"
#include "core/import/importer.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// What one of several processes has found in its share of a folder's traces.
struct DigestShare {
    std::string error;                // why there is nothing
    std::vector<NamedDigest> digests; // by name, rejected traces too
    std::int64_t left_out = 0;        // files that are no traces
};

// Reads the traces of a folder, or those of them that the options make this process's share, and makes a
// digest of each, of which earlier runs may have left some. `out`, which may lie in the folder, is no trace.
DigestShare digestFolder(const std::filesystem::path& folder, const std::filesystem::path& out,
                         const ClassificationRules& rules, ImportOptions options);

// A share on its way between processes. Damaged bytes, which only our own mistake could make, are an error in
// the share.
std::string encodeShare(const DigestShare& share);
DigestShare decodeShare(std::string_view bytes);

// All shares as one. Its error is the first one's, or says that not one trace could be read.
DigestShare mergeShares(std::vector<DigestShare> shares);

} // namespace shardscope
