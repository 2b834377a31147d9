#pragma once

#include "core/analysis/measurement.h"
#include "core/prediction/time/machine.h"
#include "core/prediction/time/stage_communication.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace shardscope
{

// What the calls of a message take of their kind's time, against others of the kind, where the model knows no
// calls of its own. By the detailed model their time alone, by Li et al.'s formula, and between stages, their
// bytes.
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

// What some ranks spend on each class of messages in an iteration, all of them together.
class RankSums
{
public:
    struct Times {
        double exposed_s = 0.0;
        double in_all_s = 0.0;
    };

    void add(const MessageClass& messages, const Times& times);
    void countKinds(const RankMeasurement& rank);
    bool has(Kind kind) const { return m_ranks.contains(kind); }
    // Of one rank, the mean of those that have calls of the kind.
    Times meanOf(const MessageClass& messages) const;
    // What no computing hides of all the kind's.
    double exposedMean_s(Kind kind) const;

private:
    std::map<MessageClass, Times> m_times;
    std::map<Kind, std::int64_t> m_ranks; // that have calls of it
};

} // namespace shardscope
