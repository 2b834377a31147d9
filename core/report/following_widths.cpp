#include "core/report/following_widths.h"

#include "core/base/format.h"

#include <algorithm>

namespace shardscope
{

std::vector<std::string> followingWidths(const Scenario& base, const Scenario& made)
{
    std::vector<std::string> keys;
    if (made.model.hidden_size == base.model.hidden_size)
        return keys;
    const auto take = [&](const char* key, std::int64_t before, std::int64_t there) {
        if (before != there)
            keys.emplace_back(key);
    };
    take("model.attention_heads", base.model.attention_heads, made.model.attention_heads);
    take("model.kv_heads", base.model.kv_heads, made.model.kv_heads);
    take("model.ffn_hidden_size", base.model.ffn_hidden_size, made.model.ffn_hidden_size);
    if (base.model.experts.count > 0)
        take("model.experts.ffn_hidden_size", base.model.experts.ffn_hidden_size,
             made.model.experts.ffn_hidden_size);
    take("model.recurrence.heads", base.model.recurrence.heads, made.model.recurrence.heads);
    return keys;
}

std::string widthNote(const Scenario& base, std::span<const Scenario> made)
{
    std::vector<std::string> all;
    for (const Scenario& scenario : made)
        for (const std::string& key : followingWidths(base, scenario))
            if (std::ranges::find(all, key) == all.end())
                all.push_back(key);
    std::string words;
    for (const std::string& key : all)
        words += (words.empty() ? "" : ", ") + key.substr(key.find('.') + 1);
    return words.empty() ? words
                         : "note: with the hidden size go " + words + ": heads stay "
                               + formatGrouped(base.model.head_dim)
                               + " wide, and the MLP keeps its ratio to the hidden size\n";
}

} // namespace shardscope
