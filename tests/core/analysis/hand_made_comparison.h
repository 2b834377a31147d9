#pragma once

#include "core/analysis/measurement.h"
#include "core/prediction/prediction.h"
#include "core/scenario/scenario.h"

#include <cstdint>
#include <vector>

namespace shardscope
{

// Two tensor-parallel ranks, and a prediction for them, that a test of the comparison writes down.

inline Scenario scenario()
{
    Scenario scenario;
    scenario.parallel.tensor = 2;
    return scenario;
}

inline Message message(Kind kind, Op op, std::int64_t bytes, std::int64_t count, Dtype dtype = Dtype::fp32)
{
    Message message;
    message.kind = kind;
    message.op = op;
    message.dtype = dtype;
    message.group_size = 2;
    message.message_bytes = bytes;
    message.count = count;
    message.total_bytes = bytes * count;
    message.wire_bytes = wireBytes(op, 2, bytes) * static_cast<double>(count);
    return message;
}

inline Prediction prediction(std::vector<Message> messages)
{
    Prediction prediction;
    prediction.world_size = 2;
    prediction.time.tp_s = 0.3;
    prediction.time.iteration_s = 1.0;
    prediction.stages = {StagePrediction{0, {0}, 10, 10, std::move(messages)}};
    return prediction;
}

inline MeasuredCollective calls(Kind kind, const char* name, Op op, std::int64_t in, std::int64_t bytes,
                                std::int64_t count, std::int64_t sum_ns = 0)
{
    MeasuredCollective row;
    row.kind = kind;
    row.name = name;
    row.op = op;
    row.in_bytes = in;
    row.message_bytes = bytes;
    row.count = count;
    row.sum_ns = sum_ns;
    row.exposed_ns = sum_ns;
    return row;
}

// One call after the other, each as it is.
inline void exposeKinds(RankMeasurement& rank)
{
    rank.exposed_of_kind_ns = {};
    for (const MeasuredCollective& row : rank.collectives)
        rank.exposed_of_kind_ns[static_cast<std::size_t>(row.kind)] += row.exposed_ns;
}

inline Measurement measurement(const std::vector<MeasuredCollective>& rows)
{
    Measurement measurement;
    for (const std::int64_t rank : {0, 1}) {
        RankMeasurement one;
        one.rank = rank;
        one.has_timeline = true;
        one.window_ns = 2'000'000'000;
        one.collectives = rows;
        exposeKinds(one);
        measurement.ranks.push_back(one);
    }
    return measurement;
}

} // namespace shardscope
