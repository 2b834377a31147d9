#pragma once

#include "widgets/session/content.h"
#include "widgets/session/selection.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// Whose messages are looked at. `read` are the ranks that a trace was read of; without one it is the world.
struct RankScope {
    enum class Of : std::uint8_t { world, read, stage, rank } of = Of::world;
    int stage = 0;
    std::int64_t rank = 0;
    bool operator==(const RankScope&) const = default;

    static RankScope world() { return {Of::world, 0, 0}; }
    static RankScope read() { return {Of::read, 0, 0}; }
    static RankScope ofStage(int stage) { return {Of::stage, stage, 0}; }
    static RankScope ofRank(std::int64_t rank) { return {Of::rank, 0, rank}; }
};

struct MessageCount {
    MessageKey key;
    std::int64_t count = 0;
    bool operator==(const MessageCount&) const = default;
};

// The pipeline stage of a rank; 0 for a rank outside the scenario's world.
int stageOf(const Scenario& scenario, std::int64_t rank);

// How many ranks of each stage the scope takes in; a stage's scope is one rank of it. `measured` may be null.
std::vector<std::int64_t> ranksOfStages(const PredictedScenario& predicted, const MeasuredRun* measured,
                                        const RankScope& scope);

// The ranks of the scope that were read, as indices into measurement.ranks; of a stage all of its ranks.
// `scenario` tells the stages and may be null.
std::vector<std::size_t> readRanks(const Scenario* scenario, const Measurement& measurement,
                                   const RankScope& scope);

// Calls of each kind, operation and size, by key in the order of its members; added up over the scope.
std::vector<MessageCount> predictedCounts(const PredictedScenario& predicted, const MeasuredRun* measured,
                                          const RankScope& scope);
// Calls whose size is unknown have -1 bytes. Without a scenario every scope but `rank` is all that was read.
std::vector<MessageCount> measuredCounts(const Scenario* scenario, const Measurement& measurement,
                                         const RankScope& scope);

// Order of keys: kind, operation, size.
bool isBefore(const MessageKey& a, const MessageKey& b);
// Sorts by key and adds up what has the same.
void mergeCounts(std::vector<MessageCount>& counts);

} // namespace shardscope
