#include "core/base/gzip_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

namespace shardscope
{

namespace fs = std::filesystem;

struct GzipFile::Deflater {
    static constexpr int with_gzip_header = 15 + 16; // window of 32 KiB, and gzip's frame around it

    Deflater()
    {
        is_ready =
            deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, with_gzip_header, 8, Z_DEFAULT_STRATEGY)
            == Z_OK;
    }
    ~Deflater() { deflateEnd(&stream); }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    z_stream stream{};
    bool is_ready = false;
};

GzipFile::GzipFile(NewFile file, bool compressed)
    : m_file{std::move(file)}, m_deflater{compressed ? std::make_unique<Deflater>() : nullptr}
{
}

GzipFile::GzipFile(GzipFile&&) noexcept = default;
GzipFile::~GzipFile() = default;

Result<GzipFile> GzipFile::create(const fs::path& file)
{
    Result<NewFile> made = NewFile::create(file);
    if (!made)
        return made.error();
    GzipFile compressed{std::move(made).value(), file.extension() == ".gz"};
    if (compressed.m_deflater && !compressed.m_deflater->is_ready)
        return Error{"the file cannot be compressed"};
    return compressed;
}

void GzipFile::write(std::string_view text)
{
    if (!m_deflater) {
        m_file.write(text);
        return;
    }
    // zlib counts in 32 bits and never writes to its input.
    constexpr std::size_t most = 1U << 30U;
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), most))) {
        z_stream& stream = m_deflater->stream;
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
        stream.avail_in = static_cast<uInt>(std::min(text.size(), most));
        flush(Z_NO_FLUSH);
    }
}

void GzipFile::flush(int mode)
{
    std::array<char, 64 * 1024> buffer; // written before it is read
    z_stream& stream = m_deflater->stream;
    do {
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = static_cast<uInt>(buffer.size());
        deflate(&stream, mode);
        m_file.write({buffer.data(), buffer.size() - stream.avail_out});
    } while (stream.avail_out == 0);
}

Result<bool> GzipFile::finish()
{
    if (m_deflater)
        flush(Z_FINISH);
    return m_file.finish();
}

} // namespace shardscope
