#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// JSON text in blocks of 64 bytes: bit i of a mask stands for byte i. After Langdale and Lemire, "Parsing
// Gigabytes of JSON per Second", VLDB Journal 28 (2019), with shifts in place of the carry-less product.
namespace shardscope
{

inline constexpr std::size_t json_block_bytes = 64;

struct BlockMasks {
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t brackets = 0;          // { } [ ]
    std::uint64_t control = 0;           // below a blank
    std::uint64_t may_follow_string = 0; // blanks , : } ]

    // Forgets what lies behind the first bytes of the block.
    void keepFirst(std::size_t bytes)
    {
        const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1;
        quotes &= mask;
        backslashes &= mask;
        brackets &= mask;
        control &= mask;
    }
};

#if defined(__SSE2__)

// 64 bytes must be readable.
inline BlockMasks classify(const char* text)
{
    BlockMasks masks;
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + part);
        const auto bits = [part](__m128i matches) {
            return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(matches)))
                   << (16 * part);
        };
        const auto equals = [](__m128i left, char right) {
            return _mm_cmpeq_epi8(left, _mm_set1_epi8(right));
        };
        const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20)); // [ and { alike, ] and } alike
        const __m128i closing = equals(folded, '}');
        const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        const __m128i separator =
            _mm_or_si128(_mm_or_si128(equals(bytes, ','), equals(bytes, ':')), equals(bytes, ' '));
        masks.quotes |= bits(equals(bytes, '"'));
        masks.backslashes |= bits(equals(bytes, '\\'));
        masks.brackets |= bits(_mm_or_si128(closing, equals(folded, '{')));
        masks.control |= bits(control);
        masks.may_follow_string |= bits(_mm_or_si128(_mm_or_si128(closing, control), separator));
    }
    return masks;
}

#else

inline BlockMasks classify(const char* text)
{
    BlockMasks masks;
    for (std::size_t i = 0; i < json_block_bytes; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        const char byte = text[i];
        const bool closing = byte == '}' || byte == ']';
        const bool control = static_cast<unsigned char>(byte) < 0x20;
        masks.quotes |= byte == '"' ? bit : 0;
        masks.backslashes |= byte == '\\' ? bit : 0;
        masks.brackets |= closing || byte == '{' || byte == '[' ? bit : 0;
        masks.control |= control ? bit : 0;
        masks.may_follow_string |= closing || control || byte == ',' || byte == ':' || byte == ' ' ? bit : 0;
    }
    return masks;
}

#endif

struct StringMasks {
    std::uint64_t inside = 0; // from the opening quote to the byte before the closing one
    std::uint64_t behind = 0; // the bytes that follow a closing quote
};

// Follows strings and escapes from block to block.
class StringState
{
public:
    StringMasks follow(const BlockMasks& block)
    {
        const std::uint64_t quotes = block.quotes & ~escaped(block.backslashes);
        StringMasks masks;
        masks.inside = parity(quotes) ^ m_inside;
        m_inside = std::uint64_t{0} - (masks.inside >> 63);
        const std::uint64_t closing = quotes & ~masks.inside;
        masks.behind = (closing << 1) | m_behind;
        m_behind = closing >> 63;
        return masks;
    }

private:
    // Bit i: whether the quotes up to and with byte i are odd in number.
    static std::uint64_t parity(std::uint64_t bits)
    {
        for (int shift = 1; shift < 64; shift *= 2)
            bits ^= bits << shift;
        return bits;
    }

    // The bytes that a backslash stands before which is not itself escaped.
    std::uint64_t escaped(std::uint64_t backslashes)
    {
        if (backslashes == 0) {
            const std::uint64_t first = m_escapes_next;
            m_escapes_next = 0;
            return first;
        }
        std::uint64_t result = m_escapes_next;
        bool escapes_next = false;
        for (std::uint64_t left = backslashes & ~result; left != 0;) {
            const int place = std::countr_zero(left);
            escapes_next = place == 63;
            const std::uint64_t next = escapes_next ? 0 : std::uint64_t{1} << (place + 1);
            result |= next;
            left &= left - 1;
            left &= ~next;
        }
        m_escapes_next = escapes_next ? 1 : 0;
        return result;
    }

    std::uint64_t m_inside = 0;
    std::uint64_t m_behind = 0;
    std::uint64_t m_escapes_next = 0;
};

} // namespace shardscope
