#include "core/import/json_scan.h"

#include "core/import/json_block.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace shardscope
{

namespace
{

bool isSpace(char letter)
{
    return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
}

// The state of one scan: depth, the event that is open, and what has been found.
class Scan
{
public:
    Scan(const char* text, std::size_t begin, bool before_first, ScannedEvents& found)
        : m_text(text), m_expected_commas(before_first ? 0 : 1), m_found(found)
    {
        m_result.done = begin;
    }

    // Follows one bracket outside strings. False to stop there.
    bool follow(std::size_t position)
    {
        const char bracket = m_text[position];
        return bracket == '{' || bracket == '[' ? open(position, bracket) : close(position, bracket);
    }

    bool stop(ScanStop why, std::size_t position)
    {
        m_result.stop = why;
        m_result.position = position;
        return false;
    }

    ScanResult finish(std::size_t size)
    {
        if (m_result.stop == ScanStop::text_ends)
            m_result.position = size;
        if (m_depth > 0)
            m_found.children.resize(m_event.first_child); // of the event that is not whole
        return m_result;
    }

private:
    bool open(std::size_t position, char bracket)
    {
        if (m_depth == 0) {
            if (!checkGap(position))
                return stop(ScanStop::odd, position);
            m_result.open_event = position;
            m_event.begin = static_cast<std::uint32_t>(position);
            m_event.first_child = static_cast<std::uint32_t>(m_found.children.size());
        } else if (m_depth == 1) {
            const std::size_t colon = lastBefore(position);
            if (m_text[colon] != ':' && m_text[m_event.begin] == '{')
                return stop(ScanStop::odd, position);
            if (bracket == '[' && hasKeyBefore(colon, "\"traceEvents\""))
                return stop(ScanStop::nested_array, position);
            m_found.children.push_back({static_cast<std::uint32_t>(position), 0});
        }
        ++m_depth;
        return true;
    }

    bool close(std::size_t position, char bracket)
    {
        if (m_depth == 0) {
            if (bracket != ']' || !checkGap(position, true))
                return stop(ScanStop::odd, position);
            countCommas();
            return stop(ScanStop::array_ends, position);
        }
        --m_depth;
        if (m_depth == 1) {
            m_found.children.back().close = static_cast<std::uint32_t>(position);
        } else if (m_depth == 0) {
            m_event.end = static_cast<std::uint32_t>(position + 1);
            m_event.child_count = static_cast<std::uint32_t>(m_found.children.size()) - m_event.first_child;
            m_found.events.push_back(m_event);
            m_result.done = position + 1;
            m_result.open_event = ScanResult::no_event;
            m_expected_commas = 1;
            countCommas();
        }
        return true;
    }

    // Between two events stands one comma, and nothing else but blanks.
    bool checkGap(std::size_t position, bool at_end = false)
    {
        int commas = 0;
        for (std::size_t at = m_result.done; at < position; ++at) {
            commas += m_text[at] == ',' ? 1 : 0;
            if (m_text[at] != ',' && !isSpace(m_text[at]))
                return false;
        }
        m_surplus_commas = commas - (at_end ? 0 : m_expected_commas);
        return true;
    }

    // Only once the event behind the gap is whole, as it will be scanned again if it is not.
    void countCommas()
    {
        m_result.missing_commas += std::max(-m_surplus_commas, 0);
        m_result.extra_commas += std::max(m_surplus_commas, 0);
    }

    std::size_t lastBefore(std::size_t position) const
    {
        --position; // the event's own bracket stands before
        while (isSpace(m_text[position]))
            --position;
        return position;
    }

    bool hasKeyBefore(std::size_t colon, std::string_view key) const
    {
        const std::size_t end = lastBefore(colon) + 1;
        return m_text[colon] == ':' && end >= m_event.begin + key.size()
               && std::string_view(m_text + end - key.size(), key.size()) == key;
    }

    const char* m_text;
    int m_depth = 0;
    int m_expected_commas;
    int m_surplus_commas = 0; // in the gap before the open event
    EventSpan m_event;
    ScannedEvents& m_found;
    ScanResult m_result;
};

} // namespace

ScanResult scanEvents(const char* text, std::size_t begin, std::size_t size, bool before_first,
                      ScannedEvents& found)
{
    Scan scan(text, begin, before_first, found);
    StringState strings;
    for (std::size_t at = begin; at < size; at += json_block_bytes) {
        BlockMasks block = classify(text + at);
        if (size - at < json_block_bytes)
            block.keepFirst(size - at);
        const StringMasks masks = strings.follow(block);
        std::uint64_t brackets = block.brackets & ~masks.inside;
        // What follows a string must be a comma, a colon, a bracket or a blank; else a quote stood in the
        // string.
        const std::uint64_t odd = (masks.behind & ~block.may_follow_string) | (block.control & masks.inside);
        const std::uint64_t first_odd = odd & (~odd + 1);
        if (odd != 0)
            brackets &= first_odd - 1;
        for (; brackets != 0; brackets &= brackets - 1) {
            if (!scan.follow(at + static_cast<std::size_t>(std::countr_zero(brackets))))
                return scan.finish(size);
        }
        const std::size_t odd_position = at + static_cast<std::size_t>(std::countr_zero(odd));
        if (odd != 0 && odd_position < size) {
            scan.stop(ScanStop::odd, odd_position);
            return scan.finish(size);
        }
    }
    return scan.finish(size);
}

} // namespace shardscope
