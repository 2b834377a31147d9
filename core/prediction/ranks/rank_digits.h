#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace shardscope
{

// Whether ranks that differ in it share out the routed experts of a stage, and their replicas.
bool sharesExperts(const Parallel& parallel, Dimension dimension);

// One digit of a rank's number: a dimension, or a part of one.
struct RankDigit {
    Dimension dimension = Dimension::tp;
    std::int64_t stride = 1;
    std::int64_t size = 1;
    bool in_expert_group = false; // members of an expert group differ in it
};

// Ranks written as numbers with a digit for each dimension, innermost first; digits of one value are left
// out. One that shares experts out is two digits where expert groups end inside of it.
class RankDigits
{
public:
    static constexpr std::size_t most = 5;

    RankDigits() = default; // of one rank
    explicit RankDigits(const Parallel& parallel);
    // Innermost first; each stride is what the digits before it have together.
    explicit RankDigits(std::vector<RankDigit> digits) : m_digits{std::move(digits)} {}

    std::size_t count() const { return m_digits.size(); }
    const RankDigit& operator[](std::size_t i) const { return m_digits[i]; }
    // Each expert group takes all values of its digits. Otherwise groups lie anyhow in blocks of those
    // digits, but in the same way in each block.
    bool expertGroupsAreWhole() const { return m_whole; }

private:
    std::vector<RankDigit> m_digits;
    bool m_whole = true;
};

// Ranks with each digit in a range: [begin, end).
struct DigitRange {
    std::int64_t begin = 0;
    std::int64_t end = 1;
    auto operator<=>(const DigitRange&) const = default;
    std::int64_t size() const { return end - begin; }
};
using RankBox = std::array<DigitRange, RankDigits::most>;

// The same ranks, counted in a closed form: the work is that of the digits, whatever the number of ranks.
class RankSet
{
public:
    RankSet() = default;
    RankSet(const RankDigits& digits, const RankBox& box);

    std::int64_t size() const { return m_size; }
    std::int64_t first() const { return m_first; }
    std::int64_t last() const { return m_last; }
    std::int64_t countBelow(std::int64_t rank) const;
    // How many lie in [begin, end).
    std::int64_t count(std::int64_t begin, std::int64_t end) const;
    // How many have each remainder by `divisor`.
    std::vector<std::int64_t> countByRemainder(std::int64_t divisor) const;
    // Calls `visit` with each of them in turn, lowest first.
    void forEach(const std::function<void(std::int64_t)>& visit) const;

private:
    // Neighbouring digits, the inner ones of which take all values, are one level.
    struct Level {
        std::int64_t stride = 1;
        std::int64_t begin = 0;
        std::int64_t end = 1;
        std::int64_t inner = 1; // ranks for each value
    };
    std::array<Level, RankDigits::most> m_levels; // innermost first
    std::size_t m_count = 0;
    std::int64_t m_size = 1;
    std::int64_t m_first = 0;
    std::int64_t m_last = 0;
};

} // namespace shardscope
