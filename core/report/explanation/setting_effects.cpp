#include "core/report/explanation/setting_effects.h"

#include "core/base/format.h"
#include "core/prediction/model/expert_load.h"
#include "core/prediction/predict.h"
#include "core/report/explanation/worked_formula.h"
#include "core/scenario/defaults.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/words.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace shardscope
{

namespace
{

// What one GPU sends in an iteration, on average over the stages, what the fullest one holds, and how long it
// takes.
struct Sent {
    double bytes = 0.0;
    double calls = 0.0;
    double expert_bytes = 0.0; // of them to the experts and back
    double device_bytes = 0.0;
    double iteration_s = 0.0;
};

std::optional<Sent> sentBy(const Scenario& scenario)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return std::nullopt;
    const std::vector<StagePrediction>& stages = prediction.value().stages;
    const double share = 1.0 / static_cast<double>(stages.size());
    Sent sent;
    sent.device_bytes = static_cast<double>(prediction.value().memory.device_bytes);
    sent.iteration_s = prediction.value().time.iteration_s;
    for (const StagePrediction& stage : stages)
        for (const Message& message : stage.messages) {
            sent.bytes += share * message.wire_bytes;
            sent.calls += share * static_cast<double>(message.count);
            if (message.kind == Kind::ep)
                sent.expert_bytes += share * message.wire_bytes;
        }
    return sent;
}

std::string signedBytes(double bytes)
{
    return (bytes < 0.0 ? "-" : "+") + formatBytes(std::fabs(bytes));
}

// Nothing where neither bytes nor calls change.
std::string sentDifference(const Sent& now, const Sent& then)
{
    const double bytes = then.bytes - now.bytes;
    if (std::fabs(bytes) >= 0.5) {
        std::string text = signedBytes(bytes) + " sent by a GPU";
        constexpr double worth_telling = 0.0005;
        if (std::fabs(bytes) >= worth_telling * now.bytes && now.bytes > 0.0)
            text += (bytes < 0.0 ? " (-" : " (+") + formatRatio(std::fabs(bytes) / now.bytes) + ")";
        return text;
    }
    if (std::fabs(then.calls - now.calls) < 0.5)
        return {};
    const std::string calls = formatCount(then.calls);
    const bool is_told = calls != formatCount(now.calls);
    return "the same bytes in " + (is_told ? calls : formatGrouped(std::llround(then.calls)))
           + " calls instead of "
           + (is_told ? formatCount(now.calls) : formatGrouped(std::llround(now.calls)));
}

// Nothing below half a percent, far inside of what a prediction can tell.
std::string timeDifference(const Sent& now, const Sent& then)
{
    constexpr double worth_telling = 0.005;
    const double share = now.iteration_s > 0.0 ? then.iteration_s / now.iteration_s - 1.0 : 0.0;
    if (std::fabs(share) < worth_telling)
        return {};
    return (share < 0.0 ? "-" : "+") + formatRatio(std::fabs(share)) + " of time";
}

// Nothing where the fullest GPU holds as much, within a thousandth.
std::string memoryDifference(const Sent& now, const Sent& then)
{
    constexpr double worth_telling = 0.001;
    const double bytes = then.device_bytes - now.device_bytes;
    if (std::fabs(bytes) < worth_telling * now.device_bytes)
        return {};
    return signedBytes(bytes) + " of memory";
}

std::string difference(const Sent& now, const Sent& then)
{
    std::string text;
    for (const std::string& part :
         {sentDifference(now, then), memoryDifference(now, then), timeDifference(now, then)})
        if (!part.empty())
            text += (text.empty() ? "" : ", ") + part;
    return text;
}

void append(std::string& sentence, std::string_view value, const std::string& effect)
{
    if (effect.empty())
        return;
    sentence += (sentence.empty() ? "" : "; ") + std::string{value} + ": " + effect;
}

// A visitor of Fields<Conventions> that moves one switch at a time and puts it back.
class ConventionTrials
{
public:
    ConventionTrials(Scenario& scenario, const Sent& now, const std::atomic<bool>* stop)
        : m_scenario{scenario}, m_now{now}, m_stop{stop}
    {
    }
    bool isStopped() const { return m_stop != nullptr && m_stop->load(std::memory_order_relaxed); }

    void operator()(std::string_view key, bool& member)
    {
        member = !member;
        std::string sentence;
        append(sentence, member ? "on" : "off", trial());
        member = !member;
        keep(key, std::move(sentence));
    }
    void operator()(std::string_view key, Framework& member)
    {
        const Conventions before = m_scenario.conventions;
        std::string sentence;
        for (std::size_t other = 0; other < words<Framework>().size(); ++other) {
            const auto framework = static_cast<Framework>(other);
            if (framework == before.framework)
                continue;
            m_scenario.conventions =
                defaultConventions(framework, m_scenario.model, m_scenario.training, m_scenario.parallel);
            append(sentence, word(framework), trial());
        }
        m_scenario.conventions = before;
        member = before.framework;
        keep(key, std::move(sentence));
    }
    template<HasWords Enum>
    void operator()(std::string_view key, Enum& member)
    {
        const Enum before = member;
        std::string sentence;
        for (std::size_t other = 0; other < words<Enum>().size(); ++other) {
            member = static_cast<Enum>(other);
            if (member != before)
                append(sentence, word(member), trial());
        }
        member = before;
        keep(key, std::move(sentence));
    }
    void operator()(std::string_view, const auto&) {} // numbers have no other value to compare with

    std::vector<SettingEffect> take() { return std::move(m_effects); }

private:
    std::string trial() const
    {
        const std::optional<Sent> then = isStopped() ? std::nullopt : sentBy(m_scenario);
        return then ? difference(m_now, *then) : std::string{};
    }
    void keep(std::string_view key, std::string sentence)
    {
        if (!sentence.empty())
            m_effects.push_back({"conventions." + std::string{key}, std::move(sentence)});
    }

    Scenario& m_scenario;
    const Sent& m_now;
    const std::atomic<bool>* m_stop;
    std::vector<SettingEffect> m_effects;
};

// "1: 4 GiB; 2: 8 GiB" of the exchange with the experts.
template<class Value>
std::string expertVolumes(Scenario scenario, Value Experts::*member, const std::vector<Value>& values,
                          std::string (*text)(Value))
{
    std::string sentence;
    for (const Value value : values) {
        scenario.model.experts.*member = value;
        if (const std::optional<Sent> sent = sentBy(scenario); sent && sent->expert_bytes > 0.0)
            append(sentence, text(value), formatBytes(sent->expert_bytes));
    }
    return sentence.empty() ? sentence : "all_to_all of a GPU: " + sentence;
}

void addExpertEffects(const Scenario& scenario, std::vector<SettingEffect>& effects)
{
    if (scenario.model.experts.count == 0 || scenario.parallel.expert < 2)
        return;
    const auto keep = [&](const char* key, std::string sentence) {
        if (!sentence.empty())
            effects.push_back({key, std::move(sentence)});
    };
    keep("model.experts.per_token",
         expertVolumes<std::int64_t>(scenario, &Experts::per_token, {1, 2, 4, 8},
                                     [](std::int64_t k) { return "top-" + std::to_string(k); }));
    keep("model.experts.capacity_factor",
         expertVolumes<double>(scenario, &Experts::capacity_factor, {1.0, 1.25, 1.5, 2.0}, twoDecimals));
    const std::vector<double> loads = expertLoads(scenario);
    if (!loads.empty())
        keep("model.experts.skew",
             "the fullest rank of an expert group receives " + twoDecimals(*std::ranges::max_element(loads))
                 + " times the mean, the emptiest " + twoDecimals(*std::ranges::min_element(loads)));
}

} // namespace

std::vector<SettingEffect> settingEffects(const Scenario& scenario, const std::atomic<bool>* stop)
{
    Scenario tried = scenario;
    const std::optional<Sent> now = sentBy(tried);
    if (!now)
        return {};
    ConventionTrials trials{tried, *now, stop};
    Fields<Conventions>::visit(trials, tried.conventions);
    std::vector<SettingEffect> effects = trials.take();
    if (!trials.isStopped())
        addExpertEffects(scenario, effects);
    return effects;
}

} // namespace shardscope
