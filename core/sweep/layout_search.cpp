#include "core/sweep/layout_search.h"

#include "core/prediction/memory/memory.h"
#include "core/prediction/predict.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/scenario/defaults.h"
#include "core/scenario/validation.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <thread>

namespace shardscope
{

namespace
{

constexpr std::int64_t most_gpus = 1'000'000;

std::vector<std::int64_t> divisors(std::int64_t number)
{
    std::vector<std::int64_t> found;
    for (std::int64_t divisor = 1; divisor * divisor <= number; ++divisor)
        if (number % divisor == 0) {
            found.push_back(divisor);
            if (divisor * divisor != number)
                found.push_back(number / divisor);
        }
    std::ranges::sort(found);
    return found;
}

// Replicas share them, and ranks that split their sequences.
bool sharesStates(const Parallel& parallel)
{
    return parallel.data * parallel.context > 1 || hasMirroredStages(parallel);
}

// The layouts of one search that can be trained.
class Candidates
{
public:
    Candidates(const Scenario& base, std::int64_t gpus) : m_base{base}
    {
        m_base.parallel.stage_layers.clear();
        if (gpus % base.parallel.context != 0)
            return;
        const std::int64_t replicas = gpus / base.parallel.context;
        for (const std::int64_t pipeline : divisors(replicas))
            if (pipeline <= base.model.layers)
                for (const std::int64_t tensor : divisors(replicas / pipeline))
                    if (tensor <= base.model.attention_heads)
                        addDegrees(pipeline, tensor, replicas / pipeline / tensor);
    }

    std::vector<Layout> take() { return std::move(m_found); }

private:
    // Schedules with the stages that a rank holds of each.
    std::vector<std::pair<Schedule, std::int64_t>> schedules(std::int64_t pipeline) const
    {
        const Schedule own = m_base.parallel.schedule;
        const bool may_interleave = own == Schedule::one_f_one_b || own == Schedule::interleaved;
        if (pipeline == 1)
            return {{Schedule::one_f_one_b, 1}};
        if (!may_interleave)
            return {{own, m_base.parallel.virtual_stages}};
        std::vector<std::pair<Schedule, std::int64_t>> all{{Schedule::one_f_one_b, 1}};
        if (m_base.model.layers % pipeline == 0)
            for (const std::int64_t stages : divisors(m_base.model.layers / pipeline))
                if (stages > 1)
                    all.emplace_back(Schedule::interleaved, stages);
        return all;
    }

    void addDegrees(std::int64_t pipeline, std::int64_t tensor, std::int64_t data)
    {
        if (m_base.training.global_batch_size % data != 0)
            return;
        Layout layout{m_base.parallel, 1, Recompute::none};
        Parallel& parallel = layout.parallel;
        parallel.pipeline = pipeline;
        parallel.tensor = tensor;
        parallel.data = data;
        for (const std::int64_t micro_batch : divisors(m_base.training.global_batch_size / data))
            for (const auto& [schedule, stages] : schedules(pipeline)) {
                layout.micro_batch_size = micro_batch;
                parallel.schedule = schedule;
                parallel.virtual_stages = stages;
                addSwitches(layout);
            }
    }

    void addSwitches(Layout& layout)
    {
        constexpr std::array recomputes{Recompute::none, Recompute::selective, Recompute::full};
        // Of a list of tensors nobody knows what could be computed again.
        const std::size_t choices = m_base.model.kind == ModelKind::parameter_list ? 1 : recomputes.size();
        constexpr int zero_stages = 4;
        for (const bool sequence_parallel : {false, true}) {
            if (sequence_parallel && layout.parallel.tensor == 1)
                continue;
            layout.parallel.sequence_parallel = sequence_parallel;
            for (int zero_stage = 0; zero_stage < zero_stages; ++zero_stage) {
                if (zero_stage > 0 && !sharesStates(layout.parallel))
                    continue;
                layout.parallel.zero_stage = zero_stage;
                for (std::size_t choice = 0; choice < choices; ++choice) {
                    layout.recompute = recomputes[choice];
                    if (validate(withLayout(m_base, layout)).empty())
                        m_found.push_back(layout);
                }
            }
        }
    }

