#pragma once

#include "core/analysis/calibration/calibration.h"
#include "core/analysis/calibration/fit_constants.h"
#include "core/prediction/predict.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace shardscope
{

// Times of a cluster that nobody knows the constants of, as its owner would measure them.
inline std::vector<CalibrationPoint> measuredOn(const Cluster& cluster, Op op, int ranks)
{
    std::vector<CalibrationPoint> points;
    for (std::int64_t bytes = 16 * 1024; bytes <= (std::int64_t{1} << 32); bytes *= 4) {
        const CollectiveQuestion question{op, ranks, 8, {bytes}};
        CalibrationPoint point;
        point.what = std::to_string(bytes);
        point.measured_s = predictCollective(cluster, question).time_s.front();
        point.collective = question;
        points.push_back(point);
    }
    return points;
}

// Li et al.'s times of a scenario with three batches, on a cluster of that efficiency.
inline std::vector<CalibrationPoint> iterationsByMu(double mu)
{
    Scenario scenario;
    scenario.time_model = TimeModel::li;
    scenario.parallel.tensor = 2;
    std::vector<CalibrationPoint> points;
    for (const std::int64_t batch : {64, 128, 256}) {
        scenario.training.global_batch_size = batch;
        Scenario measured = scenario;
        measured.cluster.mu = mu;
        CalibrationPoint point;
        point.measured_s = predict(measured).value().time.iteration_s;
        point.step = scenario;
        points.push_back(point);
    }
    return points;
}

// By the detailed model, of different numbers of layers.
inline std::vector<CalibrationPoint> iterationsOn(const Cluster& cluster, int count)
{
    std::vector<CalibrationPoint> points;
    for (int i = 0; i < count; ++i) {
        CalibrationPoint point;
        point.step = Scenario{};
        point.step->cluster = cluster;
        point.step->time_model = TimeModel::detailed;
        point.step->model.layers = 8 + 4 * i;
        point.what = std::to_string(point.step->model.layers);
        point.measured_s = *predictedTime(point, cluster);
        points.push_back(std::move(point));
    }
    return points;
}

} // namespace shardscope
