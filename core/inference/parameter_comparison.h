#pragma once

#include "core/prediction/prediction.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shardscope
{

// Parameters that a run's log has counted, beside those that its scenario has there.
struct ParameterComparison {
    struct Place {
        PlaceParameters counted;
        std::int64_t predicted = 0;
    };
    std::int64_t places = 0; // of the layout, that the log tells of
    std::int64_t equal = 0;  // of them, as predicted
    std::optional<Place> first_other;

    bool agrees() const { return places > 0 && equal == places; }
};

// Places of stages that the scenario does not have differ from it.
ParameterComparison compareParameters(const Prediction& prediction, const TraceSet& traces);

// "the log counts as many parameters on all 16 places of the layout as predicted"; empty: it counts none.
std::string sentence(const ParameterComparison& comparison);

} // namespace shardscope
