#pragma once

#include <string>

namespace shardscope
{

// How sure a finding is.
namespace confidence
{
inline constexpr double certain = 0.99;  // the recorded messages agree
inline constexpr double told = 0.9;      // operators or groups tell
inline constexpr double likeliest = 0.6; // of several
inline constexpr double assumed = 0.2;   // nothing tells
} // namespace confidence

// One figure of the inferred scenario: what tells it, and how sure that is.
struct Finding {
    std::string key; // of the scenario format: "parallel.tensor"
    std::string value;
    double confidence = 0.0;
    std::string evidence;
};

} // namespace shardscope
