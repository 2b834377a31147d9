#pragma once

#include "widgets/models/measured_calls.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace shardscope
{

// How the measured number of calls of a row's kind, operation and size compares with the predicted one.
// not_recorded: of a pass or a step that the run has none of; alone: there is no prediction of the run.
enum class Agreement : std::uint8_t { not_measured, not_recorded, equal, different, alone };

// One line of the message table.
struct MessageRow {
    Message message;          // as one rank sends it; of a measured row without a prediction: what is known
    int stage = 0;            // a stage that has it
    bool is_predicted = true; // false: it was measured alone
    std::int64_t count = 0;   // predicted, over the scope
    std::int64_t total_bytes = 0;
    double wire_bytes = 0.0;
    double share = 0.0; // of the payload of all rows
    Agreement agreement = Agreement::not_measured;
    // Calls with this key, of all recorded phases and purposes: a trace does not tell those apart. Over the
    // ranks that were read, or for one rank of a stage; then low and high differ where its ranks do.
    std::int64_t expected_count = 0;
    double measured_low = 0.0;
    double measured_high = 0.0;
    std::int64_t other_group = 0; // of the measured calls, where it is not as large as the predicted one
    Shown shown = Shown::as_it_is;
    // With this kind, operation and size; the measured calls are of them all together. Where the run has
    // forward passes alone, rows of these.
    int rows_of_key = 1;

    MessageKey key() const { return {message.kind, message.op, message.message_bytes}; }
};

// The messages of a scope, by kind, operation, phase, then as predicted; measured ones without a prediction
// last. `calls` are those of content.measured; `what` of a measured row points into it.
std::vector<MessageRow> messageRows(const Content& content, const MeasuredCalls& calls,
                                    const RankScope& scope);

} // namespace shardscope
