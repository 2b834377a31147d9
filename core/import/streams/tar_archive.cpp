#include "core/import/streams/tar_archive.h"

#include "core/import/trace_format.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace shardscope
{

namespace
{

constexpr std::int64_t block_bytes = 512;
constexpr std::int64_t longest_text = std::int64_t{1} << 20; // of a long name or of pax records

// Where a header keeps what, POSIX.1-1988 (ustar).
constexpr std::size_t size_at = 124;
constexpr std::size_t checksum_at = 148;
constexpr std::size_t type_at = 156;
constexpr std::size_t magic_at = 257;
constexpr std::size_t prefix_at = 345;

std::string_view textAt(std::string_view header, std::size_t at, std::size_t length)
{
    const std::string_view field = header.substr(at, length);
    return field.substr(0, field.find('\0'));
}

// Octal digits; or GNU's form for large values: a set first bit, then the number.
std::int64_t numberAt(std::string_view header, std::size_t at, std::size_t length)
{
    std::int64_t number = 0;
    if ((static_cast<unsigned char>(header[at]) & 0x80U) != 0) {
        for (const char byte : header.substr(at + 1, length - 1)) {
            if (number > std::numeric_limits<std::int64_t>::max() / 256)
                return -1;
            number = number * 256 + static_cast<unsigned char>(byte);
        }
        return number;
    }
    std::string_view field = textAt(header, at, length);
    field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number, 8);
    return error == std::errc{} ? number : -1;
}

// The sum of the header's bytes, its own field counted as blanks.
bool hasChecksum(std::string_view header)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < header.size(); ++i)
        sum += i >= checksum_at && i < checksum_at + 8 ? ' ' : static_cast<unsigned char>(header[i]);
    return numberAt(header, checksum_at, 8) == sum;
}

std::string nameOf(std::string_view header)
{
    const std::string_view prefix =
        header.substr(magic_at, 6) == std::string_view("ustar\0", 6) ? textAt(header, prefix_at, 155) : "";
    const std::string name(textAt(header, 0, 100));
    return prefix.empty() ? name : std::string(prefix) + '/' + name;
}

// A member with the archive that it lies in.
class OwnedMember final : public ByteStream
{
public:
    explicit OwnedMember(std::unique_ptr<PeekedStream> stream)
        : m_stream(std::move(stream)), m_archive(*m_stream)
    {
    }

    bool find(const std::filesystem::path& archive, const std::filesystem::path& wanted)
    {
        while (m_archive.next(m_member)) {
            const std::filesystem::path member = memberPath(archive, m_member.name);
            if (member == wanted || member == wanted.parent_path())
                return true;
        }
        return false;
    }

    std::size_t read(std::span<char> into) override { return m_member.stream->read(into); }
    std::int64_t bytesOfFile() const override { return m_member.stream->bytesOfFile(); }
    std::string damage() const override { return m_member.stream->damage(); }

private:
    std::unique_ptr<PeekedStream> m_stream;
    TarArchive m_archive;
    TarMember m_member;
};

} // namespace

// The bytes of one member. What nobody reads is skipped by the archive.
class TarArchive::Content final : public ByteStream
{
public:
    Content(TarArchive& archive, std::int64_t bytes)
        : m_archive(archive), m_left(bytes), m_first(archive.m_stream.bytesOfFile())
    {
    }

    std::size_t read(std::span<char> into) override
    {
        const auto wanted = std::min(m_left, static_cast<std::int64_t>(into.size()));
        const std::size_t got = m_archive.m_stream.read(into.first(static_cast<std::size_t>(wanted)));
        m_left -= static_cast<std::int64_t>(got);
        m_archive.m_left -= static_cast<std::int64_t>(got);
        m_is_cut = m_is_cut || static_cast<std::int64_t>(got) < wanted;
        return got;
    }

    std::int64_t bytesOfFile() const override { return m_archive.m_stream.bytesOfFile() - m_first; }

    std::string damage() const override
    {
        if (!m_is_cut)
            return {};
        const std::string why = m_archive.m_stream.damage();
        return "the archive ends within this file" + (why.empty() ? why : " (" + why + ")");
    }

private:
    TarArchive& m_archive;
    std::int64_t m_left;
    std::int64_t m_first;
    bool m_is_cut = false;
};

