#pragma once

#include "core/prediction/time/machine.h"
#include "core/prediction/time/stage_communication.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

namespace shardscope
{

// The kind's predicted time on the critical path, where the model tells it apart.
std::optional<double> timeOfKind(const TimePrediction& time, Kind kind);

// What the calls of a message take of their kind's time, against others of the kind. By the detailed model:
// of what layers send, the time that no computing hides, of others their time alone. By Li et al.'s formula,
// and between stages: their bytes.
class MessageWeights
{
public:
    MessageWeights(const Scenario& scenario, const Prediction& prediction);
    double of(const Message& message, int stage) const;

private:
    // Of a stage; sizes and words tell one message from another.
    using Sent = std::tuple<int, Kind, Op, Phase, std::string_view, std::int64_t>;
    static Sent sentBy(int stage, const Message& message);
    void addPasses(const Prediction& prediction);

    IterationFigures m_figures;
    Machine m_machine;
    CommunicationTime m_time;
    std::map<Sent, double> m_exposed_s; // in an iteration; empty where the model knows no layers
};

using MessageClass = std::tuple<Kind, Op, std::int64_t>; // and bytes

// What some ranks have measured of each class of messages, all of their iterations as one; and how these
// share their kind's predicted time.
struct RankSums {
    struct MeasuredTimes {
        double exposed_s = 0.0;
        double in_all_s = 0.0;
    };
    std::map<MessageClass, MeasuredTimes> measured;
    std::map<MessageClass, double> weights;
    std::map<Kind, double> weights_of_kind;
    std::map<Kind, std::int64_t> ranks_of_kind; // that have calls of it

    void addPredicted(const Message& message, double weight);
    // Of its kind's time, what messages take that are of no class here.
    void addUnrecorded(Kind kind, double weight);
    double weightOf(Kind kind) const;
    // Of the kind's predicted time.
    std::optional<double> shareOf(const MessageClass& messages, std::optional<double> kind_s) const;
    // Of all ranks, without what waits for other stages or follows the passes.
    double exposedInPasses_s() const;
    // Of one rank, the mean of those that have calls of the kind.
    MeasuredTimes meanOf(const MessageClass& messages) const;
};

} // namespace shardscope
