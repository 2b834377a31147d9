#include "core/analysis/calibration/calibration_points.h"

#include "core/analysis/calls/transfer_rows.h"
#include "core/analysis/classification/collective_name.h"
#include "core/analysis/run_mapping.h"
#include "core/base/format.h"
#include "core/prediction/time/node_placement.h"
#include "core/scenario/scale_up_domain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

namespace shardscope
{

namespace
{

constexpr std::array fitted_ops{Op::all_reduce, Op::all_gather, Op::reduce_scatter,
                                Op::all_to_all, Op::broadcast,  Op::reduce};

bool isFitted(Op op)
{
    return std::ranges::find(fitted_ops, op) != fitted_ops.end();
}

// How often the bytes go over the bus.
double busTimesBytes(const BandwidthPoint& line)
{
    return line.busbw_GBps * 1e9 * line.time_s / static_cast<double>(line.bytes);
}

// By its name, else as the user says, else by its bandwidths; other: none of them tells it.
Op operationOf(const BandwidthPoint& fastest, std::optional<Op> told)
{
    if (const Op named = opFromName(fastest.name); named != Op::other)
        return named;
    return told.value_or(isOfAllReduce(fastest) ? Op::all_reduce : Op::other);
}

// Why the table is left out; empty: it is not.
std::string whyLeftOut(const BandwidthPoint& line, Op op)
{
    if (isFitted(op))
        return {};
    if (line.name.empty() && op == Op::other)
        return "a table of nccl-tests names no operation, and its bandwidths do not tell it; it is left out "
               "until its operation is said";
    return "the table of " + (line.name.empty() ? std::string{word(op)} : line.name)
           + " is left out: nothing is fitted to this operation";
}

// The ranks that the table lists, or what its figures tell: busbw * time / bytes is 2(n-1)/n for all_reduce,
// (n-1)/n for the others of that sort, 1 for broadcast. The figures are rounded, so that n beyond a node is
// taken as whole nodes. 0: they do not tell.
int ranksOf(const BandwidthPoint& fastest, Op op, int node)
{
    if (fastest.ranks > 1)
        return fastest.ranks;
    const double ratio = busTimesBytes(fastest);
    const double most = op == Op::all_reduce ? 2.0 : 1.0;
    constexpr double least_gap = 1e-6; // a million ranks; more is no table's
    if (ratio <= 0.0 || most - ratio < least_gap)
        return 0;
    const double ranks = most / (most - ratio);
    return static_cast<int>(ranks > node ? std::lround(ranks / node) * node : std::lround(ranks));
}

void addPoint(const CollectiveQuestion& question, double measured_s, std::vector<CalibrationPoint>& points)
{
    CalibrationPoint point;
    point.what = nameOf(question);
    point.measured_s = measured_s;
    point.collective = question;
    points.push_back(std::move(point));
}

class TableReader
{
public:
    TableReader(const Cluster& cluster, const MeasuredGroups& groups) : m_cluster{cluster}, m_groups{groups}
    {
    }

    void read(const std::vector<BandwidthPoint>& lines, std::vector<CalibrationPoint>& points,
              std::vector<std::string>& notes)
    {
        std::map<std::pair<int, std::string>, std::vector<const BandwidthPoint*>> tables;
        for (const BandwidthPoint& line : lines)
            if (line.bytes > 0 && line.time_s > 0.0)
                tables[{line.table, line.name}].push_back(&line);
        for (const auto& [key, table] : tables)
            addTable(table, points, notes);
    }

private:
    void addTable(const std::vector<const BandwidthPoint*>& table, std::vector<CalibrationPoint>& points,
                  std::vector<std::string>& notes) const
    {
        const BandwidthPoint& fastest = **std::ranges::max_element(table, {}, &BandwidthPoint::busbw_GBps);
        const Op op = operationOf(fastest, m_groups.op);
        if (const std::string why = whyLeftOut(fastest, op); !why.empty()) {
            notes.push_back(why);
            return;
        }
        const bool is_listed = fastest.ranks > 1;
        const int node = m_groups.per_node.value_or(
            static_cast<int>(is_listed ? ranksOfDomain(m_cluster, fastest.per_node, fastest.ranks)
                                       : scaleUpDomain(m_cluster)));
        const int ranks = ranksOf(fastest, op, node);
        if (ranks < 2) {
            notes.push_back("the table of " + (fastest.name.empty() ? "nccl-tests" : fastest.name)
                            + " does not tell its number of ranks; it is left out");
            return;
        }
        const int per_node = std::min(ranks, node);
        notes.push_back(
            std::string{word(op)} + ": " + std::to_string(ranks)
            + (is_listed ? " ranks" : " ranks, from the bandwidths") + "; " + std::to_string(per_node)
            + (is_listed && per_node > fastest.per_node ? " of them joined by fast links" : " on a node")
            + (op != m_groups.op.value_or(op)
                   ? "; the table names it, so that " + std::string{word(*m_groups.op)} + " is not taken"
                   : ""));
        for (const BandwidthPoint* line : table)
            addPoint({op, ranks, per_node, {line->bytes}}, line->time_s, points);
    }

