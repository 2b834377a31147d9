#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace shardscope
{

// When what a task needs has arrived, and how much of the wait for it was its message's. Zeros: it needs
// nothing but its own stage.
struct Arrival {
    double ready_s = 0.0;
    double message_s = 0.0;
};

// What has arrived at a chunk and is not worked on yet, in the order of the micro-batches. A ring: few wait
// at a time, and a place for every micro-batch of a long iteration would leave the processor's cache.
class Arrivals
{
public:
    bool empty() const { return m_count == 0; }
    // Pre: not empty.
    const Arrival& first() const { return m_ring[m_first]; }
    void add(const Arrival& arrival)
    {
        if (m_count == m_ring.size())
            grow();
        m_ring[(m_first + m_count++) & (m_ring.size() - 1)] = arrival;
    }
    void removeFirst()
    {
        m_first = (m_first + 1) & (m_ring.size() - 1);
        --m_count;
    }

private:
    void grow()
    {
        std::rotate(m_ring.begin(), m_ring.begin() + static_cast<std::ptrdiff_t>(m_first), m_ring.end());
        m_first = 0;
        m_ring.resize(std::max<std::size_t>(4, 2 * m_ring.size()));
    }

    std::vector<Arrival> m_ring; // of 2^n places
    std::size_t m_first = 0;
    std::size_t m_count = 0;
};

} // namespace shardscope
