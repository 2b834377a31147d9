#include "app/cli/command.h"

#include "app/cli/calibrate_command.h"
#include "app/cli/collective_command.h"
#include "app/cli/digest_command.h"
#include "app/cli/export_timeline_command.h"
#include "app/cli/infer_command.h"
#include "app/cli/lesson_command.h"
#include "app/cli/map_command.h"
#include "app/cli/predict_command.h"
#include "app/cli/presets_command.h"
#include "app/cli/search_command.h"
#include "app/cli/study_command.h"
#include "app/cli/trace_command.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

constexpr std::array predict_options{
    Option{"--ranks", true},     Option{"--matrix"},          Option{"--timeline"}, Option{"--cluster", true},
    Option{"--deepspeed", true}, Option{"--set", true, true}, Option{"--json"}};
constexpr std::array trace_options{
    Option{"--json"},       Option{"--kernels"},  Option{"--rules", true},  Option{"--scenario", true},
    Option{"--step", true}, Option{"--activity"}, Option{"--force-memory"}, Option{"--resize", true}};
constexpr std::array compare_options{
    Option{"--json"},          Option{"--rules", true},     Option{"--step", true},
    Option{"--cluster", true}, Option{"--deepspeed", true}, Option{"--set", true, true},
    Option{"--force-memory"}};
constexpr std::array compare_runs_options{Option{"--json"}, Option{"--rules", true},
                                          Option{"--scenario", true}, Option{"--steps", true},
                                          Option{"--force-memory"}};
constexpr std::array infer_options{Option{"-o", true}, Option{"--rules", true}, Option{"--force-memory"},
                                   Option{"--json"}};
constexpr std::array digest_options{Option{"-o", true}, Option{"--rules", true}, Option{"--force-memory"}};
constexpr std::array calibrate_options{Option{"--op", true}, Option{"--per-node", true},
                                       Option{"--save", true}, Option{"-o", true}, Option{"--json"}};
constexpr std::array collective_options{Option{"--op", true}, Option{"--ranks", true},
                                        Option{"--per-node", true}, Option{"--bytes", true},
                                        Option{"--json"}};
constexpr std::array export_timeline_options{Option{"-o", true},          Option{"--ranks", true},
                                             Option{"--layers"},          Option{"--cluster", true},
                                             Option{"--deepspeed", true}, Option{"--set", true, true}};
constexpr std::array presets_options{Option{"--json"}};
constexpr std::array lesson_options{Option{"--json"}};
constexpr std::array search_options{
    Option{"--gpus", true},      Option{"--top", true},       Option{"-o", true}, Option{"--cluster", true},
    Option{"--deepspeed", true}, Option{"--set", true, true}, Option{"--json"}};
constexpr std::array study_options{
    Option{"--values", true},    Option{"--cluster", true}, Option{"--deepspeed", true},
    Option{"--set", true, true}, Option{"--csv"},           Option{"--json"}};
constexpr std::array map_options{Option{"--x", true},
                                 Option{"--y", true},
                                 Option{"--x-values", true},
                                 Option{"--y-values", true},
                                 Option{"--points", true},
                                 Option{"--cluster", true},
                                 Option{"--deepspeed", true},
                                 Option{"--set", true, true},
                                 Option{"--csv"},
                                 Option{"--json"}};

constexpr std::array all_commands{
    Command{"predict", "SCENARIO... [CHANGES] [--ranks all|none|R,R] [--matrix] [--timeline] [--json]",
            "what a scenario sends, stores and waits for; a .jsonl file, or -, is a scenario a "
            "line",
            predict_options, predictCommand},
    Command{"trace",
            "PATH... [--step N|all] [--activity] [--scenario FILE] [--rules FILE] [--kernels] "
            "[--resize h=N,s=N,b=N] [--force-memory] [--json]",
            "what trace files and folders show: breakdown, collectives, message sizes; with "
            "--resize also an iteration at so many times its hidden size, sequence length and "
            "micro-batch",
            trace_options, traceCommand},
    Command{"compare", "SCENARIO PATH... [CHANGES] [--step N|all] [--rules FILE] [--force-memory] [--json]",
            "prediction against measurement", compare_options, compareCommand},
    Command{"compare-runs",
            "BEFORE AFTER [--steps N,N] [--scenario FILE] [--rules FILE] [--force-memory] "
            "[--json]",
            "one measured run against another: parts of an iteration, calls, kernels, what "
            "differs most first",
            compare_runs_options, compareRunsCommand},
    Command{"calibrate",
            "SCENARIO PATH... [--op OP] [--per-node G] [--save NAME] [-o OUT.scenario.json] "
            "[--json]",
            "the scenario with its cluster's constants fitted to traces, nccl-tests output, or a "
            "table (CSV, JSON) of configurations and times",
            calibrate_options, calibrateCommand},
    Command{"collective", "CLUSTER --op OP --ranks N --per-node G --bytes B,B,... [--json]",
            "the time of one collective for each size; CLUSTER is a preset's name or a file",
            collective_options, collectiveCommand},
    Command{"export-timeline", "SCENARIO -o OUT.json.gz|FOLDER|- [CHANGES] [--ranks all|R,R] [--layers]",
            "the predicted timeline of every rank as a Chrome trace (opens in Perfetto), in one "
            "file, in a folder that is there with a file for each rank, or as plain text on "
            "standard output (-); with --layers every operator and message of every layer",
            export_timeline_options, exportTimelineCommand},
    Command{"presets", "[--json]", "the models, clusters and GPUs that ship, each figure with its source",
            presets_options, presetsCommand},
    Command{"lesson", "[NAME] [--json]",
            "the lessons for students, or one of them with its questions, predicted answers and "
            "why",
            lesson_options, lessonCommand},
    Command{"infer", "PATH... [-o OUT.scenario.json] [--rules FILE] [--force-memory] [--json]",
            "the scenario that traces show, what tells each of its figures, and how sure that is",
            infer_options, inferCommand},
    Command{"digest", "FOLDER -o OUT [--rules FILE] [--force-memory]",
            "a small summary of every trace in a folder, opened like a trace; under mpirun each "
            "process takes a share of the files",
            digest_options, digestCommand},
    Command{"search", "SCENARIO --gpus N [CHANGES] [--top K] [-o BEST.scenario.json] [--json]",
            "the best degrees of parallelism on N GPUs with all that goes with them, and the "
            "front of time and memory",
            search_options, searchCommand},
    Command{"study",
            "list | QUESTION SCENARIO [CHANGES] [--values V,V,...] [--csv] [--json] | steps "
            "BEFORE AFTER [CHANGES] [--csv] [--json] | steps SCENARIO --set KEY=VALUE,... "
            "[--csv] [--json]",
            "the scenario at each value of what a question varies: GPUs, layout, sizes, links, "
            "schedules",
            study_options, studyCommand},
    Command{"map",
            "SCENARIO --x AXIS --y AXIS [CHANGES] [--points N] [--x-values V,V,...] [--y-values "
            "V,V,...] [--csv] [--json]",
            "the scenario over two axes at once: sizes, batch, GPUs, layout, links", map_options, mapCommand},
};

} // namespace

std::span<const Command> commands()
{
    return all_commands;
}

const Command* commandNamed(std::string_view name)
{
    const auto found = std::ranges::find(commands(), name, &Command::name);
    return found == commands().end() ? nullptr : &*found;
}

std::string usageOf(const Command& command)
{
    return "shardscope-cli " + std::string{command.name} + " " + std::string{command.arguments};
}

} // namespace shardscope
