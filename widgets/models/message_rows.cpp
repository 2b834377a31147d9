#include "widgets/models/message_rows.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace shardscope
{

namespace
{

struct MeasuredRange {
    MessageKey key;
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::string_view name;
    std::int64_t group_size = 0;
};

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

// Calls of each key: of a stage the least and the most that one of its ranks made, else the sum over the
// ranks.
std::vector<MeasuredRange> measuredRanges(const Scenario* scenario, const Measurement& measurement,
                                          const RankScope& scope)
{
    const std::vector<std::size_t> ranks = readRanks(scenario, measurement, scope);
    struct Entry {
        MeasuredRange range;
        std::size_t ranks = 0;
    };
    std::vector<Entry> entries;
    const bool per_rank = scope.of == RankScope::Of::stage;
    for (const std::size_t index : ranks) {
        std::vector<MeasuredRange> own;
        for (const MeasuredCollective& call : measurement.ranks[index].collectives)
            own.push_back({{call.kind, call.op, call.message_bytes},
                           call.count,
                           call.count,
                           call.name,
                           call.group_size});
        std::sort(own.begin(), own.end(),
                  [](const MeasuredRange& a, const MeasuredRange& b) { return isBefore(a.key, b.key); });
        for (std::size_t i = 0; i + 1 < own.size();) {
            if (own[i].key != own[i + 1].key) {
                ++i;
                continue;
            }
            own[i].low += own[i + 1].low;
            own[i].high += own[i + 1].high;
            own.erase(own.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
        for (const MeasuredRange& range : own) {
            const auto place = std::lower_bound(
                entries.begin(), entries.end(), range.key,
                [](const Entry& a, const MessageKey& b) { return isBefore(a.range.key, b); });
            if (place == entries.end() || place->range.key != range.key) {
                entries.insert(place, {range, 1});
                continue;
            }
            ++place->ranks;
            place->range.low =
                per_rank ? std::min(place->range.low, range.low) : place->range.low + range.low;
            place->range.high =
                per_rank ? std::max(place->range.high, range.high) : place->range.high + range.high;
        }
    }
    std::vector<MeasuredRange> ranges;
    for (Entry& entry : entries) {
        if (per_rank && entry.ranks < ranks.size())
            entry.range.low = 0; // a rank of the stage made no such call
        ranges.push_back(entry.range);
    }
    return ranges;
}

MessageRow measuredRow(const MeasuredRange& range)
{
    MessageRow row;
    row.is_predicted = false;
    row.message.kind = range.key.kind;
    row.message.op = range.key.op;
    row.message.message_bytes = range.key.message_bytes;
    row.message.what = range.name;
    row.message.group_size =
        static_cast<int>(std::min<std::int64_t>(range.group_size, std::numeric_limits<int>::max()));
    row.agreement = Agreement::different;
    row.measured_low = range.low;
    row.measured_high = range.high;
    return row;
}

// Lays the measured calls beside the rows of their key and appends those that nothing predicted.
void layOver(std::vector<MessageRow>& rows, const std::vector<MeasuredRange>& ranges,
             const std::vector<MessageCount>& expected)
{
    for (MessageRow& row : rows) {
        const MessageKey key = row.key();
        const auto predicted =
            std::lower_bound(expected.begin(), expected.end(), key,
                             [](const MessageCount& a, const MessageKey& b) { return isBefore(a.key, b); });
        row.expected_count = predicted != expected.end() && predicted->key == key ? predicted->count : 0;
        const auto measured =
            std::lower_bound(ranges.begin(), ranges.end(), key,
                             [](const MeasuredRange& a, const MessageKey& b) { return isBefore(a.key, b); });
        if (measured != ranges.end() && measured->key == key) {
            row.measured_low = measured->low;
            row.measured_high = measured->high;
        }
        const bool is_equal =
            row.measured_low == row.expected_count && row.measured_high == row.expected_count;
        row.agreement = is_equal ? Agreement::equal : Agreement::different;
    }
    for (const MeasuredRange& range : ranges) {
        const auto predicted =
            std::lower_bound(expected.begin(), expected.end(), range.key,
                             [](const MessageCount& a, const MessageKey& b) { return isBefore(a.key, b); });
        if (predicted == expected.end() || predicted->key != range.key)
            rows.push_back(measuredRow(range));
    }
}

void findSharedKeys(std::vector<MessageRow>& rows)
{
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = i + 1; j < rows.size() && rows[j].message.kind == rows[i].message.kind; ++j)
            if (rows[i].key() == rows[j].key()) {
                rows[i].shares_key = true;
                rows[j].shares_key = true;
            }
}

} // namespace

std::vector<MessageRow> messageRows(const Content& content, const RankScope& scope)
{
    std::vector<MessageRow> rows;
    if (content.predicted) {
        rows = predictedRows(*content.predicted, content.measured.get(), scope);
        mergeRows(rows);
        findSharedKeys(rows);
    }
    double sum = 0.0;
    for (const MessageRow& row : rows)
        sum += static_cast<double>(row.total_bytes);
    for (MessageRow& row : rows)
        row.share = sum > 0.0 ? static_cast<double>(row.total_bytes) / sum : 0.0;
    if (!content.measured)
        return rows;
    const Scenario* scenario = content.predicted ? &content.predicted->scenario : nullptr;
    const Measurement& measurement = content.measured->measurement;
    if (readRanks(scenario, measurement, scope).empty())
        return rows;
    std::vector<MessageCount> expected;
    if (content.predicted) {
        // What was not read cannot be compared.
        const RankScope comparable = scope.of == RankScope::Of::world ? RankScope::read() : scope;
        expected = predictedCounts(*content.predicted, content.measured.get(), comparable);
    }
    layOver(rows, measuredRanges(scenario, measurement, scope), expected);
    return rows;
}

} // namespace shardscope
