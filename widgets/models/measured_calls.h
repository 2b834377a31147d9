#pragma once

#include "widgets/models/message_counts.h"

#include "core/analysis/calls/shown_message.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace shardscope
{

// Measured calls of one kind, operation and size over a scope, in one iteration.
struct MeasuredCount {
    MessageKey key;     // -1 bytes: the trace does not tell the size
    double count = 0.0; // over all ranks of the scope
    double low = 0.0;   // the least and the most that one rank made
    double high = 0.0;
    std::string_view name;         // as the trace says; into the run
    std::int64_t group_size = 0;   // 0: not known, or not the same of all
    Shown shown = Shown::as_it_is; // how the backend shows them where it has no such operation
};

// The communication calls of a run, ready to be counted again for every scenario that is laid over it: what
// the ranks have in common is stored once.
class MeasuredCalls
{
public:
    MeasuredCalls() = default; // of no run
    explicit MeasuredCalls(std::shared_ptr<const MeasuredRun> run);

    const std::shared_ptr<const MeasuredRun>& run() const { return m_run; }
    // Iterations that the trace of a rank recorded, at least one.
    std::int64_t iterations(std::int64_t rank) const;
    // How many ranks of the scope were read.
    std::size_t ranksIn(const PredictedScenario* predicted, const RankScope& scope) const;
    // By key. Calls that a backend shows in another way have the key of the message that they are; of several
    // ranks' calls, low and high run over those ranks.
    std::vector<MeasuredCount> counts(const PredictedScenario* predicted, const RankScope& scope) const;

private:
    // Calls that differ in nothing but their number.
    struct CallClass {
        Kind kind = Kind::unknown;
        ShownCalls shown;
        std::int64_t group_size = 0;
        bool operator==(const CallClass&) const = default;
    };
    class Classes;
    class Meanings;
    struct RankCalls {
        std::int64_t rank = 0;
        std::int64_t iterations = 1;
        std::vector<std::pair<std::size_t, std::int64_t>> calls; // row in m_classes, count
    };
    struct PlacedRank {
        const RankCalls* calls = nullptr;
        std::optional<RankCoordinates> place; // none: the scenario has no such rank
    };

    std::vector<PlacedRank> ranksOf(const PredictedScenario* predicted, const RankScope& scope) const;

    std::shared_ptr<const MeasuredRun> m_run;
    std::vector<CallClass> m_classes;
    std::vector<RankCalls> m_ranks;
};

} // namespace shardscope
