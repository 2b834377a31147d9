#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// JSON text in blocks of 64 bytes: bit i of a mask stands for byte i. After Langdale and Lemire, "Parsing
// Gigabytes of JSON per Second", VLDB Journal 28 (2019).
namespace shardscope
{

inline constexpr std::size_t json_block_bytes = 64;

// Where the bytes of one block stand that JSON is built of.
struct BlockMasks {
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t opening = 0;    // { [
    std::uint64_t closing = 0;    // } ]
    std::uint64_t control = 0;    // below a blank
    std::uint64_t separators = 0; // , : and blank

    // What may stand behind a string.
    std::uint64_t mayFollowString() const { return separators | closing | control; }
    // Forgets what lies behind the first bytes of the block.
    void keepFirst(std::size_t bytes)
    {
        const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1;
        quotes &= mask;
        backslashes &= mask;
        opening &= mask;
        closing &= mask;
        control &= mask;
    }
};

// Bit i: whether the set bits up to and with i are odd in number.
constexpr std::uint64_t parityByShifts(std::uint64_t bits)
{
    for (int distance = 1; distance < 64; distance *= 2)
        bits ^= bits << distance;
    return bits;
}

// Reads 64 bytes; one for each kind of processor.
struct PlainClassifier {
    static std::uint64_t parity(std::uint64_t bits) { return parityByShifts(bits); }
    // Where a byte stands.
    static std::uint64_t find(const char* text, char wanted)
    {
        std::uint64_t found = 0;
        for (std::size_t i = 0; i < json_block_bytes; ++i)
            found |= text[i] == wanted ? std::uint64_t{1} << i : 0;
        return found;
    }
    static BlockMasks classify(const char* text)
    {
        BlockMasks masks;
        for (std::size_t i = 0; i < json_block_bytes; ++i) {
            const std::uint64_t bit = std::uint64_t{1} << i;
            const char byte = text[i];
            masks.quotes |= byte == '"' ? bit : 0;
            masks.backslashes |= byte == '\\' ? bit : 0;
            masks.opening |= byte == '{' || byte == '[' ? bit : 0;
            masks.closing |= byte == '}' || byte == ']' ? bit : 0;
            masks.control |= static_cast<unsigned char>(byte) < 0x20 ? bit : 0;
            masks.separators |= byte == ',' || byte == ':' || byte == ' ' ? bit : 0;
        }
        return masks;
    }
};

#if defined(__x86_64__)

// For every x86-64.
struct Sse2Classifier {
    static std::uint64_t parity(std::uint64_t bits) { return parityByShifts(bits); }
    static std::uint64_t bits(__m128i a, __m128i b, __m128i c, __m128i d)
    {
        const auto mask = [](__m128i part) { return static_cast<std::uint32_t>(_mm_movemask_epi8(part)); };
        const std::uint32_t low = mask(a) | (mask(b) << 16);
        const std::uint32_t high = mask(c) | (mask(d) << 16);
        return low | (static_cast<std::uint64_t>(high) << 32);
    }
    static __m128i equal(__m128i bytes, char wanted) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted)); }
    // [ to {, ] to }.
    static __m128i folded(__m128i bytes) { return _mm_or_si128(bytes, _mm_set1_epi8(0x20)); }
    static __m128i isControl(__m128i bytes)
    {
        return _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    }
    static __m128i isSeparator(__m128i bytes)
    {
        return _mm_or_si128(_mm_or_si128(equal(bytes, ','), equal(bytes, ':')), equal(bytes, ' '));
    }

    static std::uint64_t find(const char* text, char wanted)
    {
        const auto* const from = reinterpret_cast<const __m128i*>(text);
        const auto part = [=](int i) { return equal(_mm_loadu_si128(from + i), wanted); };
        return bits(part(0), part(1), part(2), part(3));
    }
    static BlockMasks classify(const char* text)
    {
        const auto* const from = reinterpret_cast<const __m128i*>(text);
        const __m128i a = _mm_loadu_si128(from);
        const __m128i b = _mm_loadu_si128(from + 1);
        const __m128i c = _mm_loadu_si128(from + 2);
        const __m128i d = _mm_loadu_si128(from + 3);
        BlockMasks masks;
        masks.quotes = bits(equal(a, '"'), equal(b, '"'), equal(c, '"'), equal(d, '"'));
        masks.backslashes = bits(equal(a, '\\'), equal(b, '\\'), equal(c, '\\'), equal(d, '\\'));
        masks.control = bits(isControl(a), isControl(b), isControl(c), isControl(d));
        masks.separators = bits(isSeparator(a), isSeparator(b), isSeparator(c), isSeparator(d));
        const __m128i e = folded(a);
        const __m128i f = folded(b);
        const __m128i g = folded(c);
        const __m128i h = folded(d);
        masks.opening = bits(equal(e, '{'), equal(f, '{'), equal(g, '{'), equal(h, '{'));
        masks.closing = bits(equal(e, '}'), equal(f, '}'), equal(g, '}'), equal(h, '}'));
        return masks;
    }
};

