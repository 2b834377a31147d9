#pragma once

#include "widgets/session/content.h"

#include "core/analysis/calibration/calibration.h"
#include "core/analysis/calibration/calibration_points.h"
#include "core/scenario/presets.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// What a cluster's constants are to be fitted to.
struct CalibrationQuestion {
    std::shared_ptr<const Scenario> scenario; // rows of tables change it; the fit begins with its cluster
    std::shared_ptr<const Presets> presets;   // clusters and models that tables name
    std::shared_ptr<const MeasuredRun> run;   // traces that are open; null: not these
    std::vector<std::filesystem::path> files; // tables of configurations and times, nccl-tests output, traces
    MeasuredGroups groups;

    bool asksNothing() const { return run == nullptr && files.empty(); }
};

struct CalibrationAnswer {
    CalibrationQuestion question;
    std::string problem;            // why there is no fit; empty with a fit, and where nothing was asked
    std::vector<std::string> notes; // on the measurements; those on the fit are its own
    std::optional<Calibration> fit;
};

// Reads the files and fits. Once `stop` is true it ends soon, without a fit.
CalibrationAnswer answerCalibration(const CalibrationQuestion& question,
                                    const std::atomic<bool>* stop = nullptr);

} // namespace shardscope
