#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardscope
{

// A named share of a stage's memory: so many of it, or so many of the parts that one of it is made of. `what`
// is a literal.
struct MemoryTerm {
    std::string_view what;
    std::int64_t each_bytes = 0;
    std::int64_t times = 1;
    std::int64_t parts = 1;

    std::int64_t bytes() const { return each_bytes / parts * times + each_bytes % parts * times / parts; }
};

// A few of them, and their sum. What is not there is left out.
class MemoryTerms
{
public:
    void add(std::string_view what, std::int64_t bytes) { add({what, bytes}); }
    void add(const MemoryTerm& term)
    {
        if (term.bytes() <= 0)
            return;
        assert(m_count < m_terms.size());
        m_terms[m_count++] = term;
    }
    std::span<const MemoryTerm> terms() const { return {m_terms.data(), m_count}; }
    std::int64_t bytes() const
    {
        std::int64_t sum = 0;
        for (const MemoryTerm& term : terms())
            sum += term.bytes();
        return sum;
    }

private:
    std::array<MemoryTerm, 7> m_terms{};
    std::size_t m_count = 0;
};

} // namespace shardscope
