#include "core/inference/message_choices.h"

#include "core/scenario/defaults.h"
#include "core/scenario/words.h"

#include <array>
#include <functional>

namespace shardscope
{

namespace
{

using confidence::likeliest;
using confidence::told; // by operators

constexpr std::array frameworks{Framework::megatron, Framework::deepspeed, Framework::fsdp, Framework::ddp};
constexpr int last_zero_stage = 3;

void tryFrameworks(ScenarioTrial& trial)
{
    for (const Framework framework : frameworks)
        for (int stage = 0; stage <= last_zero_stage; ++stage)
            for (const bool overlap : {false, true})
                trial.attempt([=](Scenario& one) {
                    one.parallel.zero_stage = stage;
                    one.conventions =
                        defaultConventions(framework, one.model, one.training, one.parallel, overlap);
                });
}

// The same products on a rank: of experts that the tensor group does not split, narrower ones that more
// tokens choose.
void holdExpertsWhole(Scenario& one)
{
    Experts& experts = one.model.experts;
    const std::int64_t tensor = one.parallel.expertTensor();
    if (experts.count == 0 || tensor == 1 || !one.parallel.sequence_parallel
        || experts.per_token * tensor > experts.count)
        return;
    one.parallel.expert_tensor_parallel = false;
    experts.ffn_hidden_size /= tensor;
    if (experts.capacity_factor > 0.0)
        experts.capacity_factor *= static_cast<double>(tensor);
    else
        experts.per_token *= tensor;
}

// Messages tell interleaved stages and how keys and values travel; 1F1B's are those of other schedules.
void trySchedules(ScenarioTrial& trial)
{
    for (const ContextMethod method : {ContextMethod::ulysses, ContextMethod::all_gather})
        trial.attempt([method](Scenario& one) { one.parallel.context_method = method; });
    trial.attempt([](Scenario& one) { one.model.experts.capacity_factor = 0.0; });
    trial.attempt(holdExpertsWhole);
    constexpr std::int64_t most_virtual_stages = 12;
    for (std::int64_t v = 2; v <= most_virtual_stages; ++v)
        trial.attempt([v](Scenario& one) {
            if (one.model.layers % (one.parallel.pipeline * v) != 0 || one.parallel.pipeline == 1)
                return;
            one.parallel.schedule = Schedule::interleaved;
            one.parallel.virtual_stages = v;
        });
}

// Collects, figure by figure, the values whose messages are those of the best scenario.
class UntoldChoices
{
public:
    explicit UntoldChoices(ScenarioTrial& trial) : m_trial{trial} {}

    void tryValue(const UntoldChoice& figure, std::string_view value,
                  const std::function<void(Scenario&)>& change)
    {
        if (!m_trial.sendsTheSame(change))
            return;
        if (m_choices.empty() || m_choices.back().key != figure.key)
            m_choices.push_back(figure);
        std::string& others = m_choices.back().others;
        if (!others.ends_with(value))
            others.append(others.empty() ? "" : ", ").append(value);
    }

    template<class Enum>
    void tryWords(const UntoldChoice& figure, const std::function<void(Scenario&, Enum)>& set)
    {
        const auto& words = EnumWords<Enum>::words;
        for (std::size_t i = 0; i < words.size(); ++i)
            tryValue(figure, words[i], [&](Scenario& one) { set(one, static_cast<Enum>(i)); });
    }

    std::vector<UntoldChoice> take() { return std::move(m_choices); }

private:
    ScenarioTrial& m_trial;
    std::vector<UntoldChoice> m_choices;
};

} // namespace

void chooseByMessages(ScenarioTrial& trial)
{
    for (int round = 0; round < 2; ++round) {
        tryFrameworks(trial);
        trySchedules(trial);
        trial.attempt([](Scenario& one) { one.model.tied_embeddings = !one.model.tied_embeddings; });
        trial.attempt([](Scenario& one) { one.model.position_embedding = PositionEmbedding::rope; });
        for (bool Conventions::*convention :
             {&Conventions::report_loss, &Conventions::gradient_norm, &Conventions::sp_regather,
              &Conventions::sp_reduce_scatter_embedding, &Conventions::pp_partitioned,
              &Conventions::tp_broadcast_batch, &Conventions::reduce_each_micro_batch})
            trial.attempt(
                [=](Scenario& one) { one.conventions.*convention = !(one.conventions.*convention); });
    }
}

std::vector<UntoldChoice> untoldByMessages(ScenarioTrial& trial)
{
    UntoldChoices choices{trial};
    const bool tied = trial.best().model.tied_embeddings;
    choices.tryValue({"model.tied_embeddings", likeliest, {}}, tied ? "false" : "true",
                     [&](Scenario& one) { one.model.tied_embeddings = !tied; });
    choices.tryWords<PositionEmbedding>(
        {"model.position_embedding", likeliest, {}},
        [](Scenario& one, PositionEmbedding value) { one.model.position_embedding = value; });
    choices.tryWords<Norm>({"model.norm", told, {}},
                           [](Scenario& one, Norm value) { one.model.norm = value; });
    // Full recomputation shows in the operators, selective does not.
    if (trial.best().training.recompute == Recompute::none)
        choices.tryValue({"training.recompute", likeliest, {}}, word(Recompute::selective),
                         [](Scenario& one) { one.training.recompute = Recompute::selective; });
    const bool flash = trial.best().training.flash_attention;
    choices.tryValue({"training.flash_attention", told, {}}, flash ? "false" : "true",
                     [&](Scenario& one) { one.training.flash_attention = !flash; });
    for (int stage = 0; stage <= last_zero_stage; ++stage)
        choices.tryValue({"parallel.zero_stage", likeliest, {}}, std::to_string(stage),
                         [stage](Scenario& one) { one.parallel.zero_stage = stage; });
    for (const Framework framework : frameworks)
        for (const bool overlap : {false, true})
            choices.tryValue({"conventions.framework", likeliest, {}}, word(framework), [=](Scenario& one) {
                if (one.conventions.framework != framework)
                    one.conventions =
                        defaultConventions(framework, one.model, one.training, one.parallel, overlap);
            });
    return choices.take();
}

} // namespace shardscope
