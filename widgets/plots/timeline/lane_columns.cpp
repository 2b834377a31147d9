#include "widgets/plots/timeline/lane_columns.h"

namespace shardscope
{

void LaneColumns::clear(std::size_t count)
{
    m_count = count;
    m_stride = count + 1 + ahead;
    m_paints = {};
    m_planes = 0;
    m_parts.clear();
    m_waits.clear();
}

void LaneColumns::addPlane(LanePaint paint)
{
    m_plane[static_cast<std::size_t>(paint)] = m_planes++;
    m_paints.insert(paint);
    m_parts.resize(m_planes * m_stride, 0);
}

int LaneColumns::filled(std::size_t column) const
{
    int sum = 0;
    for (std::size_t place = column; place < m_parts.size(); place += m_stride)
        sum += m_parts[place];
    return sum;
}

void LaneColumns::empty(std::size_t column)
{
    for (std::size_t place = column; place < m_parts.size(); place += m_stride)
        m_parts[place] = 0;
}

void LaneColumns::fill(std::size_t first, std::size_t last, LanePaint paint)
{
    if (first >= last)
        return;
    m_paints.forEach([&](LanePaint other) {
        if (other != paint)
            std::fill(plane(other) + first, plane(other) + last, Part{0});
    });
    Part* const cells = plane(paint);
    std::fill(cells + first, cells + last, static_cast<Part>(whole));
}

void LaneColumns::fillBehind(Part* cells, int beyond)
{
    const int full = beyond >> cell_bits;
    std::fill(cells, cells + full, static_cast<Part>(whole));
    if ((beyond & (whole - 1)) != 0)
        cells[full] = static_cast<Part>(beyond & (whole - 1));
}

void LaneColumns::setWaiting(std::size_t column)
{
    m_waits.resize(m_count);
    m_waits[column] = true;
}

std::vector<LaneColumns::Part> LaneColumns::filledBy(const PaintSet& paints) const
{
    std::vector<Part> sums(m_count);
    m_paints.forEach([&](LanePaint paint) {
        if (!paints.contains(paint))
            return;
        const Part* const parts = of(paint).data();
        for (std::size_t c = 0; c < m_count; ++c)
            sums[c] = static_cast<Part>(std::min<int>(whole, sums[c] + parts[c]));
    });
    return sums;
}

// What is here makes room: by as much as the others take, or by their share of it.
void LaneColumns::makeRoom(const std::vector<Part>& taken, Meeting meeting)
{
    const std::vector<Part> had =
        meeting == Meeting::nested ? filledBy(m_paints) : std::vector<Part>(m_count, whole);
    m_paints.forEach([&](LanePaint paint) {
        Part* const parts = plane(paint);
        for (std::size_t c = 0; c < m_count; ++c)
            if (parts[c] != 0 && taken[c] != 0)
                parts[c] = static_cast<Part>(parts[c] * std::max(0, had[c] - taken[c]) / had[c]);
    });
    for (std::size_t c = 0; c < m_waits.size(); ++c)
        m_waits[c] = m_waits[c] && taken[c] == 0;
}

void LaneColumns::layOver(const LaneColumns& other, const PaintSet& paints, Meeting meeting)
{
    if (!other.m_paints.meets(paints))
        return;
    const std::vector<Part> taken = other.filledBy(paints);
    if (!m_paints.isEmpty())
        makeRoom(taken, meeting);
    for (std::size_t c = 0; c < m_count && other.haveWaits(); ++c)
        if (other.waits(c) && taken[c] != 0)
            setWaiting(c);
    other.m_paints.forEach([&](LanePaint paint) {
        if (!paints.contains(paint))
            return;
        Part* const to = plane(paint);
        const Part* const from = other.of(paint).data();
        for (std::size_t c = 0; c < m_count; ++c)
            to[c] = static_cast<Part>(std::min<int>(whole, to[c] + from[c]));
    });
}

} // namespace shardscope
