#pragma once

#include "core/analysis/run_difference.h"

#include <string>

namespace shardscope
{

// Two measured runs against each other, for people and programs.

// {"before", "after": {"iteration_s", "ranks", "iterations"}, "added_s", "change", "parts": [{"part", "kind",
// "before_s", "after_s", "added_s"}], "calls": [{"kind", "op", "message_bytes", "group_size", "before_count",
// "after_count", "before_s", "after_s", "added_s", "before_exposed_s", "after_exposed_s",
// "before_transfer_s", "after_transfer_s"}], "classes", "kernels": [{"name", "class", "before_count",
// "after_count", "before_s", "after_s", "added_s"}], "timers": [{"name", "before_s", "after_s"}],
// "peak_allocated", "peak_reserved": {"before_bytes", "after_bytes"}, where told, "notes"}: counts and
// seconds of one rank in one iteration; null is not known.
std::string runDifferenceJson(const RunDifference& difference, int indent = 2);
// The longest rows alone of kernels and calls, and how many more there are.
std::string runDifferenceText(const RunDifference& difference);

// "An iteration takes 124 ms, before 112 ms: 12 ms more (+10.7 %); idle +9.1 ms, exposed tp +2.7 ms": the
// parts that changed most; of runs that take equally long, and of such whose times nothing tells, a sentence
// that says so.
std::string runDifferenceSentence(const RunDifference& difference);
// "The fullest rank's GPU held at most: allocated 26.1 GiB, before 24.4 GiB"; empty where neither run tells.
std::string memorySentence(const RunDifference& difference);
// "exposed dp", "exposed communication" where the kind is not known, "compute".
std::string partText(const PartChange& part);
// "communication", "matrix": what a kernel does, as far as its name tells.
std::string kernelWord(const KernelChange& kernel);
// "+9.1 ms", "-30 µs", "0".
std::string addedText(double added_s);
// 12, 0.5: calls of one iteration, which a mean over ranks may make broken.
std::string callCountText(double calls);

} // namespace shardscope
