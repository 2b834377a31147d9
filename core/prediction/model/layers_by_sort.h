#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace shardscope
{

// How many layers of a decoder have each form.
template<class Number>
class LayersByForm
{
public:
    Number& operator[](LayerForm form) { return m_layers[static_cast<std::size_t>(form)]; }
    const Number& operator[](LayerForm form) const { return m_layers[static_cast<std::size_t>(form)]; }

    Number all() const
    {
        Number sum{};
        for (const Number& layers : m_layers)
            sum += layers;
        return sum;
    }
    // Those that hasAttention(), hasMlp() ... of.
    Number with(bool (*has)(LayerForm)) const
    {
        Number sum{};
        each([&](LayerForm form, Number layers) { sum += has(form) ? layers : Number{}; });
        return sum;
    }
    // take(form, layers) of each form that some layers have.
    template<class Take>
    void each(Take take) const
    {
        for (std::size_t i = 0; i < layer_form_count; ++i)
            if (m_layers[i] != Number{})
                take(static_cast<LayerForm>(i), m_layers[i]);
    }

private:
    std::array<Number, layer_form_count> m_layers{};
};

struct LayersBySort {
    std::int64_t encoder = 0;
    LayersByForm<std::int64_t> decoder; // modules of multi-token prediction among them
    std::int64_t mtp = 0;               // these

    std::int64_t all() const { return encoder + decoder.all(); }
};

// Layers of the same parameters and operators.
struct LayerSort {
    enum class Stack : std::uint8_t { decoder, encoder, modules }; // of multi-token prediction

    Stack stack = Stack::decoder;
    LayerForm form = LayerForm::attention_mlp;

    std::size_t index() const
    {
        return stack == Stack::decoder ? static_cast<std::size_t>(form)
                                       : layer_form_count - 1 + static_cast<std::size_t>(stack);
    }
    bool isOfEncoder() const { return stack == Stack::encoder; }
    bool isModule() const { return stack == Stack::modules; }
    bool operator==(const LayerSort&) const = default;
};
inline constexpr std::size_t layer_sort_count = layer_form_count + 2;
inline constexpr LayerSort encoder_layer_sort{LayerSort::Stack::encoder, LayerForm::attention_mlp};

} // namespace shardscope