    Scenario m_base;
    std::vector<Layout> m_found;
};

// Nothing: it does not fit.
std::optional<FoundLayout> costOf(const Scenario& base, const Layout& layout)
{
    const Scenario scenario = withLayout(base, layout);
    const Result<MemoryPrediction> memory = predictMemory(scenario);
    if (!memory || !memory.value().fits)
        return std::nullopt;
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return std::nullopt;
    const Prediction& answer = prediction.value();
    FoundLayout found{layout, answer.time, answer.micro_batches, answer.memory.device_bytes};
    found.is_nearly_full = isNearlyFull(answer.memory.device_bytes, scenario.cluster);
    return found;
}

// Of several threads one that is late does not take it back. `share` may be null.
void raiseTo(std::atomic<double>* share, double value)
{
    if (share == nullptr)
        return;
    double seen = share->load(std::memory_order_relaxed);
    while (seen < value && !share->compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
}

std::vector<std::optional<FoundLayout>> costs(const Scenario& base, const std::vector<Layout>& layouts,
                                              unsigned threads, const std::atomic<bool>* stop,
                                              std::atomic<double>* share)
{
    std::vector<std::optional<FoundLayout>> found(layouts.size());
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < layouts.size(); i = next++) {
            if (stop != nullptr && stop->load(std::memory_order_relaxed))
                return;
            found[i] = costOf(base, layouts[i]);
            raiseTo(share, static_cast<double>(++done) / static_cast<double>(layouts.size()));
        }
    };
    std::vector<std::jthread> others;
    for (unsigned thread = 1; thread < threads; ++thread)
        others.emplace_back(work);
    work();
    others.clear(); // waits for them
    return found;
}

// Equal times by less memory; then as they were tried, so that the answer is always the same.
bool isBetter(const FoundLayout& a, const FoundLayout& b)
{
    return a.time.iteration_s != b.time.iteration_s ? a.time.iteration_s < b.time.iteration_s
                                                    : a.device_bytes < b.device_bytes;
}

void judge(LayoutSearch& search)
{
    const double fastest_s = search.found.front().time.iteration_s;
    std::int64_t least_bytes = 0;
    for (std::size_t i = 0; i < search.found.size(); ++i) {
        FoundLayout& layout = search.found[i];
        layout.may_be_fastest =
            !search.calibrated || layout.time.iteration_s * (1.0 + layout.time.error_band[0]) <= fastest_s;
        if (i == 0 || layout.device_bytes < least_bytes) {
            search.front.push_back(i);
            least_bytes = layout.device_bytes;
        }
    }
}

} // namespace

std::size_t LayoutSearch::fastestWithRoom() const
{
    const auto roomy = std::ranges::find(found, false, &FoundLayout::is_nearly_full);
    return roomy == found.end() ? 0 : static_cast<std::size_t>(roomy - found.begin());
}

Scenario withLayout(const Scenario& base, const Layout& layout)
{
    Scenario scenario = base;
    scenario.conventions = conventionsThere(base, base.training, layout.parallel);
    scenario.parallel = layout.parallel;
    scenario.training.micro_batch_size = layout.micro_batch_size;
    scenario.training.recompute = layout.recompute;
    return scenario;
}

Scenario foundScenario(const Scenario& base, const Layout& layout)
{
    Scenario scenario = withLayout(base, layout);
    const std::string& model = base.model.preset;
    scenario.name = (model.empty() ? "" : model + ", ") + layoutText(layout);
    return scenario;
}

Layout layoutOf(const Scenario& scenario)
{
    return {scenario.parallel, scenario.training.micro_batch_size, scenario.training.recompute};
}

std::string layoutText(const Layout& layout)
{
    const Parallel& parallel = layout.parallel;
    std::string text = "(p, t, d) = (" + std::to_string(parallel.pipeline) + ", "
                       + std::to_string(parallel.tensor) + ", " + std::to_string(parallel.data) + ")";
    if (parallel.context > 1)
        text += ", c " + std::to_string(parallel.context);
    if (parallel.expert > 1)
        text += ", e " + std::to_string(parallel.expert);
    text += ", micro-batch " + std::to_string(layout.micro_batch_size);
    if (parallel.pipeline > 1)
        text += ", " + std::string{word(parallel.schedule)};
    if (parallel.virtual_stages > 1)
        text += " " + std::to_string(parallel.virtual_stages);
    text += ", ZeRO " + std::to_string(parallel.zero_stage);
    if (parallel.sequence_parallel)
        text += ", sequence parallel";
    if (layout.recompute == Recompute::none)
        return text + ", no recomputation";
    return text + ", " + std::string{word(layout.recompute)} + " recomputation";
}

Result<LayoutSearch> searchLayouts(const Scenario& base, std::int64_t gpus, unsigned threads,
                                   const std::atomic<bool>* stop, std::atomic<double>* share)
{
    if (gpus < 1 || gpus > most_gpus)
        return Error{"a search takes 1 to 1,000,000 GPUs; give such a number"};
    const std::vector<Layout> layouts = Candidates{base, gpus}.take();
    if (layouts.empty())
        return Error{"the model cannot be laid out on " + std::to_string(gpus)
                     + (gpus == 1 ? " GPU" : " GPUs") + " with a global batch of "
                     + std::to_string(base.training.global_batch_size)
                     + "; choose a number of GPUs that the batch, heads or layers can be shared among"};
    LayoutSearch search;
    search.gpus = gpus;
    search.calibrated = base.cluster.calibrated;
    search.possible = static_cast<std::int64_t>(layouts.size());
    if (const auto memory = predictMemory(withLayout(base, layouts.front())))
        search.capacity_bytes = memory.value().capacity_bytes;
    for (std::optional<FoundLayout>& layout : costs(base, layouts, threads, stop, share))
        if (layout)
            search.found.push_back(std::move(*layout));
    if (stop != nullptr && stop->load())
        return Error{"stopped"};
    search.too_large = search.possible - static_cast<std::int64_t>(search.found.size());
    std::ranges::stable_sort(search.found, isBetter);
    if (!search.found.empty())
        judge(search);
    return search;
}

} // namespace shardscope
