#pragma once

#include <QTest>

#include "core/prediction/predict.h"
#include "core/scenario/defaults.h"

#include <algorithm>

// A model that is small enough to count the messages of each of its switches by hand.
namespace shardscope
{

// l 8, h 64, 4 heads, s 32, b 2, m 4, 1,000 words; float, so that an activation has 2 * 32 * 64 * 4 = 16,384
// bytes.
inline constexpr std::int64_t activation = 16384;

inline Scenario small(std::int64_t pipeline, std::int64_t tensor, std::int64_t data)
{
    Scenario scenario;
    Model& model = scenario.model;
    model.layers = 8;
    model.hidden_size = 64;
    model.attention_heads = 4;
    model.kv_heads = 4;
    model.head_dim = 16;
    model.ffn_hidden_size = 256;
    model.vocab_size = 1000;
    model.sequence_length = 32;
    scenario.training.precision = Precision::fp32;
    scenario.training.micro_batch_size = 2;
    scenario.training.global_batch_size = 8 * data;
    scenario.parallel.pipeline = pipeline;
    scenario.parallel.tensor = tensor;
    scenario.parallel.data = data;
    return scenario;
}

inline Scenario withExperts(Scenario scenario, double capacity_factor)
{
    scenario.model.experts.count = 8;
    scenario.model.experts.ffn_hidden_size = 256;
    scenario.model.experts.every = 2;
    scenario.model.experts.first = 1;
    scenario.model.experts.capacity_factor = capacity_factor;
    scenario.parallel.expert = 4;
    return scenario;
}

inline Scenario withLatents(Scenario scenario)
{
    scenario.model.mla = {24, 16, 8, 4, 8};
    return scenario;
}

// Multi-token prediction.
inline Scenario withModules(Scenario scenario, std::int64_t modules)
{
    scenario.model.mtp_layers = modules;
    return scenario;
}

struct Calls {
    std::int64_t count = 0;
    std::int64_t bytes = 0; // of one call; of the last row where they differ
    int group_size = 0;
};

inline std::vector<Message> messagesOf(const Scenario& scenario, int stage)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    return prediction.value().stages.at(static_cast<std::size_t>(stage)).messages;
}

inline Calls callsOf(const std::vector<Message>& messages, Kind kind, Op op, Phase phase,
                     std::initializer_list<std::string_view> named = {})
{
    Calls calls;
    for (const Message& message : messages) {
        const bool is_named =
            named.size() == 0 || std::find(named.begin(), named.end(), message.what) != named.end();
        if (message.kind != kind || message.op != op || message.phase != phase || !is_named)
            continue;
        calls.count += message.count;
        calls.bytes = message.message_bytes;
        calls.group_size = message.group_size;
    }
    return calls;
}

} // namespace shardscope

#define COMPARE_CALLS(calls, expected_count, expected_bytes)                                                 \
    do {                                                                                                     \
        const Calls found = calls;                                                                           \
        QCOMPARE(found.count, std::int64_t{expected_count});                                                 \
        QCOMPARE(found.bytes, std::int64_t{expected_bytes});                                                 \
    } while (false)
