#include "bench/accuracy/collective_curves.h"

#include "bench/accuracy/residuals.h"
#include "core/analysis/calibration/calibration.h"
#include "core/collectives/link_law.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <limits>
#include <map>

using nlohmann::json;

namespace shardscope
{

namespace
{

constexpr double large_bytes = 16.0 * 1024.0 * 1024.0;

const std::map<std::string, Op> ops{
    {"ar", Op::all_reduce}, {"ag", Op::all_gather}, {"rs", Op::reduce_scatter}, {"a2a", Op::all_to_all}};

// A curve begins with the name of its GPU; this one with that of its links.
const ClusterPreset* presetOf(const std::string& name, const Presets& presets)
{
    return name.starts_with("PCIe") ? presets.cluster("v100-pcie-100g-roce") : presets.clusterOfGpu(name);
}

std::vector<CalibrationPoint> pointsOf(const json& curve, Op op)
{
    std::vector<CalibrationPoint> points;
    const int ranks = curve.at("ranks").get<int>();
    const int per_node = ranks / curve.at("nodes").get<int>();
    for (const json& point : curve.at("points")) {
        CalibrationPoint entry;
        const auto bytes = point.at(0).get<std::int64_t>();
        entry.what = std::to_string(bytes);
        entry.measured_s = point.at(1).get<double>() * 1e-6;
        entry.collective = CollectiveQuestion{op, ranks, per_node, {bytes}, 1};
        points.push_back(std::move(entry));
    }
    return points;
}

using Predicted = std::function<std::optional<double>(const CalibrationRow&)>;

CurveError errorOf(const Calibration& calibration, const std::vector<CalibrationPoint>& points,
                   const Predicted& predicted)
{
    std::array<double, 2> sum{};
    std::array<int, 2> count{};
    for (std::size_t i = 0; i < calibration.rows.size(); ++i) {
        const CalibrationRow& row = calibration.rows[i];
        const std::optional<double> time = predicted(row);
        if (!time)
            continue;
        const double error = std::abs(*time / row.measured_s - 1.0);
        const bool is_large = static_cast<double>(points[i].collective->message_bytes.front()) >= large_bytes;
        for (std::size_t part = 0; part < (is_large ? 2U : 1U); ++part) {
            sum[part] += error;
            ++count[part];
        }
    }
    const auto mean = [&](std::size_t part) {
        return count[part] > 0 ? std::optional{sum[part] / count[part]} : std::nullopt;
    };
    return {mean(1), mean(0)};
}

CurveErrors errorsOf(const std::string& name, const Calibration& calibration,
                     const std::vector<CalibrationPoint>& points)
{
    const auto of = [&](const Predicted& predicted) { return errorOf(calibration, points, predicted); };
    return {name, points.size(), of([](const CalibrationRow& row) { return row.before_s; }),
            of([](const CalibrationRow& row) { return row.fitted_s; }),
            of([](const CalibrationRow& row) { return row.left_out_s; })};
}

// What a cluster takes whose links are of a kind that has no constants of its own.
Cluster withAnotherKindsConstants(Cluster cluster)
{
    takeIntraLink(cluster.collectives, "");
    takeInterLink(cluster.collectives, cluster.inter_node.kind == "efa" ? "infiniband" : "efa");
    return cluster;
}

std::vector<CurvePoint> predictedPoints(const json& curve, const ClusterPreset& system,
                                        const std::vector<CalibrationPoint>& points)
{
    const Cluster other = withAnotherKindsConstants(system.cluster);
    std::vector<CurvePoint> predicted;
    for (const CalibrationPoint& point : points) {
        const auto timeOn = [&](const Cluster& on) {
            return predictCollective(on, *point.collective).time_s.front();
        };
        predicted.push_back({curve.at("name"), curve.at("source"), system.name, *point.collective,
                             point.measured_s, timeOn(system.cluster), timeOn(other)});
    }
    return predicted;
}

std::string percent(const std::optional<double>& share)
{
    if (!share)
        return "-";
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f %%", 100.0 * *share);
    return text.data();
}

// Curves weigh the same, however many points they have.
std::string meanOf(const CollectiveCurves& curves, std::optional<double> CurveError::*part,
                   CurveError CurveErrors::*kind)
{
    double sum = 0.0;
    int count = 0;
    for (const CurveErrors& curve : curves.curves)
        if (const std::optional<double>& error = curve.*kind.*part; error) {
            sum += *error;
            ++count;
        }
    return percent(count > 0 ? std::optional{sum / count} : std::nullopt);
}

// The sizes that bands tell apart.
std::string bandRow(const CollectiveCurves& curves, const std::string& sizes, std::int64_t from,
                    std::int64_t below)
{
    std::vector<double> preset;
    std::vector<double> carried_over;
    for (const CurvePoint& point : curves.points)
        if (point.messageBytes() >= from && point.messageBytes() < below) {
            preset.push_back(point.measured_s / point.preset_s - 1.0);
            carried_over.push_back(point.measured_s / point.other_links_s - 1.0);
        }
    constexpr double four_of_five = 0.8;
    return "| " + sizes + " | " + std::to_string(preset.size()) + " | "
           + percent(sizeBelow(preset, four_of_five)) + " | " + percent(sizeBelow(carried_over, four_of_five))
           + " |\n";
}

std::string bandTable(const CollectiveCurves& curves)
{
    constexpr auto any = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
    return "\nFour of five measured times lie within the band that stands beside a collective's time, a "
           "share of the predicted one. Links of a kind without a curve have the constants of another kind, "
           "and the band that such constants have here.\n\n"
           "| message | points | preset | constants of another kind of links |\n"
           "| --- | ---: | ---: | ---: |\n"
           + bandRow(curves, "below 16 MiB", 0, 16 * mebibyte)
           + bandRow(curves, "16 to 64 MiB", 16 * mebibyte, 64 * mebibyte)
           + bandRow(curves, "from 64 MiB", 64 * mebibyte, any);
}

} // namespace

Result<CollectiveCurves> readCollectiveCurves(const std::filesystem::path& file, const Presets& presets)
{
    CollectiveCurves read;
    std::ifstream stream{file};
    try {
        const json hardware = json::parse(stream);
        for (const json& curve : hardware.at("curves")) {
            const auto name = curve.at("name").get<std::string>();
            const auto op = ops.find(curve.at("collective").get<std::string>());
            const ClusterPreset* preset = presetOf(name, presets);
            if (op == ops.end() || preset == nullptr) {
                read.without_preset.push_back(name);
                continue;
            }
            const std::vector<CalibrationPoint> points = pointsOf(curve, op->second);
            const Result<Calibration> calibration = calibrate(preset->cluster, points);
            if (!calibration)
                return Error{name + ": " + calibration.error().sentence};
            read.curves.push_back(errorsOf(name, calibration.value(), points));
            const std::vector<CurvePoint> predicted = predictedPoints(curve, *preset, points);
            read.points.insert(read.points.end(), predicted.begin(), predicted.end());
        }
    } catch (const json::exception& problem) {
        return Error{file.string() + ": cannot be read as a list of curves (" + problem.what()
                     + "); give a JSON file with published nccl-tests curves"};
    }
    return read;
}

std::string collectiveSection(const CollectiveCurves& curves)
{
    std::string text =
        "\n## Collectives\n\nPublished nccl-tests curves: with the preset of their system, with constants "
        "that `calibrate` fits to the curve itself, and each point with constants of a fit that did not see "
        "it.\n\n| curve | points | preset, from 16 MiB | all sizes | calibrated, from 16 MiB | all sizes | "
        "left out, from 16 MiB |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (const CurveErrors& curve : curves.curves)
        text += "| " + curve.name + " | " + std::to_string(curve.points) + " | " + percent(curve.preset.large)
                + " | " + percent(curve.preset.all) + " | " + percent(curve.calibrated.large) + " | "
                + percent(curve.calibrated.all) + " | " + percent(curve.left_out.large) + " |\n";
    text += "| **mean of curves** | | " + meanOf(curves, &CurveError::large, &CurveErrors::preset) + " | "
            + meanOf(curves, &CurveError::all, &CurveErrors::preset) + " | "
            + meanOf(curves, &CurveError::large, &CurveErrors::calibrated) + " | "
            + meanOf(curves, &CurveError::all, &CurveErrors::calibrated) + " | "
            + meanOf(curves, &CurveError::large, &CurveErrors::left_out) + " |\n";
    text += bandTable(curves);
    if (!curves.without_preset.empty()) {
        text += "\nNot scored, as no preset is their system's:";
        for (const std::string& name : curves.without_preset)
            text += (&name == &curves.without_preset.front() ? " " : "; ") + name;
        text += ".\n";
    }
    return text;
}

} // namespace shardscope
