#pragma once

#include "core/base/result.h"
#include "core/prediction/time/collective_prediction.h"
#include "core/scenario/presets.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardscope
{

// Mean of |predicted / measured - 1| over the points of a curve.
struct CurveError {
    std::optional<double> large; // from 16 MiB on, where bandwidth decides
    std::optional<double> all;
};

// A published nccl-tests curve: with its system's preset, with constants fitted to the curve, and each point
// with constants of a fit that did not see it.
struct CurveErrors {
    std::string name;
    std::size_t points = 0;
    CurveError preset;
    CurveError calibrated;
    CurveError left_out;
};

// A measured point, predicted with the preset of its system and with constants of another kind of links, as
// links have that nobody has measured.
struct CurvePoint {
    std::string curve;
    std::string source;
    std::string system;          // name of the preset
    CollectiveQuestion question; // of one size
    double measured_s = 0.0;
    double preset_s = 0.0;
    double other_links_s = 0.0;

    std::int64_t messageBytes() const { return question.message_bytes.front(); }
};

// The curves of ../shared/truth/hardware.json whose system has a preset, and the others' names. Error: the
// file cannot be read.
struct CollectiveCurves {
    std::vector<CurveErrors> curves;
    std::vector<CurvePoint> points;
    std::vector<std::string> without_preset;
};
Result<CollectiveCurves> readCollectiveCurves(const std::filesystem::path& file, const Presets& presets);

// The section of docs/accuracy.md about them.
std::string collectiveSection(const CollectiveCurves& curves);

} // namespace shardscope
