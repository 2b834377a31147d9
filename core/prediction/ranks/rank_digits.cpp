#include "core/prediction/ranks/rank_digits.h"

#include "core/scenario/rank_order.h"

#include <algorithm>
#include <numeric>

namespace shardscope
{

bool sharesExperts(const Parallel& parallel, Dimension dimension)
{
    return dimension == Dimension::cp || dimension == Dimension::dp
           || (dimension == Dimension::tp && !parallel.expert_tensor_parallel);
}

// Expert groups are neighbours in the mixed radix of the dimensions that share experts: they fill the
// innermost of them from its low end, then the next.
RankDigits::RankDigits(const Parallel& parallel)
{
    std::int64_t stride = 1;
    std::int64_t inner = 1; // values of those of them that have passed
    const std::int64_t expert = parallel.expert;
    for (const Dimension dimension : parallel.rank_order) {
        const std::int64_t size = sizeOf(parallel, dimension);
        std::int64_t low = 1; // values that members of an expert group differ in
        if (sharesExperts(parallel, dimension) && expert > 1) {
            const std::int64_t missing = expert / std::gcd(inner, expert);
            low = size % missing == 0 ? missing : size;
            m_whole = m_whole && (inner % expert == 0 || expert % inner == 0);
            inner *= size;
        }
        if (low > 1)
            m_digits.push_back({dimension, stride, low, true});
        if (size / low > 1)
            m_digits.push_back({dimension, stride * low, size / low, false});
        stride *= size;
    }
}

RankSet::RankSet(const RankDigits& digits, const RankBox& box)
{
    bool inner_is_full = false;
    for (std::size_t i = 0; i < digits.count(); ++i) {
        const RankDigit& digit = digits[i];
        Level level{digit.stride, box[i].begin, box[i].end, m_size};
        m_first += digit.stride * level.begin;
        m_last += digit.stride * (level.end - 1);
        m_size *= box[i].size();
        if (inner_is_full) {
            const Level inner = m_levels[--m_count];
            const std::int64_t values = inner.end;
            level = {inner.stride, level.begin * values, level.end * values, inner.inner};
        }
        m_levels[m_count++] = level;
        inner_is_full = box[i].begin == 0 && box[i].end == digit.size;
    }
}

std::int64_t RankSet::countBelow(std::int64_t rank) const
{
    if (rank <= m_first)
        return 0;
    if (rank > m_last)
        return m_size;
    std::int64_t below = 0;
    for (std::size_t i = m_count; i-- > 0;) {
        const Level& level = m_levels[i];
        const std::int64_t value = rank / level.stride;
        if (value < level.begin)
            return below;
        if (value >= level.end)
            return below + (level.end - level.begin) * level.inner;
        below += (value - level.begin) * level.inner;
        rank -= value * level.stride;
    }
    return below;
}

std::int64_t RankSet::count(std::int64_t begin, std::int64_t end) const
{
    return begin < end ? countBelow(end) - countBelow(begin) : 0;
}

void RankSet::forEach(const std::function<void(std::int64_t)>& visit) const
{
    std::array<std::int64_t, RankDigits::most> values{};
    for (std::size_t i = 0; i < m_count; ++i)
        values[i] = m_levels[i].begin;
    std::int64_t rank = m_first;
    for (std::int64_t left = m_size; left > 0; --left) {
        visit(rank);
        for (std::size_t i = 0; i < m_count; ++i) {
            const Level& level = m_levels[i];
            rank += level.stride;
            if (++values[i] < level.end)
                break;
            rank -= (level.end - level.begin) * level.stride;
            values[i] = level.begin;
        }
    }
}

std::vector<std::int64_t> RankSet::countByRemainder(std::int64_t divisor) const
{
    const auto size = static_cast<std::size_t>(divisor);
    std::vector<std::int64_t> counts(size, 0);
    counts[0] = 1;
    std::vector<std::int64_t> sums(size);
    for (std::size_t i = 0; i < m_count; ++i) {
        const Level& level = m_levels[i];
        const std::int64_t values = level.end - level.begin;
        // The multiples of the stride come back to where they began after so many values.
        const std::int64_t period = divisor / std::gcd(divisor, level.stride);
        std::ranges::fill(sums, 0);
        for (std::int64_t k = 0; k < std::min(values, period); ++k) {
            const std::int64_t times = (values - k + period - 1) / period;
            const auto shift = static_cast<std::size_t>((level.begin + k) % period * level.stride % divisor);
            for (std::size_t r = 0; r < size; ++r)
                sums[r + shift < size ? r + shift : r + shift - size] += times * counts[r];
        }
        counts.swap(sums);
    }
    return counts;
}

} // namespace shardscope
