#include "core/inference/scenario_trial.h"

#include "core/analysis/gpu_time/forward_only.h"
#include "core/prediction/predict.h"
#include "core/scenario/validation/validation.h"

#include <limits>

namespace shardscope
{

namespace
{

// Classes of messages that are not as predicted.
std::int64_t differences(const std::optional<Comparison>& comparison)
{
    return comparison ? static_cast<std::int64_t>(comparison->rows.size()) - comparison->equal_rows
                      : std::numeric_limits<std::int64_t>::max();
}

} // namespace

ScenarioTrial::ScenarioTrial(const TraceSet& traces, const ClassificationRules& rules, Scenario first,
                             const std::atomic<bool>* stop)
    : m_traces{traces},
      m_rules{rules},
      m_stop{stop},
      m_is_forward_only{isForwardOnly(traces)},
      m_best{std::move(first)},
      m_comparison{compared(m_best)}
{
}

ScenarioTrial::Signature ScenarioTrial::signatureOf(const Prediction& prediction) const
{
    Signature signature;
    for (const StagePrediction& stage : prediction.stages)
        for (const Message& message : stage.messages) {
            if (m_is_forward_only && message.phase != Phase::forward)
                continue;
            signature.push_back({stage.stage, static_cast<std::int64_t>(message.kind),
                                 static_cast<std::int64_t>(message.op),
                                 static_cast<std::int64_t>(message.dtype), message.group_size,
                                 message.message_bytes, message.count});
        }
    return signature;
}

std::optional<Comparison> ScenarioTrial::compared(const Scenario& scenario)
{
    if (!validate(scenario).empty())
        return std::nullopt;
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return std::nullopt;
    const auto [tried, is_new] = m_tried.try_emplace(signatureOf(prediction.value()));
    if (!is_new)
        return std::nullopt;
    std::optional<Comparison> comparison = measured(scenario, prediction.value());
    tried->second = differences(comparison);
    return comparison;
}

Comparison ScenarioTrial::measured(const Scenario& scenario, const Prediction& prediction) const
{
    AnalysisOptions options;
    options.rules = &m_rules;
    options.layout = &scenario;
    options.layout_is_on_trial = true;
    return compareCalls(scenario, prediction, m_traces, analyze(m_traces, options));
}

bool ScenarioTrial::attempt(const std::function<void(Scenario&)>& change)
{
    if ((m_comparison && m_comparison->equal()) || (m_stop != nullptr && *m_stop))
        return false;
    Scenario scenario = m_best;
    change(scenario);
    if (scenario == m_best)
        return false;
    std::optional<Comparison> comparison = compared(scenario);
    if (differences(comparison) >= differences(m_comparison))
        return false;
    m_best = std::move(scenario);
    m_comparison = std::move(comparison);
    return true;
}

bool ScenarioTrial::sendsTheSame(const std::function<void(Scenario&)>& change)
{
    Scenario scenario = m_best;
    change(scenario);
    if (scenario == m_best || !validate(scenario).empty() || (m_stop != nullptr && *m_stop))
        return false;
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        return false;
    const auto [tried, is_new] = m_tried.try_emplace(signatureOf(prediction.value()));
    if (is_new)
        tried->second = differences(measured(scenario, prediction.value()));
    return tried->second <= differences(m_comparison);
}

} // namespace shardscope
