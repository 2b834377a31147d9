#pragma once

#include "core/prediction/time/machine.h"
#include "core/prediction/time/stage_communication.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace shardscope
{

// The kind's predicted time on the critical path, where the model tells it apart.
std::optional<double> timeOfKind(const TimePrediction& time, Kind kind);

// What the calls of a message take of their kind's time, against others of the kind: by the detailed model
// their time alone, by Li et al.'s formula, and between stages, their bytes.
class MessageWeights
{
public:
    explicit MessageWeights(const Scenario& scenario);
    double of(const Message& message) const;

private:
    IterationFigures m_figures;
    Machine m_machine;
    CommunicationTime m_time;
};

using MessageClass = std::tuple<Kind, Op, std::int64_t>; // and bytes

// What some ranks have measured of each class of messages, all of their iterations as one; and how these
// share their kind's predicted time.
struct RankSums {
    struct Seconds {
        double exposed_s = 0.0;
        double in_all_s = 0.0;
    };
    std::map<MessageClass, Seconds> measured;
    std::map<MessageClass, double> weights;
    std::map<Kind, double> weights_of_kind;
    std::map<Kind, std::int64_t> ranks_of_kind; // that have calls of it

    void addPredicted(const Message& message, double weight);
    double weightOf(Kind kind) const;
    // Of the kind's predicted time.
    std::optional<double> shareOf(const MessageClass& messages, std::optional<double> kind_s) const;
    // Of all ranks, without what waits for other stages or follows the passes.
    double exposedInPasses_s() const;
    // Of one rank, the mean of those that have calls of the kind.
    Seconds meanOf(const MessageClass& messages) const;
};

} // namespace shardscope
