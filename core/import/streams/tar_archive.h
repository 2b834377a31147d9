#pragma once

#include "core/import/streams/byte_stream.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace shardscope
{

// A file that lies in an archive. It is read by and by, before the next one.
struct TarMember {
    std::string name; // with its folders
    std::int64_t bytes = 0;
    std::unique_ptr<ByteStream> stream; // must not outlive the archive
};

// Takes a tar archive apart as it comes: ustar, GNU (long names, sizes beyond 8 GiB) and pax. Links, folders
// and devices are left out.
class TarArchive
{
public:
    explicit TarArchive(ByteStream& stream) : m_stream(stream) {}

    // Whether the first bytes of a file are a tar header, by its checksum.
    static bool recognises(std::string_view head);

    // The next file; false at the end.
    bool next(TarMember& member);
    // Why the archive ended before its time; empty when it did not.
    const std::string& damage() const { return m_damage; }

private:
    class Content;

    bool readHeader(std::string& header);
    std::string readText(std::int64_t bytes);
    void takePax(std::string_view records);

    ByteStream& m_stream;
    std::int64_t m_left = 0; // of the member at hand, with what fills its last block
    std::string m_long_name; // for the next header
    std::int64_t m_long_size = -1;
    std::string m_damage;
};

// The path by which a member of an archive is told: "run.tar.gz/rank3.json", never outside of the archive.
// openTrace() takes it too.
std::filesystem::path memberPath(const std::filesystem::path& archive, std::string_view member);

} // namespace shardscope
