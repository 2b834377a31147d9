#pragma once

#include "widgets/session/content.h"
#include "widgets/session/selection.h"

#include "core/prediction/ranks/rank_layout.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace shardscope
{

// Whose messages are looked at. `read` are the ranks that a trace was read of.
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

// Where a run's ranks stood in the degrees of a scenario: in the run's own order, where it is known to be
// another one.
class RunPlaces
{
public:
    // Null: there is no scenario.
    RunPlaces(const PredictedScenario* predicted, const MeasuredRun& run);
    // Of the pinned run, whatever scenario is on screen since: by the layout that its calls show; where they
    // show none, by the scenario that it was pinned beside. Pre: there is one.
    static RunPlaces ofPinned(const Content& content);

    // None of a rank outside the scenario's world.
    std::optional<RankCoordinates> of(std::int64_t rank) const;
    // Whether a scope holds a rank. No stage has one outside the scenario's world; without a scenario each
    // has all of them.
    bool isIn(const RankScope& scope, std::int64_t rank) const;

private:
    explicit RunPlaces(std::optional<RankLayout> layout) : m_layout{std::move(layout)} {}

    std::optional<RankLayout> m_layout;
};

struct MessageCount {
    MessageKey key;
    double count = 0.0; // calls in one iteration; whole, but where a trace cut one off
    bool operator==(const MessageCount&) const = default;
};

// "1 536", "2.5": the calls of a MessageCount.
QString callsText(double calls);

// The pipeline stage of a rank; none of a rank outside the scenario's world.
std::optional<int> stageOf(const Scenario& scenario, std::int64_t rank);

// How many ranks of each stage the scope takes in; a stage's scope is one rank of it. Without a run, or with
// one of no ranks, `read` is the world.
std::vector<std::int64_t> ranksOfStages(const PredictedScenario& predicted, const MeasuredRun* measured,
                                        const RankScope& scope);

// Whether a run may have a predicted message: one of forward passes alone has no others. No run: it may.
bool mayBeRecorded(const Message& message, const MeasuredRun* measured);

// Calls of each kind, operation and size, by key; added up over the scope. `measured` may be null; of a run
// of forward passes alone, calls that it may have.
std::vector<MessageCount> predictedCounts(const PredictedScenario& predicted, const MeasuredRun* measured,
                                          const RankScope& scope);

// Order of keys: kind, operation, size.
bool isBefore(const MessageKey& a, const MessageKey& b);

// The element of a list sorted by its member `key`, or nullptr.
template<class List>
auto findByKey(List& list, const MessageKey& key) -> decltype(&*list.begin())
{
    auto first = list.begin();
    for (auto count = list.end() - first; count > 0;) {
        const auto half = count / 2;
        if (isBefore(first[half].key, key)) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first != list.end() && first->key == key ? &*first : nullptr;
}

} // namespace shardscope
