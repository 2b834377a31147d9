#include "core/import/chrome/collective_arguments.h"

#include <bit>
#include <charconv>
#include <cmath>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace shardscope
{

namespace
{

// The whole number behind `key"`, blanks and a colon; -1 where there is none.
std::int64_t numberBehind(std::string_view text)
{
    const std::size_t colon = text.find_first_not_of(" \n\r\t");
    if (colon == std::string_view::npos || text[colon] != ':')
        return -1;
    const std::size_t begin = text.find_first_not_of(" \n\r\t\"", colon + 1);
    if (begin == std::string_view::npos)
        return -1;
    std::int64_t number = -1;
    const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), number);
    return error == std::errc{} && number >= 0 ? number : -1;
}

// Looks at the text behind a quote. A key within a string would have a backslash before its closing quote, so
// it is none.
void look(std::string_view text, LaunchArguments& arguments)
{
    constexpr std::string_view correlation = "correlation\"";
    constexpr std::string_view external = "xternal id\""; // "External id", in 2021 "external id"
    if (text.starts_with(correlation))
        arguments.correlation = numberBehind(text.substr(correlation.size()));
    else if (text.substr(1).starts_with(external))
        arguments.external_id = numberBehind(text.substr(1 + external.size()));
    else if (text.starts_with("Collective name\"") || text.starts_with("In msg nelems\""))
        arguments.is_communication = true;
}

} // namespace

LaunchArguments readLaunchArguments(std::string_view text)
{
    LaunchArguments arguments;
#if defined(__x86_64__)
    // A quote, then one of the letters that the wanted keys begin with; 17 bytes behind the text are
    // readable.
    for (std::size_t at = 0; at < text.size(); at += 16) {
        const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
        const __m128i next = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at + 1));
        const auto is = [](__m128i bytes, char letter) {
            return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(letter));
        };
        const __m128i folded = _mm_or_si128(next, _mm_set1_epi8(0x20)); // lower case
        const __m128i letter = _mm_or_si128(_mm_or_si128(is(folded, 'c'), is(folded, 'e')), is(folded, 'i'));
        auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_and_si128(is(here, '"'), letter)));
        for (; found != 0; found &= found - 1) {
            const std::size_t key = at + static_cast<std::size_t>(std::countr_zero(found)) + 1;
            if (key < text.size())
                look(text.substr(key), arguments);
        }
    }
#else
    for (std::size_t quote = text.find('"'); quote != std::string_view::npos;
         quote = text.find('"', quote + 1))
        look(text.substr(quote + 1), arguments);
#endif
    return arguments;
}

MemoryArguments readMemoryArguments(std::string_view text)
{
    MemoryArguments arguments;
    JsonReader reader(text);
    JsonMember member;
    while (reader.next(member)) {
        if (member.key == "correlation")
            arguments.correlation = toInteger(member.value).value_or(-1);
        else if (member.key == "bytes")
            arguments.bytes = toInteger(member.value).value_or(-1);
        else if (member.key == "memory bandwidth (GB/s)") {
            const std::string_view digits = member.value.text;
            double value = 0.0;
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
            if (error == std::errc{} && std::isfinite(value) && value >= 0.0)
                arguments.bandwidth_GBps = value;
        }
    }
    return arguments;
}

} // namespace shardscope
