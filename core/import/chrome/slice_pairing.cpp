#include "core/import/chrome/slice_pairing.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace shardscope
{

namespace
{

// Ends the slice that `end` means: the innermost, or the innermost of its name if it has one that is open.
// Slices within that one are left without an end.
class OpenSlices
{
public:
    OpenSlices(TraceBuilder& builder, WarningLog& warnings) : m_builder(builder), m_warnings(warnings) {}

    void begin(const SliceEdge& edge)
    {
        m_open.push_back(&edge);
        ++m_open_of_name[edge.name];
    }

    void end(const SliceEdge& edge)
    {
        if (m_open.empty())
            return m_warnings.add("end without a beginning", edge.offset);
        if (edge.name != no_name && isOpen(edge.name))
            for (; m_open.back()->name != edge.name; close())
                m_warnings.add("beginning without an end", m_open.back()->offset);
        const SliceEdge& slice = *m_open.back();
        close();
        TraceTime duration = 0;
        if (__builtin_sub_overflow(edge.time, slice.time, &duration))
            return m_warnings.add("time beyond what 64 bits of nanoseconds hold", edge.offset);
        m_builder.addEvent(slice.track, slice.time, duration, slice.name, slice.category, slice.offset);
    }

    void finish()
    {
        for (const SliceEdge* open : m_open)
            m_warnings.add("beginning without an end", open->offset);
        m_open.clear();
        m_open_of_name.clear();
    }

private:
    bool isOpen(NameId name) const
    {
        const auto open = m_open_of_name.find(name);
        return open != m_open_of_name.end() && open->second > 0;
    }

    void close()
    {
        --m_open_of_name[m_open.back()->name];
        m_open.pop_back();
    }

    TraceBuilder& m_builder;
    WarningLog& m_warnings;
    std::vector<const SliceEdge*> m_open;
    std::unordered_map<NameId, std::size_t> m_open_of_name; // so that a stack is not searched in vain
};

// Sorts by key and time, then runs through each key's edges.
template<class Key>
void pair(std::vector<SliceEdge>& edges, TraceBuilder& builder, WarningLog& warnings, Key key)
{
    std::ranges::stable_sort(edges, [&](const SliceEdge& a, const SliceEdge& b) {
        return std::tuple(key(a), a.time) < std::tuple(key(b), b.time);
    });
    OpenSlices open(builder, warnings);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (i > 0 && key(edges[i]) != key(edges[i - 1]))
            open.finish();
        if (edges[i].is_begin)
            open.begin(edges[i]);
        else
            open.end(edges[i]);
    }
    open.finish();
}

} // namespace

void pairThreadSlices(std::vector<SliceEdge> edges, TraceBuilder& builder, WarningLog& warnings)
{
    pair(edges, builder, warnings, [](const SliceEdge& edge) { return edge.track; });
}

void pairAsyncSlices(std::vector<SliceEdge> edges, TraceBuilder& builder, WarningLog& warnings)
{
    pair(edges, builder, warnings,
         [](const SliceEdge& edge) { return std::tuple(edge.is_nested, edge.category, edge.id); });
}

} // namespace shardscope
