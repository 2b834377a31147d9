#pragma once

#include "core/analysis/measurement.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/timeline/timeline.h"
#include "core/prediction/timeline/timeline_calls.h"

#include <cstdint>
#include <map>
#include <optional>

namespace shardscope
{

// What a trace of the predicted iteration would tell of its ranks, by the definitions of what is measured:
// communication is exposed where its rank computes nothing, idle is what neither fills. So a message that
// travels while its stage drains counts as exposed here too, though the prediction's sums have it in the
// bubble. The scenario and the prediction outlive this.
class PredictedRanks
{
public:
    // Forward only: of the passes and calls of an iteration the forward ones alone.
    PredictedRanks(const Scenario& scenario, const Prediction& prediction, bool is_forward_only);

    // Of a rank that plays the part: one marked step. Of its calls counts, sizes and times hold. Each part is
    // worked out once.
    const RankMeasurement& of(std::size_t part);
    // False: the model knows no calls of its own, rows are spans with all calls of a kind.
    bool hasCalls() const { return m_calls.has_value(); }

private:
    RankMeasurement measured(int stage, double load) const;

    bool m_is_forward_only;
    RankParts m_parts;
    PredictedTimeline m_timeline;
    std::optional<TimelineCalls> m_calls;
    std::map<std::size_t, RankMeasurement> m_known;
};

} // namespace shardscope