    const Cluster& m_cluster;
    const MeasuredGroups& m_groups;
};

// Calls of a kind whose group has the size that the scenario gives it lie as there; others fill nodes.
CollectiveQuestion questionOf(const TransferRow& row, const RankLayout& layout, const Machine& machine,
                              const MeasuredGroups& groups)
{
    CollectiveQuestion question;
    question.op = row.op;
    question.message_bytes = {row.message_bytes};
    question.ranks = static_cast<int>(row.group_size);
    question.per_node = std::min(question.ranks, groups.per_node.value_or(machine.domain));
    if (row.kind == Kind::unknown || row.kind == Kind::pp || layout.groupSize(row.kind) != row.group_size)
        return question;
    const Communicator group = communicatorOf(layout, row.kind, machine);
    question.per_node = group.per_node;
    question.siblings = group.siblings;
    question.pods = group.pods;
    return question;
}

} // namespace

bool holdTableOfNoOperation(const std::vector<BandwidthPoint>& lines)
{
    std::map<int, const BandwidthPoint*> fastest;
    for (const BandwidthPoint& line : lines) {
        if (!line.name.empty() || line.bytes < 1 || line.time_s <= 0.0)
            continue;
        const BandwidthPoint*& known = fastest[line.table];
        if (known == nullptr || line.busbw_GBps > known->busbw_GBps)
            known = &line;
    }
    return std::ranges::any_of(fastest, [](const auto& table) { return !isOfAllReduce(*table.second); });
}

bool isOfAllReduce(const BandwidthPoint& line)
{
    constexpr double rounded_one = 1.01;
    return line.bytes > 0 && busTimesBytes(line) >= rounded_one;
}

std::string nameOf(const CollectiveQuestion& question)
{
    return std::string{word(question.op)} + " of "
           + formatBytes(static_cast<double>(question.message_bytes.front())) + " over "
           + std::to_string(question.ranks) + " ranks";
}

std::vector<CalibrationPoint> calibrationPoints(const Measurement& measurement, const Scenario& scenario,
                                                const MeasuredGroups& groups, std::vector<std::string>& notes)
{
    std::vector<CalibrationPoint> points;
    const Machine machine{scenario.cluster};
    const RankLayout layout{asInTheRun(scenario.parallel, measurement)};
    TableReader{scenario.cluster, groups}.read(measurement.points, points, notes);
    for (const TransferRow& row : measurement.cross_rank.transfers)
        if (isFitted(row.op) && row.message_bytes > 0 && row.group_size > 1 && row.median_ns > 0)
            addPoint(questionOf(row, layout, machine, groups), static_cast<double>(row.median_ns) * 1e-9,
                     points);
    if (const auto note = partlyReadNote(measurement.calls))
        notes.push_back(*note);
    return points;
}

void noteSkipped(const TraceSet& traces, std::vector<std::string>& notes)
{
    for (const TraceFile& file : traces.files) {
        const std::string name = std::filesystem::path{file.path}.filename().string() + ": ";
        if (file.status == FileStatus::rejected)
            notes.push_back(name + "left out: " + file.rejection);
        for (const ImportWarning& warning : file.warnings)
            notes.push_back(name + warning.what + " (" + std::to_string(warning.count) + ")");
        for (const std::string& note : file.notes)
            notes.push_back(name + note);
    }
}

} // namespace shardscope
