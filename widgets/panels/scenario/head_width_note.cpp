#include "widgets/panels/scenario/head_width_note.h"

#include "widgets/session/shown_text.h"

#include "core/scenario/model_sizes.h"
#include "core/scenario/scenario.h"

#include <QObject>

#include <algorithm>

namespace shardscope
{

namespace
{

// Latent attention has widths of its own, and validate() tells of figures that are not in range.
bool fillsHidden(const Model& model)
{
    constexpr std::int64_t most = 1'000'000; // of either, so that their product is one
    const bool is_odd = model.attention_heads < 1 || model.attention_heads > most || model.head_dim < 1
                        || model.head_dim > most || model.hidden_size < 1;
    return is_odd || model.mla.kv_lora_rank > 0
           || model.attention_heads * model.head_dim == model.hidden_size;
}

QString width(const Model& model)
{
    return QObject::tr("%1 heads of %2 are %3 wide")
        .arg(groupedText(model.attention_heads), groupedText(model.head_dim),
             groupedText(model.attention_heads * model.head_dim));
}

QString note(const Scenario& scenario, const QString& of_own_width)
{
    const Model& model = scenario.model;
    if (fillsHidden(model))
        return {};
    if (headDimFollows(model))
        return QObject::tr("%1 heads do not divide the hidden size of %2: %3.")
            .arg(groupedText(model.attention_heads), groupedText(model.hidden_size), width(model));
    return QObject::tr("%1, where the hidden size is %2: %3")
        .arg(width(model), groupedText(model.hidden_size), of_own_width);
}

} // namespace

QString noteOfHeads(const Scenario& scenario)
{
    return note(scenario, QObject::tr("the head dimension (Advanced) is the model's own."));
}

QString noteOfHeadDim(const Scenario& scenario)
{
    const double usual = static_cast<double>(scenario.model.hidden_size)
                         / static_cast<double>(std::max<std::int64_t>(1, scenario.model.attention_heads));
    return note(scenario, QObject::tr("this width is the model's own; h / a is %1.").arg(countText(usual)));
}

} // namespace shardscope
