#include "core/sweep/layout_candidates.h"

#include "core/prediction/model/layer_traits.h"
#include "core/prediction/model/recomputation.h"
#include "core/prediction/ranks/rank_layout.h"
#include "core/scenario/micro_batch_groups.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/validation/validation.h"
#include "core/scenario/zero_stages.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace shardscope
{

namespace
{

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

// Ranks that share a sequence lie within replicas, with nothing but experts between: of these, some can
// become replicas and each message still crosses the same links.
bool areWithinReplicas(const RankOrder& order)
{
    const auto context = std::ranges::find(order, Dimension::cp);
    return std::find_if(context + 1, order.end(), [](Dimension next) { return next != Dimension::ep; })
           == std::ranges::find(order, Dimension::dp);
}

// Replicas share them, and ranks that split their sequences; of whole experts those of tensor groups, too.
bool sharesStates(const Parallel& parallel)
{
    return parallel.data * parallel.context > 1 || hasMirroredStages(parallel)
           || parallel.expertRanks() > parallel.expert;
}

struct Recomputation {
    Recompute recompute = Recompute::none;
    std::vector<RecomputeModule> modules{};
};

// Selective with the scenario's own modules and, where they are others, with what is worth trying. Of fused
// attention alone it is, where the scenario has it so.
std::vector<Recomputation> recomputationsOf(const Scenario& base)
{
    const std::vector<RecomputeModule>& own = base.training.recompute_modules;
    const std::vector<RecomputeModule> worth_trying = modulesWorthTrying(base);
    const bool has_modules = hasRecomputeModules(base.conventions.framework);
    const bool is_own = base.training.recompute == Recompute::selective;
    const bool saves = storesScores(base) || base.conventions.framework == Framework::fsdp;
    std::vector<Recomputation> all{{Recompute::none}};
    if (!worth_trying.empty() || saves || is_own)
        all.push_back({Recompute::selective, worth_trying});
    if (has_modules && is_own && own != worth_trying)
        all.push_back({Recompute::selective, own});
    all.push_back({Recompute::full});
    return all;
}

class Candidates
{
public:
    explicit Candidates(const Scenario& base)
        : m_base{base},
          m_of_layout{base},
          m_choices{layoutChoices(base)},
          m_recomputations{recomputationsOf(base)},
          m_sheds_context{m_choices.context && areWithinReplicas(base.parallel.rank_order)}
    {
        m_base.parallel.stage_layers.clear();
    }

    std::vector<Layout> on(std::int64_t gpus)
    {
        for (const std::int64_t context : contexts(gpus)) {
            const std::int64_t rest = gpus / context;
            for (const std::int64_t pipeline : divisors(rest))
                if (pipeline <= m_base.model.layers)
                    for (const std::int64_t tensor : divisors(rest / pipeline))
                        if (tensor <= mostTensor(m_base.model))
                            addDegrees(pipeline, tensor, context, rest / pipeline / tensor);
        }
        return std::move(m_found);
    }

private:
    std::vector<std::int64_t> contexts(std::int64_t gpus) const
    {
        std::vector<std::int64_t> all =
            m_choices.context ? divisors(gpus) : std::vector{m_base.parallel.context};
        std::erase_if(all, [&](std::int64_t context) {
            return gpus % context != 0 || m_base.model.sequence_length % context != 0;
        });
        return all;
    }

    // Schedules with the stages that a rank holds of each.
    std::vector<std::pair<Schedule, std::int64_t>> schedules(std::int64_t pipeline) const
    {
        if (pipeline == 1)
            return {{Schedule::one_f_one_b, 1}};
        if (!m_choices.virtual_stages)
            return {{m_base.parallel.schedule, m_base.parallel.virtual_stages}};
        std::vector<std::pair<Schedule, std::int64_t>> all{{Schedule::one_f_one_b, 1}};
        if (m_base.model.layers % pipeline == 0)
            for (const std::int64_t stages : divisors(m_base.model.layers / pipeline))
                if (stages > 1)
                    all.emplace_back(Schedule::interleaved, stages);
        return all;
    }

    void addDegrees(std::int64_t pipeline, std::int64_t tensor, std::int64_t context, std::int64_t data)
    {
        if (m_base.training.global_batch_size % data != 0)
            return;
        Layout layout{m_base.parallel, 1, Recompute::none};
        Parallel& parallel = layout.parallel;
        parallel.pipeline = pipeline;
        parallel.tensor = tensor;
        parallel.context = context;
        parallel.data = data;
        const bool is_split = m_base.parallel.expert_tensor_parallel;
        for (const bool splits : {is_split, !is_split})
            if (splits == is_split || (m_choices.expert_tensor && tensor > 1)) {
                parallel.expert_tensor_parallel = splits;
                addExpertRanks(layout);
            }
    }

    void addExpertRanks(Layout& layout)
    {
        Parallel& parallel = layout.parallel;
        const std::vector<std::int64_t> experts =
            m_choices.expert ? divisors(m_base.model.experts.count) : std::vector{m_base.parallel.expert};
        for (const std::int64_t expert : experts)
            if (parallel.expertRanks() % expert == 0) {
                parallel.expert = expert;
                addPasses(layout);
            }
    }

    // The base's groups of micro-batches, where these fill them.
    void keepGroup(Layout& layout) const
    {
        Parallel& parallel = layout.parallel;
        const std::int64_t micro_batches =
            m_base.training.global_batch_size / (parallel.data * layout.micro_batch_size);
        parallel.micro_batch_group = m_base.parallel.micro_batch_group;
        if (!fillGroups(parallel, m_base.conventions.framework, micro_batches))
            parallel.micro_batch_group = 0;
    }

    void addPasses(Layout& layout)
    {
        const Parallel& own = layout.parallel;
        const auto of_schedules = schedules(own.pipeline);
        for (const std::int64_t micro_batch : divisors(m_base.training.global_batch_size / own.data)) {
            layout.micro_batch_size = micro_batch;
            for (const auto& [schedule, stages] : of_schedules) {
                layout.parallel.schedule = schedule;
                layout.parallel.virtual_stages = stages;
                keepGroup(layout);
                for (const bool sequence_parallel : {false, true}) {
                    layout.parallel.sequence_parallel = sequence_parallel;
                    // Whole experts take tokens that are split.
                    const bool is_idle =
                        sequence_parallel ? own.tensor == 1 : own.holdsExpertsWhole() && m_choices.expert;
                    if (!is_idle && canBeTrained(layout) && !hasSimplerTwin(layout))
                        addSwitches(layout);
                }
            }
        }
    }

    // Neither the ZeRO stage nor recomputation has a say in this.
    bool canBeTrained(const Layout& layout) const { return validate(withLayout(m_base, layout)).empty(); }

    // The same tokens on each rank and the same micro-batches with fewer ranks to a sequence.
    bool hasSimplerTwin(const Layout& layout) const
    {
        const std::int64_t factor = std::gcd(layout.parallel.context, layout.micro_batch_size);
        if (!m_sheds_context || factor == 1)
            return false;
        Layout twin = layout;
        twin.parallel.context /= factor;
        twin.parallel.data *= factor;
        twin.micro_batch_size /= factor;
        return canBeTrained(twin);
    }

    void addSwitches(Layout& layout)
    {
        // Of a list of tensors nobody knows what could be computed again.
        const std::size_t choices = m_choices.layers ? m_recomputations.size() : 1;
        constexpr int zero_stages = 4;
        m_of_layout.parallel.pipeline = layout.parallel.pipeline;
        for (int zero_stage = 0; zero_stage < zero_stages; ++zero_stage) {
            if (zero_stage > 0 && !sharesStates(layout.parallel))
                continue;
            if (!runsZeroStage(m_of_layout, zero_stage))
                continue;
            layout.parallel.zero_stage = zero_stage;
            for (std::size_t choice = 0; choice < choices; ++choice) {
                layout.recompute = m_recomputations[choice].recompute;
                layout.recompute_modules = m_recomputations[choice].modules;
                m_found.push_back(layout);
            }
        }
    }

    Scenario m_base;
    Scenario m_of_layout; // with the pipeline of the layout at hand
    LayoutChoices m_choices;
    std::vector<Recomputation> m_recomputations;
    bool m_sheds_context; // where a layout has a simpler twin, it alone is tried
    std::vector<Layout> m_found;
};

} // namespace

LayoutChoices layoutChoices(const Scenario& base)
{
    const Parallel& parallel = base.parallel;
    const bool is_in_blocks = parallel.context_method != ContextMethod::ulysses;
    LayoutChoices choices;
    if (base.model.kind == ModelKind::parameter_list)
        return choices;
    choices.layers = true;
    choices.context = !base.model.hasEncoder() && (!is_in_blocks || base.training.flash_attention);
    choices.expert = base.model.hasExpertLayers();
    const Framework framework = base.conventions.framework;
    choices.expert_tensor =
        choices.expert && (framework == Framework::megatron || framework == Framework::fsdp);
    choices.virtual_stages =
        parallel.schedule == Schedule::one_f_one_b || parallel.schedule == Schedule::interleaved;
    return choices;
}

std::vector<VariedFigure> variedFigures(const Scenario& base)
{
    const LayoutChoices choices = layoutChoices(base);
    std::vector<VariedFigure> figures;
    const auto add = [&](bool is_varied, const VariedFigure& figure) {
        if (is_varied)
            figures.push_back(figure);
    };
    add(choices.layers, {"parallel.pipeline", "pipeline", "p"});
    add(choices.layers, {"parallel.tensor", "tensor", "t"});
    add(choices.context, {"parallel.context", "context", "c"});
    add(true, {"parallel.data", "data", "d"});
    add(choices.expert, {"parallel.expert", "expert", "ep"});
    add(choices.expert_tensor, {"parallel.expert_tensor_parallel", "experts split by tensor ranks", "etp"});
    add(true, {"training.micro_batch_size", "micro-batch", "b"});
    add(choices.virtual_stages, {"parallel.virtual_stages", "virtual stages", "v"});
    add(true, {"parallel.zero_stage", "ZeRO stage", "z"});
    add(choices.layers, {"parallel.sequence_parallel", "sequence parallelism", "sp"});
    add(choices.layers, {"training.recompute", "recomputation", "r"});
    add(choices.layers, {"training.recompute_layers", "", ""});
    const bool has_modules = modulesWorthTrying(base) != base.training.recompute_modules;
    add(choices.layers && has_modules, {"training.recompute_modules", "", ""});
    return figures;
}

std::vector<Layout> layoutCandidates(const Scenario& base, std::int64_t gpus)
{
    return Candidates{base}.on(gpus);
}

} // namespace shardscope
