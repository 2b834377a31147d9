#include "core/digest/digest_archive.h"

#include "core/base/file.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace shardscope
{

namespace
{

constexpr std::size_t block_bytes = 512;
constexpr std::size_t longest_name = 100;
constexpr std::int64_t largest_octal = (std::int64_t{1} << 33) - 1; // eleven digits

// Writes octal digits and a zero byte into a header's field.
void putNumber(std::string& header, std::size_t at, int digits, std::int64_t number)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%0*llo", digits, static_cast<unsigned long long>(number));
    header.replace(at, static_cast<std::size_t>(digits), text.data(), static_cast<std::size_t>(digits));
}

// A member of an archive in GNU's form of ustar: header and content, filled up to whole blocks.
void addMember(std::string& archive, std::string_view name, char type, std::int64_t modified_s,
               std::string_view content)
{
    std::string header(block_bytes, '\0');
    header.replace(0, std::min(name.size(), longest_name), name.substr(0, longest_name));
    putNumber(header, 100, 7, 0644);
    putNumber(header, 108, 7, 0);
    putNumber(header, 116, 7, 0);
    putNumber(header, 124, 11, static_cast<std::int64_t>(content.size()));
    putNumber(header, 136, 11, std::clamp<std::int64_t>(modified_s, 0, largest_octal));
    header.replace(148, 8, 8, ' ');
    header[156] = type;
    header.replace(257, 7, "ustar  ");
    std::int64_t sum = 0;
    for (const char byte : header)
        sum += static_cast<unsigned char>(byte);
    putNumber(header, 148, 6, sum);
    header[154] = '\0';
    archive += header;
    archive += content;
    archive.append((block_bytes - content.size() % block_bytes) % block_bytes, '\0');
}

} // namespace

Result<bool> writeDigests(const std::filesystem::path& file, std::vector<NamedDigest> digests)
{
    std::ranges::sort(digests, {}, &NamedDigest::name);
    std::string archive;
    for (const NamedDigest& digest : digests) {
        const std::string name = digest.name + ".digest";
        if (name.size() > longest_name)
            addMember(archive, "././@LongLink", 'L', 0, name + '\0');
        addMember(archive, name, '0', digest.modified_s, digest.bytes);
    }
    archive.append(2 * block_bytes, '\0');
    return replaceFile(file, archive);
}

} // namespace shardscope
