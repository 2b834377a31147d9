#include "widgets/models/message_rows.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace shardscope
{

namespace
{

auto identity(const Message& message)
{
    return std::tie(message.kind, message.op, message.phase, message.what, message.dtype, message.group_size,
                    message.message_bytes);
}

std::vector<MessageRow> predictedRows(const PredictedScenario& predicted, const MeasuredRun* measured,
                                      const RankScope& scope)
{
    const std::vector<std::int64_t> ranks = ranksOfStages(predicted, measured, scope);
    std::vector<MessageRow> rows;
    for (std::size_t stage = 0; stage < ranks.size(); ++stage) {
        if (ranks[stage] == 0)
            continue;
        for (const Message& message : predicted.prediction.stages[stage].messages) {
            MessageRow row;
            row.message = message;
            row.stage = static_cast<int>(stage);
            row.count = message.count * ranks[stage];
            row.total_bytes = message.total_bytes * ranks[stage];
            row.wire_bytes = message.wire_bytes * static_cast<double>(ranks[stage]);
            rows.push_back(row);
        }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const MessageRow& a, const MessageRow& b) {
        return std::tie(a.message.kind, a.message.op, a.message.phase)
               < std::tie(b.message.kind, b.message.op, b.message.phase);
    });
    return rows;
}

// Adds up what is the same on several stages. A handful of rows shares kind, operation and phase, so a look
// back is short.
void mergeRows(std::vector<MessageRow>& rows)
{
    std::size_t kept = 0;
    std::size_t block = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Message& message = rows[i].message;
        while (block < kept
               && std::tie(rows[block].message.kind, rows[block].message.op, rows[block].message.phase)
                      != std::tie(message.kind, message.op, message.phase))
            ++block;
        std::size_t twin = block;
        while (twin < kept && identity(rows[twin].message) != identity(message))
            ++twin;
        if (twin == kept) {
            rows[kept++] = rows[i];
            continue;
        }
        rows[twin].count += rows[i].count;
        rows[twin].total_bytes += rows[i].total_bytes;
        rows[twin].wire_bytes += rows[i].wire_bytes;
    }
    rows.resize(kept);
}

MessageRow measuredRow(const MeasuredCount& measured, bool per_rank)
{
    MessageRow row;
    row.is_predicted = false;
    row.message.kind = measured.key.kind;
    row.message.op = measured.key.op;
    row.message.message_bytes = measured.key.message_bytes;
    row.message.what = measured.name;
    row.message.group_size =
        static_cast<int>(std::min<std::int64_t>(measured.group_size, std::numeric_limits<int>::max()));
    row.agreement = Agreement::different;
    row.measured_low = per_rank ? measured.low : measured.count;
    row.measured_high = per_rank ? measured.high : measured.count;
    return row;
}

// Lays the measured calls beside the rows of their key and appends those that nothing predicted.
void layOver(std::vector<MessageRow>& rows, const MeasuredRun& run,
             const std::vector<MeasuredCount>& measured, const std::vector<MessageCount>& expected,
             bool per_rank)
{
    for (MessageRow& row : rows) {
        if (!mayBeRecorded(row.message, &run)) {
            row.agreement = Agreement::not_recorded;
            continue;
        }
        const MessageKey key = row.key();
        if (const MessageCount* predicted = findByKey(expected, key))
            row.expected_count = static_cast<std::int64_t>(predicted->count);
        if (const MeasuredCount* calls = findByKey(measured, key)) {
            row.measured_low = per_rank ? calls->low : calls->count;
            row.measured_high = per_rank ? calls->high : calls->count;
            row.shown = calls->shown;
            // Stages hand on in pairs, of a group that may be larger.
            if (key.kind != Kind::pp && calls->group_size > 0 && calls->group_size != row.message.group_size)
                row.other_group = calls->group_size;
        }
        const auto count = static_cast<double>(row.expected_count);
        const bool is_equal = row.measured_low == count && row.measured_high == count && row.other_group == 0;
        row.agreement = is_equal ? Agreement::equal : Agreement::different;
    }
    rows.reserve(rows.size() + measured.size());
    for (const MeasuredCount& calls : measured)
        if (!findByKey(expected, calls.key))
            rows.push_back(measuredRow(calls, per_rank));
}

void findSharedKeys(std::vector<MessageRow>& rows, const MeasuredRun* run)
{
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = i + 1; j < rows.size() && rows[j].message.kind == rows[i].message.kind; ++j)
            if (rows[i].key() == rows[j].key() && mayBeRecorded(rows[i].message, run)
                && mayBeRecorded(rows[j].message, run)) {
                ++rows[i].rows_of_key;
                ++rows[j].rows_of_key;
            }
}

} // namespace

std::vector<MessageRow> messageRows(const Content& content, const MeasuredCalls& calls,
                                    const RankScope& scope)
{
    const PredictedScenario* predicted = content.besideMeasured();
    std::vector<MessageRow> rows;
    if (predicted) {
        rows = predictedRows(*predicted, content.measured.get(), scope);
        mergeRows(rows);
        findSharedKeys(rows, content.measured.get());
    }
    double sum = 0.0;
    for (const MessageRow& row : rows)
        sum += static_cast<double>(row.total_bytes);
    for (MessageRow& row : rows)
        row.share = sum > 0.0 ? static_cast<double>(row.total_bytes) / sum : 0.0;
    if (!content.measured || calls.ranksIn(predicted, scope) == 0)
        return rows;
    // What was not read cannot be compared.
    const RankScope comparable = scope.of == RankScope::Of::world ? RankScope::read() : scope;
    std::vector<MessageCount> expected;
    if (predicted)
        expected = predictedCounts(*predicted, content.measured.get(), comparable);
    layOver(rows, *content.measured, calls.counts(predicted, comparable), expected,
            scope.of == RankScope::Of::stage);
    if (predicted == nullptr)
        for (MessageRow& row : rows)
            row.agreement = Agreement::alone;
    return rows;
}

} // namespace shardscope
