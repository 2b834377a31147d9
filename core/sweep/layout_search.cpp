#include "core/sweep/layout_search.h"

#include "core/base/format.h"
#include "core/base/side_by_side.h"
#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/scenario/validation/validation.h"
#include "core/sweep/fewest_layers_again.h"
#include "core/sweep/layout_candidates.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace shardscope
{

namespace
{

// Of several threads one that is late does not take it back. `share` may be null.
void raiseTo(std::atomic<double>* share, double value)
{
    if (share == nullptr)
        return;
    double seen = share->load(std::memory_order_relaxed);
    while (seen < value && !share->compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
}

// Of a search's progress: 0 to 1.
struct ShareOfSearch {
    double begin = 0.0;
    double end = 1.0;
};

// A part of a search: `work(i)` for each of `count`, in this order, by all threads.
template<class Work>
void workThrough(std::size_t count, const LayoutSearchOptions& options, ShareOfSearch part, Work work)
{
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    const auto go = [&](std::size_t) {
        for (std::size_t i = next++; i < count; i = next++) {
            if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed))
                return;
            work(i);
            raiseTo(options.share,
                    part.begin
                        + (part.end - part.begin) * static_cast<double>(++done) / static_cast<double>(count));
        }
    };
    runSideBySide(std::max(1U, options.threads), go);
}

// What has been played so far, as far as it decides whether another layout is worth playing.
class Record
{
public:
    explicit Record(std::size_t top) : m_top{top} {}

    // Neither among the fastest nor on the front, whatever it takes beyond its bound.
    bool beats(const CostAtLeast& cost) const
    {
        if (m_fastest_s.size() < m_top || cost.iteration_s <= m_fastest_s.top())
            return false;
        const auto slower = m_front.lower_bound(cost.iteration_s);
        return slower != m_front.begin() && std::prev(slower)->second <= cost.device_bytes;
    }

    void add(double iteration_s, std::int64_t device_bytes)
    {
        m_fastest_s.push(iteration_s);
        if (m_fastest_s.size() > m_top)
            m_fastest_s.pop();
        auto slower = m_front.upper_bound(iteration_s);
        if (slower != m_front.begin() && std::prev(slower)->second <= device_bytes)
            return;
        while (slower != m_front.end() && slower->second >= device_bytes)
            slower = m_front.erase(slower);
        m_front[iteration_s] = device_bytes;
    }

private:
    std::size_t m_top;
    std::priority_queue<double> m_fastest_s;
    std::map<double, std::int64_t> m_front; // bytes by seconds, falling
};

class Searching
{
public:
    Searching(const Scenario& base, std::vector<Layout> layouts, const LayoutSearchOptions& options)
        : m_base{base}, m_layouts{std::move(layouts)}, m_options{options}, m_record{options.top}
    {
    }

    LayoutSearch run(std::int64_t gpus)
    {
        m_search.gpus = gpus;
        m_search.calibrated = m_base.cluster.calibrated;
        bound(0, {0.0, 0.2});
        boundPartial();
        sortPromising();
        play();
        choose();
        judge();
        compare();
        return std::move(m_search);
    }

private:
    using Played = std::pair<std::size_t, FoundLayout>; // with its place among all that are tried

    // Layouts from the first on.
    void bound(std::size_t first, ShareOfSearch part)
    {
        m_costs.resize(m_layouts.size());
        m_has_exact_time.resize(m_layouts.size());
        workThrough(m_layouts.size() - first, m_options, part, [this, first](std::size_t i) {
            if (const auto cost = costAtLeast(withLayout(m_base, m_layouts[first + i])))
                m_costs[first + i] = cost.value();
        });
    }

    // Where all layers have to be computed again or none fits, fewer may do: as few as fit, and as leave
    // room.
    void boundPartial()
    {
        std::vector<std::vector<Layout>> partial(m_layouts.size());
        workThrough(m_layouts.size(), m_options, {0.2, 0.4}, [&](std::size_t i) {
            if (m_layouts[i].recompute == Recompute::full && m_costs[i] && m_costs[i]->fits)
                partial[i] = withFewerLayers(m_layouts[i]);
        });
        const std::size_t first = m_layouts.size();
        for (const std::vector<Layout>& layouts : partial)
            m_layouts.insert(m_layouts.end(), layouts.begin(), layouts.end());
        bound(first, {0.4, 0.5});
    }

    std::vector<Layout> withFewerLayers(const Layout& full) const
    {
        const Scenario scenario = withLayout(m_base, full);
        std::vector<Layout> layouts;
        for (const MemorySuffices& suffices : {MemorySuffices{fitsAtAll}, MemorySuffices{fitsWithRoom}}) {
            const auto layers = fewestLayersAgain(scenario, suffices);
            if (!layers || (!layouts.empty() && layouts.back().recompute_layers == *layers))
                continue;
            layouts.push_back(full);
            layouts.back().recompute_layers = *layers;
        }
        return layouts;
    }

    static bool fitsAtAll(const MemoryPrediction& memory, const Cluster& /*cluster*/) { return memory.fits; }

    void sortPromising()
    {
        for (std::size_t i = 0; i < m_costs.size(); ++i) {
            m_search.possible += m_costs[i] ? 1 : 0;
            if (m_costs[i])
                m_search.capacity_bytes = m_costs[i]->capacity_bytes;
            if (m_costs[i] && m_costs[i]->fits)
                m_promising.push_back(i);
        }
        m_search.too_large = m_search.possible - static_cast<std::int64_t>(m_promising.size());
        std::ranges::stable_sort(m_promising, {}, [this](std::size_t i) { return m_costs[i]->iteration_s; });
    }

    // The most promising first, so that they spare the others.
    void play()
    {
        workThrough(m_promising.size(), m_options, {0.5, 1.0}, [this](std::size_t place) {
            const std::size_t i = m_promising[place];
            if (std::scoped_lock lock{m_mutex}; m_record.beats(*m_costs[i]))
                return;
            const Scenario scenario = withLayout(m_base, m_layouts[i]);
            const Result<Prediction> prediction = predict(scenario);
            if (!prediction)
                return;
            const Prediction& answer = prediction.value();
            FoundLayout found{m_layouts[i], answer.time, answer.micro_batches, answer.memory.device_bytes};
            found.is_nearly_full = isNearlyFull(found.device_bytes, scenario.cluster);
            const std::scoped_lock lock{m_mutex};
            m_record.add(found.time.iteration_s, found.device_bytes);
            m_played.emplace_back(i, std::move(found));
        });
    }

    // Equal times by less memory; then as they were tried, so that the answer is always the same.
    static bool isBetter(const Played& one, const Played& other)
    {
        const auto rank = [](const Played& played) {
            return std::tuple{played.second.time.iteration_s, played.second.device_bytes, played.first};
        };
        return rank(one) < rank(other);
    }

    // What else was played depends on which thread came first.
    void choose()
    {
        std::ranges::sort(m_played, isBetter);
        std::int64_t least_bytes = 0;
        for (std::size_t rank = 0; rank < m_played.size(); ++rank) {
            auto& [tried, layout] = m_played[rank];
            const bool is_front = rank == 0 || layout.device_bytes < least_bytes;
            if (is_front) {
                m_search.front.push_back(m_search.found.size());
                least_bytes = layout.device_bytes;
            }
            if (!is_front && rank >= m_options.top)
                continue;
            m_costs[tried]->iteration_s = layout.time.iteration_s;
            m_has_exact_time[tried] = true;
            m_search.found.push_back(std::move(layout));
        }
    }

    void judge()
    {
        if (m_search.found.empty())
            return;
        const double fastest_s = m_search.found.front().time.iteration_s;
        const auto may_be_fastest = [&](double iteration_s, const std::array<double, 2>& band) {
            return !m_search.calibrated || iteration_s * (1.0 + band[0]) <= fastest_s;
        };
        for (FoundLayout& layout : m_search.found)
            layout.may_be_fastest = may_be_fastest(layout.time.iteration_s, layout.time.error_band);
        m_search.may_be_fastest = std::ranges::count_if(m_promising, [&](std::size_t i) {
            return may_be_fastest(m_costs[i]->iteration_s, m_costs[i]->error_band);
        });
    }

    void compare()
    {
        if (!m_options.compared_s)
            return;
        for (const std::size_t i : m_promising)
            if (m_costs[i]->iteration_s < *m_options.compared_s) {
                ++m_search.faster;
                m_search.faster_is_exact = m_search.faster_is_exact && m_has_exact_time[i];
            }
    }

    const Scenario& m_base;
    std::vector<Layout> m_layouts;
    const LayoutSearchOptions& m_options;
    std::vector<std::optional<CostAtLeast>> m_costs; // of each layout; nothing: it cannot be trained
    std::vector<bool> m_has_exact_time;   // of each: the cost is no bound but what its schedule takes
    std::vector<std::size_t> m_promising; // those that fit, by their bound
    std::vector<Played> m_played;
    std::mutex m_mutex; // of what is played
    Record m_record;
    LayoutSearch m_search;
};

// Why there is none: what is wrong with the model, its training or its cluster however it is laid out, or
// that it cannot be shared among so many.
Error noLayout(const Scenario& base, std::int64_t gpus)
{
    Scenario scenario = base;
    scenario.parallel = Parallel{};
    scenario.training.global_batch_size = std::max<std::int64_t>(1, scenario.training.micro_batch_size);
    if (std::vector<Problem> problems = validate(scenario); !problems.empty())
        return {std::move(problems.front().sentence)};
    return {"the model cannot be laid out on " + std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs")
            + " with a global batch of " + std::to_string(base.training.global_batch_size)
            + "; choose a number of GPUs that the batch, heads or layers can be shared among"};
}

} // namespace

std::size_t LayoutSearch::fastestWithRoom() const
{
    const auto roomy = std::ranges::find(found, false, &FoundLayout::is_nearly_full);
    return roomy == found.end() ? 0 : static_cast<std::size_t>(roomy - found.begin());
}

Result<LayoutSearch> searchLayouts(const Scenario& base, std::int64_t gpus,
                                   const LayoutSearchOptions& options)
{
    if (gpus < 1 || gpus > most_searched_gpus)
        return Error{"a search takes 1 to " + formatGrouped(most_searched_gpus)
                     + " GPUs; give such a number"};
    std::vector<Layout> layouts = layoutCandidates(base, gpus);
    if (layouts.empty())
        return noLayout(base, gpus);
    LayoutSearch search = Searching{base, std::move(layouts), options}.run(gpus);
    if (options.stop != nullptr && options.stop->load())
        return Error{"stopped"};
    return search;
}

} // namespace shardscope