// For those of 2013 and later; to be called from functions with this target only.
#define SHARDSCOPE_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul")))

struct Avx2Classifier {
    // The carry-less product with ones.
    SHARDSCOPE_AVX2 static std::uint64_t parity(std::uint64_t bits)
    {
        const __m128i product =
            _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), _mm_set1_epi8('\xff'), 0);
        return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
    }
    SHARDSCOPE_AVX2 static std::uint64_t bits(__m256i low, __m256i high)
    {
        const auto mask = [](__m256i part) SHARDSCOPE_AVX2 {
            return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(part)));
        };
        return mask(low) | (mask(high) << 32);
    }
    SHARDSCOPE_AVX2 static __m256i equal(__m256i bytes, char wanted)
    {
        return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(wanted));
    }
    SHARDSCOPE_AVX2 static __m256i isControl(__m256i bytes)
    {
        return _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1f)), bytes);
    }
    SHARDSCOPE_AVX2 static __m256i isSeparator(__m256i bytes)
    {
        return _mm256_or_si256(_mm256_or_si256(equal(bytes, ','), equal(bytes, ':')), equal(bytes, ' '));
    }

    SHARDSCOPE_AVX2 static std::uint64_t find(const char* text, char wanted)
    {
        const auto* const from = reinterpret_cast<const __m256i*>(text);
        return bits(equal(_mm256_loadu_si256(from), wanted), equal(_mm256_loadu_si256(from + 1), wanted));
    }
    SHARDSCOPE_AVX2 static BlockMasks classify(const char* text)
    {
        const auto* const from = reinterpret_cast<const __m256i*>(text);
        const __m256i a = _mm256_loadu_si256(from);
        const __m256i b = _mm256_loadu_si256(from + 1);
        BlockMasks masks;
        masks.quotes = bits(equal(a, '"'), equal(b, '"'));
        masks.backslashes = bits(equal(a, '\\'), equal(b, '\\'));
        masks.control = bits(isControl(a), isControl(b));
        masks.separators = bits(isSeparator(a), isSeparator(b));
        const __m256i c = _mm256_or_si256(a, _mm256_set1_epi8(0x20));
        const __m256i d = _mm256_or_si256(b, _mm256_set1_epi8(0x20));
        masks.opening = bits(equal(c, '{'), equal(d, '{'));
        masks.closing = bits(equal(c, '}'), equal(d, '}'));
        return masks;
    }
};

#endif

// Where the strings of one block stand.
struct StringMasks {
    std::uint64_t quotes = 0; // those that no backslash escapes
    std::uint64_t inside = 0; // from the opening quote to the byte before the closing one
    std::uint64_t behind = 0; // the bytes that follow a closing quote
};

// Follows strings and escapes from block to block.
class StringState
{
public:
    template<class Classifier>
    [[gnu::always_inline]] StringMasks follow(const BlockMasks& block)
    {
        StringMasks masks;
        masks.quotes = block.quotes & ~escaped(block.backslashes);
        masks.inside = Classifier::parity(masks.quotes) ^ m_inside;
        m_inside = std::uint64_t{0} - (masks.inside >> 63);
        const std::uint64_t closing = masks.quotes & ~masks.inside;
        masks.behind = (closing << 1) | m_behind;
        m_behind = closing >> 63;
        return masks;
    }

private:
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
