#include "core/import/memory_need.h"

#include "core/import/streams/tar_archive.h"
#include "core/import/trace_format.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

// Measured with PyTorch's traces with stacks and shapes: 250 to 320 bytes of text an event, 90 bytes in
// memory while it is read; gzip makes 13 to 18 times less of the text.
constexpr double memory_of_text = 0.35;
constexpr double usual_ratio = 15.0;
constexpr std::uintmax_t worth_a_look_bytes = std::uintmax_t{16} << 20;

// The last four bytes of a gzip file: the size of its last member, modulo 4 GiB.
std::int64_t toldByGzip(std::ifstream& file)
{
    std::array<unsigned char, 4> bytes{};
    file.seekg(-4, std::ios::end);
    file.read(reinterpret_cast<char*>(bytes.data()), bytes.size());
    std::int64_t size = 0;
    for (std::size_t i = bytes.size(); i > 0; --i)
        size = size * 256 + bytes[i - 1];
    return file ? size : 0;
}

double inflatedBytes(const fs::path& path, double bytes)
{
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4> magic{};
    file.read(magic.data(), magic.size());
    const std::string_view head(magic.data(), magic.size());
    if (head.starts_with("\x1f\x8b")) {
        const auto told = static_cast<double>(toldByGzip(file));
        // A number below what the file holds itself has lost a multiple of 4 GiB, or is one member's of many.
        return told >= bytes ? told : bytes * usual_ratio;
    }
    const bool is_zstd = head == "\x28\xb5\x2f\xfd";
    return is_zstd ? bytes * usual_ratio : bytes;
}

// A checkpoint beside the traces is large, but is not read.
bool mayBeTrace(const fs::path& path)
{
    Result<std::unique_ptr<ByteStream>> file = openFile(path);
    if (!file)
        return false;
    const auto stream = inflateIfCompressed(std::move(file).value());
    const std::string_view head = stream->peek(head_bytes);
    return TarArchive::recognises(head)
           || std::ranges::any_of(traceFormats(),
                                  [&](const TraceFormat& format) { return format.recognises(head); });
}

// A number behind a word of a text such as /proc/meminfo; -1 where there is none.
std::int64_t numberIn(const char* path, std::string_view word)
{
    std::ifstream file(path);
    std::string token;
    while (!word.empty() && file >> token && token != word) {
    }
    std::int64_t number = -1;
    return file >> number ? number : -1;
}

} // namespace

std::int64_t estimateMemory(const fs::path& path)
{
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    if (error)
        return 0;
    if (bytes >= worth_a_look_bytes && !mayBeTrace(path))
        return 0;
    return static_cast<std::int64_t>(inflatedBytes(path, static_cast<double>(bytes)) * memory_of_text);
}

std::int64_t availableMemory()
{
    std::int64_t available = std::numeric_limits<std::int64_t>::max();
    if (const std::int64_t kib = numberIn("/proc/meminfo", "MemAvailable:"); kib >= 0)
        available = kib * 1024;
    // The limit of a container, control groups version 2; "max" is no number.
    const std::int64_t limit = numberIn("/sys/fs/cgroup/memory.max", "");
    const std::int64_t used = numberIn("/sys/fs/cgroup/memory.current", "");
    const std::int64_t cached =
        std::max<std::int64_t>(numberIn("/sys/fs/cgroup/memory.stat", "inactive_file"), 0);
    if (limit >= 0 && used >= 0)
        available = std::min(available, std::max<std::int64_t>(limit - used + cached, 0));
    return available;
}

} // namespace shardscope
