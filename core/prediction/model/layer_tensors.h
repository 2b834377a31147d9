#pragma once

#include "core/prediction/model/layers_by_sort.h"
#include "core/scenario/scenario.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shardscope
{

// Of the tensors of a stage all, the weights of layers' products, or all others.
enum class TensorChoice : std::uint8_t { all, products, others };

// Sizes of tensors, of which it takes those that are chosen.
class TensorSizes
{
public:
    explicit TensorSizes(TensorChoice choice) : m_choice{choice} {}

    void addProduct(std::int64_t size)
    {
        if (m_choice != TensorChoice::others)
            m_sizes.push_back(size);
    }
    void add(std::int64_t size)
    {
        if (m_choice != TensorChoice::products)
            m_sizes.push_back(size);
    }
    void add(const TensorSizes& more)
    {
        m_sizes.insert(m_sizes.end(), more.m_sizes.begin(), more.m_sizes.end());
    }
    void reserve(std::size_t count) { m_sizes.reserve(count); }
    std::size_t count() const { return m_sizes.size(); }
    std::vector<std::int64_t> take() { return std::move(m_sizes); }

private:
    TensorChoice m_choice;
    std::vector<std::int64_t> m_sizes;
};

// The tensors of one layer that a rank holds, last operation first; a decoder's with the attention to an
// encoder. `routed` receives the experts'; it may be `dense`.
void appendLayer(TensorSizes& dense, TensorSizes& routed, const Scenario& scenario, LayerSort sort);

void appendNorm(TensorSizes& sizes, const Model& model);
std::size_t normTensors(const Model& model); // in one norm

} // namespace shardscope
