#pragma once

#include "core/analysis/analyze.h"
#include "core/analysis/comparison.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace shardscope
{

// Holds scenarios against the messages of traces, and keeps the one that explains most.
class ScenarioTrial
{
public:
    // Nothing is attempted any more once `stop` is true.
    ScenarioTrial(const TraceSet& traces, const ClassificationRules& rules, Scenario first,
                  const std::atomic<bool>* stop);

    const Scenario& best() const { return m_best; }
    // Of the best one; nothing where it cannot be predicted.
    const std::optional<Comparison>& comparison() const { return m_comparison; }

    // Takes the changed scenario over if fewer classes of messages differ with it. True: it was taken over.
    // Costs an analysis of the traces, unless the same messages were tried before.
    bool attempt(const std::function<void(Scenario&)>& change);

    // Whether the best scenario, changed, explains the messages as well as it does unchanged. False: the
    // change changes nothing, or makes it impossible. Costs as much as an attempt.
    bool sendsTheSame(const std::function<void(Scenario&)>& change);

private:
    // What tells one prediction's messages from another's; of forward passes, where nothing else was
    // recorded.
    using Signature = std::vector<std::array<std::int64_t, 7>>;

    Signature signatureOf(const Prediction& prediction) const;
    // Nothing: it cannot be predicted, or its messages were tried before.
    std::optional<Comparison> compared(const Scenario& scenario);
    Comparison measured(const Scenario& scenario, const Prediction& prediction) const;

    const TraceSet& m_traces;
    const ClassificationRules& m_rules;
    const std::atomic<bool>* m_stop;
    bool m_is_forward_only;
    std::map<Signature, std::int64_t> m_tried; // classes of messages that were not as predicted
    Scenario m_best;
    std::optional<Comparison> m_comparison;
};

} // namespace shardscope
