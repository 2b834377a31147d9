#include "core/import/streams/byte_stream.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace shardscope
{

namespace
{

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

class FileStream final : public ByteStream
{
public:
    explicit FileStream(std::FILE* file) : m_file(file)
    {
        std::setvbuf(file, nullptr, _IONBF, 0); // the readers ask for large pieces
    }

    std::size_t read(std::span<char> into) override
    {
        const std::size_t got = std::fread(into.data(), 1, into.size(), m_file.get());
        m_bytes += static_cast<std::int64_t>(got);
        if (got < into.size() && std::ferror(m_file.get()) != 0)
            m_damage = "the file could not be read to its end: "
                       + std::error_code(errno, std::generic_category()).message();
        return got;
    }

    void skip(std::int64_t bytes) override
    {
        if (fseeko(m_file.get(), static_cast<off_t>(bytes), SEEK_CUR) == 0)
            m_bytes += bytes;
        else
            ByteStream::skip(bytes); // a pipe
    }

    std::int64_t bytesOfFile() const override { return m_bytes; }
    std::string damage() const override { return m_damage; }

private:
    std::unique_ptr<std::FILE, CloseFile> m_file;
    std::int64_t m_bytes = 0;
    std::string m_damage;
};

class CutStream final : public ByteStream
{
public:
    CutStream(std::unique_ptr<ByteStream> source, std::int64_t bytes)
        : m_source(std::move(source)), m_left(bytes)
    {
    }
    std::size_t read(std::span<char> into) override
    {
        const auto wanted = std::min(static_cast<std::int64_t>(into.size()), m_left);
        const std::size_t got = m_source->read(into.first(static_cast<std::size_t>(wanted)));
        m_left -= static_cast<std::int64_t>(got);
        return got;
    }
    std::int64_t bytesOfFile() const override { return m_source->bytesOfFile(); }
    std::string damage() const override { return m_source->damage(); }

private:
    std::unique_ptr<ByteStream> m_source;
    std::int64_t m_left;
};

} // namespace

std::unique_ptr<ByteStream> beginningOf(std::unique_ptr<ByteStream> source, std::int64_t bytes)
{
    return std::make_unique<CutStream>(std::move(source), bytes);
}

void ByteStream::skip(std::int64_t bytes)
{
    std::vector<char> unwanted(std::size_t{1} << 20);
    while (bytes > 0) {
        const auto wanted = std::min(bytes, static_cast<std::int64_t>(unwanted.size()));
        const std::size_t got = read(std::span(unwanted).first(static_cast<std::size_t>(wanted)));
        if (got == 0)
            return;
        bytes -= static_cast<std::int64_t>(got);
    }
}

std::string_view PeekedStream::peek(std::size_t bytes)
{
    const std::size_t had = m_head.size();
    if (had < bytes) {
        m_head.resize(bytes);
        m_head.resize(had + m_source->read(std::span(m_head).subspan(had)));
    }
    return {m_head.data(), std::min(bytes, m_head.size())};
}

std::size_t PeekedStream::read(std::span<char> into)
{
    const std::size_t peeked = std::min(into.size(), m_head.size() - m_used);
    if (peeked > 0) {
        std::memcpy(into.data(), m_head.data() + m_used, peeked);
        m_used += peeked;
        if (m_used == m_head.size()) {
            std::vector<char>().swap(m_head);
            m_used = 0;
        }
    }
    return peeked == into.size() ? peeked : peeked + m_source->read(into.subspan(peeked));
}

void PeekedStream::skip(std::int64_t bytes)
{
    const auto peeked = std::min(bytes, static_cast<std::int64_t>(m_head.size() - m_used));
    m_used += static_cast<std::size_t>(peeked);
    if (bytes > peeked)
        m_source->skip(bytes - peeked);
}

Result<std::unique_ptr<ByteStream>> openFile(const std::filesystem::path& path)
{
    // Opening a pipe would wait for somebody who writes into it.
    const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "rb");
    if (file == nullptr)
        return Error{"the file cannot be opened: "
                     + std::error_code(errno, std::generic_category()).message()};
    return std::unique_ptr<ByteStream>(std::make_unique<FileStream>(file));
}

std::unique_ptr<PeekedStream> inflateIfCompressed(std::unique_ptr<ByteStream> source)
{
    constexpr int most_layers = 3; // an archive of files that are compressed themselves has two
    auto peeked = std::make_unique<PeekedStream>(std::move(source));
    for (int layer = 0; layer < most_layers; ++layer) {
        const std::string_view magic = peeked->peek(4);
        if (magic.starts_with("\x1f\x8b"))
            peeked = std::make_unique<PeekedStream>(inflateGzip(std::move(peeked)));
        else if (magic == "\x28\xb5\x2f\xfd" || (magic.size() == 4 && magic.substr(1) == "\x2a\x4d\x18"))
            peeked = std::make_unique<PeekedStream>(inflateZstd(std::move(peeked)));
        else
            break;
    }
    return peeked;
}

} // namespace shardscope
