#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shardscope
{

// A named share of a stage's memory; `what` is a literal.
struct MemoryTerm {
    std::string_view what;
    std::int64_t bytes = 0;
};

// A few of them, and their sum. What is not there is left out.
class MemoryTerms
{
public:
    void add(std::string_view what, std::int64_t bytes)
    {
        assert(m_count < m_terms.size());
        if (bytes > 0)
            m_terms[m_count++] = {what, bytes};
    }
    std::span<const MemoryTerm> terms() const { return {m_terms.data(), m_count}; }
    std::int64_t bytes() const
    {
        std::int64_t sum = 0;
        for (const MemoryTerm& term : terms())
            sum += term.bytes;
        return sum;
    }

private:
    std::array<MemoryTerm, 6> m_terms{};
    std::size_t m_count = 0;
};

} // namespace shardscope
