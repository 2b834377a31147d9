#include "core/import/json/json_scan.h"

#include "core/import/json/json_block.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace shardscope
{

namespace
{

std::uint64_t bitsBelow(std::uint64_t place)
{
    return place < 64 ? (std::uint64_t{1} << place) - 1 : ~std::uint64_t{0};
}

// The state of one scan: depth, the event that is open, and what has been found.
class Scan
{
public:
    Scan(const char* text, std::size_t begin, bool before_first, std::vector<EventSpan>& found)
        : m_text(text), m_expected_commas(before_first ? 0 : 1), m_found(found)
    {
        m_result.done = begin;
    }

    // One block of text. False where the scan stopped within it.
    [[gnu::always_inline]] bool follow(std::size_t at, const BlockMasks& block, const StringMasks& strings,
                                       std::uint64_t visible)
    {
        const std::uint64_t outside = ~strings.inside & visible;
        const std::uint64_t opening = block.opening & outside;
        for (std::uint64_t left = opening | (block.closing & outside); left != 0; left &= left - 1) {
            const auto place = static_cast<std::uint64_t>(std::countr_zero(left));
            const bool opens = ((opening >> place) & 1) != 0;
            if (m_depth >= (opens ? 2 : 3)) { // deep within the arguments
                m_depth += opens ? 1 : -1;
                continue;
            }
            if (!(opens ? open(at + place) : close(at + place)))
                return false;
        }
        return true;
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
        return m_result;
    }

private:
    [[gnu::always_inline]] bool open(std::size_t position)
    {
        if (m_depth == 0) {
            if (!checkGap(position))
                return stop(ScanStop::odd, position);
            m_result.open_event = position;
            m_event.begin = static_cast<std::uint32_t>(position);
        } else {
            const std::size_t colon = lastBefore(position);
            if (m_text[colon] != ':' && m_text[m_event.begin] == '{')
                return stop(ScanStop::odd, position);
            if (m_text[position] == '[' && hasKeyBefore(colon, "\"traceEvents\""))
                return stop(ScanStop::nested_array, position);
        }
        ++m_depth;
        return true;
    }

    [[gnu::always_inline]] bool close(std::size_t position)
    {
        if (m_depth == 0) {
            if (m_text[position] != ']' || !checkGap(position, true))
                return stop(ScanStop::odd, position);
            countCommas();
            return stop(ScanStop::array_ends, position);
        }
        --m_depth;
        if (m_depth == 0) {
            m_event.end = static_cast<std::uint32_t>(position + 1);
            m_found.push_back(m_event);
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

    // Where no colon stands, it may be the event's own bracket, which nothing stands before.
    bool hasKeyBefore(std::size_t colon, std::string_view key) const
    {
        if (m_text[colon] != ':')
            return false;
        const std::size_t end = lastBefore(colon) + 1;
        return end >= m_event.begin + key.size()
               && std::string_view(m_text + end - key.size(), key.size()) == key;
    }

    const char* m_text;
    int m_depth = 0;
    int m_expected_commas;
    int m_surplus_commas = 0; // in the gap before the open event
    EventSpan m_event;
    std::vector<EventSpan>& m_found;
    ScanResult m_result;
};

// Inlined into a function for each kind of processor.
template<class Classifier>
[[gnu::always_inline]] inline ScanResult scanWith(const char* text, std::size_t begin, std::size_t size,
                                                  Scan scan)
{
    StringState strings;
    for (std::size_t at = begin; at < size; at += json_block_bytes) {
        BlockMasks block = Classifier::classify(text + at);
        if (size - at < json_block_bytes)
            block.keepFirst(size - at);
        const StringMasks masks = strings.follow<Classifier>(block);
        // What follows a string must be a comma, a colon, a bracket or a blank; else a quote stood in the
        // string.
        const std::uint64_t odd = (masks.behind & ~block.mayFollowString()) | (block.control & masks.inside);
        const std::size_t odd_place = odd == 0 ? size : at + static_cast<std::size_t>(std::countr_zero(odd));
        const bool is_odd = odd_place < size;
        const std::uint64_t visible = is_odd ? bitsBelow(odd_place - at) : ~std::uint64_t{0};
        if (!scan.follow(at, block, masks, visible))
            break;
        if (is_odd) {
            scan.stop(ScanStop::odd, odd_place);
            break;
        }
    }
    return scan.finish(size);
}

// An object ends at a brace that takes the depth to nothing, so that blocks without one are only counted.
template<class Classifier>
[[gnu::always_inline]] inline const char* behindContainerWith(const char* at, const char* limit)
{
    const char closing_bracket = *at == '{' ? '}' : ']';
    StringState strings;
    int depth = 0;
    for (; at < limit; at += json_block_bytes) {
        const BlockMasks block = Classifier::classify(at);
        const StringMasks masks = strings.follow<Classifier>(block);
        const std::uint64_t odd = (masks.behind & ~block.mayFollowString()) | (block.control & masks.inside);
        const std::uint64_t opening = block.opening & ~masks.inside;
        const std::uint64_t closing = block.closing & ~masks.inside;
        for (std::uint64_t left = Classifier::find(at, closing_bracket) & closing; left != 0;
             left &= left - 1) {
            const std::uint64_t up_to = left ^ (left - 1); // and with the lowest bit
            const int depth_here = depth + std::popcount(opening & up_to) - std::popcount(closing & up_to);
            if (depth_here > 0)
                continue;
            const char* const behind = at + std::countr_zero(left) + 1;
            return depth_here < 0 || (odd & up_to) != 0 || behind > limit ? nullptr : behind;
        }
        depth += std::popcount(opening) - std::popcount(closing);
        if (odd != 0 || depth <= 0)
            return nullptr;
    }
    return nullptr;
}

#if defined(__x86_64__)

SHARDSCOPE_AVX2 ScanResult scanAvx2(const char* text, std::size_t begin, std::size_t size, const Scan& scan)
{
    return scanWith<Avx2Classifier>(text, begin, size, scan);
}

SHARDSCOPE_AVX2 const char* behindContainerAvx2(const char* open, const char* limit)
{
    return behindContainerWith<Avx2Classifier>(open, limit);
}

using BaseClassifier = Sse2Classifier;

bool hasAvx2()
{
    static const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0
                            && __builtin_cpu_supports("pclmul") != 0;
    return has;
}

#else

using BaseClassifier = PlainClassifier;

#endif

} // namespace

ScanResult scanEvents(const char* text, std::size_t begin, std::size_t size, bool before_first,
                      std::vector<EventSpan>& found)
{
    const Scan scan(text, begin, before_first, found);
#if defined(__x86_64__)
    if (hasAvx2())
        return scanAvx2(text, begin, size, scan);
#endif
    return scanWith<BaseClassifier>(text, begin, size, scan);
}

const char* behindContainer(const char* open, const char* limit)
{
#if defined(__x86_64__)
    if (hasAvx2())
        return behindContainerAvx2(open, limit);
#endif
    return behindContainerWith<BaseClassifier>(open, limit);
}

} // namespace shardscope
