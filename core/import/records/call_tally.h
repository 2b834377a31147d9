#pragma once

#include "core/trace/trace_set.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace shardscope
{

// Counts equal calls together, in the order in which they first came. For formats that list every call and
// tell no time.
class CallTally
{
public:
    void add(const SizedCall& call)
    {
        const auto [row, is_new] =
            m_rows.try_emplace(Key{call.name, call.dtype, call.in_bytes, call.out_bytes, call.group,
                                   call.group_size, call.peer, call.in_splits},
                               m_calls.size());
        if (is_new)
            m_calls.push_back(call);
        else
            m_calls[row->second].count += call.count;
    }
    std::vector<SizedCall> take() { return std::move(m_calls); }

private:
    using Key = std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::string, std::int64_t,
                           std::int64_t, std::string>;
    std::map<Key, std::size_t> m_rows;
    std::vector<SizedCall> m_calls;
};

} // namespace shardscope
