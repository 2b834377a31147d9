#pragma once

#include <QString>

namespace shardscope
{

// What a sentence to the user is about. It is no longer right once another one is opened, once the scenario
// is of as many GPUs as the traces, or of their mapping, or once a preset is saved after all.
enum class Topic : unsigned char { other, scenario_file, traces, number_of_gpus, mapping, presets };

enum class Severity : unsigned char { note, warning, error };

// Where the window can take somebody who wants to do something about it.
enum class Offer : unsigned char {
    none,
    trace_files,
    what_traces_show,
    another_run,
    mapping_of_traces,
    collectives // the picture that alone shows the run
};

// A sentence about what was opened: it was done, and yet there is something to know.
struct Notice {
    Severity severity = Severity::warning;
    QString sentence;
    Topic topic = Topic::other;
    Offer offer = Offer::none;
    bool waits = false; // it is read after what was told before
};

} // namespace shardscope
