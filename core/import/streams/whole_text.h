#pragma once

#include "core/import/streams/byte_stream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// All that a stream holds; nothing when that is more than `most_bytes`. For formats whose files are small.
std::optional<std::string> readWhole(ByteStream& stream, std::size_t most_bytes);

// The same for what is then made a tree of, which takes many times its size: nothing, too, where that would
// not fit into what memory the machine has left.
std::optional<std::string> readWholeForTree(ByteStream& stream, std::size_t most_bytes);

// A text line by line. Of lines longer than 64 KiB only the beginning is given.
class LineReader
{
public:
    explicit LineReader(ByteStream& stream) : m_stream(stream) {}

    // Without its end of line, the first without a byte order mark; false behind the last. The view holds
    // until the next call.
    bool next(std::string_view& line);
    std::int64_t bytesRead() const { return m_bytes; }

private:
    bool refill();

    ByteStream& m_stream;
    std::vector<char> m_buffer;
    std::size_t m_begin = 0; // what is left of the buffer
    std::size_t m_end = 0;
    std::int64_t m_bytes = 0;
    bool m_has_begun = false;
};

} // namespace shardscope