bool TarArchive::recognises(std::string_view head)
{
    return static_cast<std::int64_t>(head.size()) >= block_bytes && head[0] != '\0'
           && hasChecksum(head.substr(0, block_bytes));
}

bool TarArchive::next(TarMember& member)
{
    std::string header;
    while (readHeader(header)) {
        const char type = header[type_at];
        std::int64_t bytes = numberAt(header, size_at, 12);
        if (m_long_size >= 0 && type != 'x' && type != 'g' && type != 'L')
            bytes = m_long_size;
        if (bytes < 0 || bytes > std::numeric_limits<std::int64_t>::max() - block_bytes) {
            m_damage = "the archive is damaged: a file in it has no size";
            return false;
        }
        m_left = (bytes + block_bytes - 1) / block_bytes * block_bytes;
        if (type == 'L') {
            const std::string name = readText(bytes);
            m_long_name = name.substr(0, name.find('\0'));
        } else if (type == 'x') {
            takePax(readText(bytes));
        } else if (type != 'g' && type != 'K') {
            member.name = m_long_name.empty() ? nameOf(header) : m_long_name;
            m_long_name.clear();
            m_long_size = -1;
            if (type != '0' && type != '\0' && type != '7')
                continue; // no file
            member.bytes = bytes;
            member.stream = std::make_unique<Content>(*this, bytes);
            return true;
        }
    }
    return false;
}

// False at the end: two blocks of zeros, or no more bytes.
bool TarArchive::readHeader(std::string& header)
{
    m_stream.skip(m_left);
    m_left = 0;
    header.resize(static_cast<std::size_t>(block_bytes));
    const std::size_t got = m_stream.read(header);
    if (got == 0 || header.find_first_not_of('\0') == std::string::npos)
        return false;
    if (got < header.size() || !hasChecksum(header)) {
        m_damage = "the archive is cut short or damaged";
        return false;
    }
    return true;
}

std::string TarArchive::readText(std::int64_t bytes)
{
    std::string text(static_cast<std::size_t>(std::min(bytes, longest_text)), '\0');
    text.resize(m_stream.read(text));
    m_left -= static_cast<std::int64_t>(text.size());
    return text;
}

// Records of "length key=value\n".
void TarArchive::takePax(std::string_view records)
{
    while (!records.empty()) {
        std::size_t length = 0;
        const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
        const auto digits = static_cast<std::size_t>(end - records.data());
        if (error != std::errc{} || length > records.size() || length < digits + 2)
            return;
        const std::string_view record = records.substr(digits + 1, length - digits - 2);
        const std::size_t equals = record.find('=');
        const std::string_view value = equals == std::string_view::npos ? "" : record.substr(equals + 1);
        if (record.starts_with("path="))
            m_long_name = value;
        else if (record.starts_with("size="))
            std::from_chars(value.data(), value.data() + value.size(), m_long_size);
        records.remove_prefix(length);
    }
}

Result<std::unique_ptr<PeekedStream>> openTrace(const std::filesystem::path& path)
{
    std::filesystem::path on_disk = path;
    std::error_code error;
    while (!std::filesystem::exists(on_disk, error) && on_disk.has_relative_path())
        on_disk = on_disk.parent_path();
    const bool is_member = on_disk != path && std::filesystem::is_regular_file(on_disk, error);
    Result<std::unique_ptr<ByteStream>> file = openFile(is_member ? on_disk : path);
    if (!file)
        return file.error();
    std::unique_ptr<PeekedStream> stream = inflateIfCompressed(std::move(file).value());
    // Of a file that holds several ranks a path may name one.
    if (!is_member || !TarArchive::recognises(stream->peek(head_bytes)))
        return stream;
    auto member = std::make_unique<OwnedMember>(std::move(stream));
    if (!member->find(on_disk, path))
        return Error{"the archive " + on_disk.string() + " has no such file any more"};
    return inflateIfCompressed(std::move(member));
}

std::filesystem::path memberPath(const std::filesystem::path& archive, std::string_view member)
{
    std::filesystem::path path = archive;
    for (const std::filesystem::path& part : std::filesystem::path(member).relative_path())
        if (part != ".." && part != ".")
            path /= part;
    return path;
}

} // namespace shardscope
