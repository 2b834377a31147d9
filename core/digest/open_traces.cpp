#include "core/digest/open_traces.h"

#include "core/base/format.h"
#include "core/digest/digest_cache.h"

#include <algorithm>
#include <string>

namespace shardscope
{

namespace
{

constexpr int many_files = 64;

} // namespace

ImportWarning digestWarning(WarningOf of, std::int64_t digests)
{
    const std::string why =
        of == WarningOf::quick_digests ? ", to be quick" : ", as memory would not suffice for all";
    return {"file read as a digest" + why + ": read it in full to see every event",
            digests,
            {},
            countedSentence(digests, "One file was read as a digest", "# files were read as digests") + why
                + countedSentence(digests, ": read it in full to see every event.",
                                  ": read them in full to see every event."),
            of};
}

Result<TraceSet> openTraces(std::span<const std::filesystem::path> paths, TraceDetail detail,
                            const ClassificationRules& rules, ImportOptions options)
{
    const Result<ImportSize> size = importSize(paths, options);
    if (!size)
        return size.error();
    const bool fits = size.value().need.fits();
    const bool is_quick = detail == TraceDetail::quick && size.value().files > many_files;
    if (detail == TraceDetail::events || size.value().files < 2 || (fits && !is_quick))
        return importTraces(paths, options);
    const DigestCache cache{rules};
    options.instead = [&](const std::filesystem::path& path) { return cache.find(path); };
    options.on_read = [&](TraceFile& file) { cache.replace(file); };
    Result<TraceSet> traces = importTraces(paths, options);
    if (traces) {
        const auto digests = std::ranges::count_if(
            traces.value().files, [](const TraceFile& file) { return file.digest != nullptr; });
        traces.value().warnings.push_back(
            digestWarning(fits ? WarningOf::quick_digests : WarningOf::fitting_digests, digests));
    }
    return traces;
}

} // namespace shardscope
