#include "core/import/streams/whole_text.h"

#include "core/import/memory_need.h"

#include <algorithm>
#include <cstring>

namespace shardscope
{

namespace
{

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::int64_t tree_bytes_per_byte = 24;             // lists of empty lists; other JSON takes 4 to 10
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"; // spreadsheets write it
constexpr std::size_t longest_line = std::size_t{64} << 10;

} // namespace

std::optional<std::string> readWhole(ByteStream& stream, std::size_t most_bytes)
{
    std::string text;
    while (text.size() <= most_bytes) {
        const std::size_t had = text.size();
        text.resize(had + piece_bytes);
        const std::size_t got = stream.read(std::span(text).subspan(had));
        text.resize(had + got);
        if (got < piece_bytes)
            return text.size() <= most_bytes ? std::optional(std::move(text)) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::string> readWholeForTree(ByteStream& stream, std::size_t most_bytes)
{
    const auto fitting = static_cast<std::size_t>(availableMemory() / tree_bytes_per_byte);
    return readWhole(stream, std::min(most_bytes, fitting));
}

bool LineReader::next(std::string_view& line)
{
    while (true) {
        const char* const begin = m_buffer.data() + m_begin;
        const auto* const end =
            m_begin == m_end ? nullptr : static_cast<const char*>(std::memchr(begin, '\n', m_end - m_begin));
        if (end != nullptr) {
            line = {begin, end};
            m_begin += line.size() + 1;
            break;
        }
        if (!refill()) {
            line = {m_buffer.data() + m_begin, m_end - m_begin};
            m_begin = m_end;
            if (line.empty())
                return false;
            break;
        }
    }
    if (!m_has_begun && line.starts_with(byte_order_mark))
        line.remove_prefix(byte_order_mark.size());
    m_has_begun = true;
    line = line.substr(0, longest_line);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return true;
}

// Adds bytes behind those that are left. A line that fills the whole buffer loses its middle.
bool LineReader::refill()
{
    const std::size_t left = std::min(m_end - m_begin, longest_line);
    m_buffer.resize(piece_bytes);
    std::memmove(m_buffer.data(), m_buffer.data() + m_begin, left);
    const std::size_t got = m_stream.read(std::span(m_buffer).subspan(left));
    m_bytes += static_cast<std::int64_t>(got);
    m_begin = 0;
    m_end = left + got;
    return got > 0;
}

} // namespace shardscope
