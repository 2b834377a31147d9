#include "core/scenario/model_edits.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::int64_t each_head = std::numeric_limits<std::int64_t>::max(); // has keys of its own
constexpr std::size_t most_edits = 1000; // that can be gone back to: a drag makes a hundred

bool sameFigures(const Model& one, const Model& other)
{
    Model named = one;
    named.preset = other.preset;
    return named == other;
}

std::optional<std::int64_t> ownSize(std::int64_t size)
{
    return size == 0 ? std::nullopt : std::optional{size};
}

void own(OwnSizes& sizes, std::string_view key, const Model& wished)
{
    if (key == "model.kv_heads")
        sizes.kv_heads = wished.kv_heads == wished.attention_heads ? each_head : ownSize(wished.kv_heads);
    else if (key == "model.head_dim")
        sizes.head_dim = ownSize(wished.head_dim);
    else if (key == "model.ffn_hidden_size")
        sizes.ffn_hidden_size = ownSize(wished.ffn_hidden_size);
    else if (key == "model.experts.ffn_hidden_size")
        sizes.expert_width = ownSize(wished.experts.ffn_hidden_size);
}

} // namespace

void ModelEdits::begin(const Model& model)
{
    goOn({model, model, {}});
}

void ModelEdits::show(const Model& model)
{
    if (sameFigures(model, m_now.model))
        return;
    const auto made = std::find_if(m_others.rbegin(), m_others.rend(),
                                   [&](const Edit& edit) { return sameFigures(edit.model, model); });
    goOn(made == m_others.rend() ? Edit{model, model, {}} : *made);
}

const Model& ModelEdits::set(std::string_view key, const Model& wished)
{
    Edit edit = m_now;
    own(edit.own, key, wished);
    OwnSizes sizes = edit.own;
    // KV heads that were set divided the heads of then: others get as many as divide them.
    if (sizes.kv_heads)
        sizes.kv_heads = wished.attention_heads == m_now.model.attention_heads
                             ? wished.kv_heads
                             : kvHeadsThere(wished.attention_heads, *sizes.kv_heads);
    edit.model = wished;
    deriveSizes(edit.model, edit.begun, sizes);
    goOn(std::move(edit));
    return m_now.model;
}

void ModelEdits::goOn(Edit next)
{
    if (m_others.size() >= most_edits)
        m_others.erase(m_others.begin(), m_others.begin() + most_edits / 2);
    m_others.push_back(std::exchange(m_now, std::move(next)));
}

} // namespace shardscope
