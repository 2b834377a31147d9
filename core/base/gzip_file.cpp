#include "core/base/gzip_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

Error notWritten()
{
    return {"the file cannot be written; is there room, and may you write in that folder?"};
}

} // namespace

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

GzipFile::GzipFile(fs::path file, bool compressed)
    : m_file{std::move(file)}, m_part{m_file}, m_deflater{compressed ? std::make_unique<Deflater>() : nullptr}
{
    m_part += ".part";
    m_stream.open(m_part, std::ios::binary);
}

GzipFile::GzipFile(GzipFile&& other) noexcept
    : m_file{std::move(other.m_file)},
      m_part{std::exchange(other.m_part, {})},
      m_stream{std::move(other.m_stream)},
      m_deflater{std::move(other.m_deflater)}
{
}

GzipFile::~GzipFile()
{
    if (m_part.empty())
        return;
    m_stream.close();
    std::error_code ignored;
    fs::remove(m_part, ignored);
}

Result<GzipFile> GzipFile::create(const fs::path& file)
{
    std::error_code ignored;
    if (fs::is_directory(file, ignored))
        return Error{"this is a folder; name a file in it"};
    GzipFile made{file, file.extension() == ".gz"};
    if (!made.m_stream || (made.m_deflater && !made.m_deflater->is_ready))
        return notWritten();
    return made;
}

void GzipFile::write(std::string_view text)
{
    if (!m_deflater) {
        m_stream << text;
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
        m_stream.write(buffer.data(), static_cast<std::streamsize>(buffer.size() - stream.avail_out));
    } while (stream.avail_out == 0);
}

Result<bool> GzipFile::finish()
{
    if (m_deflater)
        flush(Z_FINISH);
    m_stream.close();
    std::error_code problem;
    if (m_stream)
        fs::rename(m_part, m_file, problem);
    if (!m_stream || problem)
        return notWritten();
    m_part.clear();
    return true;
}

} // namespace shardscope
