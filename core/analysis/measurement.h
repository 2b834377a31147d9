#pragma once

#include "core/collectives/collective.h"
#include "core/trace/trace_set.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace shardscope {

// What a trace shows, as the trace summary format defines it. Times are integer nanoseconds.

struct MeasuredCollective {
    std::string name;
    Op op = Op::other;
    std::string dtype;
    std::int64_t in_bytes = -1;
    std::int64_t out_bytes = -1;
    std::int64_t message_bytes = -1; // as wireBytes() counts it; -1: unknown
    std::int64_t group_size = 0;
    std::string group;
    std::string description;
    Kind kind = Kind::unknown;
    std::string kind_from; // "group description", "rule", "layout", "annotation"; empty when unknown
    SizesFrom sizes_from = SizesFrom::none;
    std::int64_t count = 0;
    std::int64_t sum_ns = 0;
    std::int64_t min_ns = 0;
    std::int64_t median_ns = 0;
    std::int64_t max_ns = 0;
};

struct RankMeasurement {
    std::int64_t rank = 0;
    std::int64_t window_ns = 0;
    std::int64_t busy_ns = 0;
    std::int64_t idle_ns = 0;
    std::int64_t compute_ns = 0;
    std::int64_t communication_ns = 0;
    std::int64_t memory_ns = 0;
    std::int64_t non_compute_ns = 0;
    std::int64_t overlap_ns = 0;
    std::int64_t exposed_communication_ns = 0;
    std::int64_t gpu_events = 0;
    std::int64_t compute_count = 0;
    std::int64_t communication_count = 0;
    std::int64_t memory_count = 0;
    std::vector<MeasuredCollective> collectives;
};

struct CrossRank {
    std::int64_t matched = 0;
    std::map<std::int64_t, std::int64_t> wait_ns;
    std::int64_t transfer_ns = 0;
    std::map<std::int64_t, std::int64_t> last_starter;
    std::map<std::int64_t, std::int64_t> clock_offset_ns;
    std::int64_t alignment_median_ns = 0;
    std::int64_t alignment_spread_ns = 0;
};

struct HistogramRow {
    Kind kind = Kind::unknown;
    Op op = Op::other;
    std::string name;
    std::int64_t bytes = 0;
    std::int64_t count = 0;
};

struct MeasuredCell {
    Kind kind = Kind::unknown;
    std::int64_t sender = 0;
    std::int64_t receiver = 0;
    double bytes = 0.0;
};

// Communication bytes in flight over time, for drawing: bin i covers [start_ns + i * bin_ns, + bin_ns).
struct TrafficRate {
    TraceTime start_ns = 0;
    TraceTime bin_ns = 1;
    std::vector<double> bytes; // all ranks
};

struct Measurement {
    std::vector<RankMeasurement> ranks; // by rank
    CrossRank cross_rank;
    std::vector<HistogramRow> message_histogram; // by kind, op, bytes
    std::vector<MeasuredCell> matrix;
    TrafficRate traffic_rate;
};

} // namespace shardscope
