#pragma once

#include <QString>
#include <QStringList>

#include "core/scenario/megatron/megatron_run.h"

#include <algorithm>
#include <vector>

// Arguments as the table that a run of Megatron-LM prints lists them.
namespace shardscope
{

using Arguments = QStringList; // "name value"

// A GPT of 24 layers, as a table lists the least.
inline const Arguments small_gpt{
    "num_layers 24",      "hidden_size 1024", "num_attention_heads 16",      "seq_length 1024",
    "micro_batch_size 2", "world_size 8",     "params_dtype torch.bfloat16", "bf16 True"};

inline std::vector<RunArgument> listed(const Arguments& lines)
{
    std::vector<RunArgument> arguments;
    for (const QString& line : lines)
        arguments.push_back({line.section(' ', 0, 0).toStdString(), line.section(' ', 1).toStdString()});
    return arguments;
}

inline MegatronRun runOf(const Arguments& lines)
{
    const auto run = megatronRun(listed(lines), {});
    if (!run)
        qFatal("%s", run.error().sentence.c_str());
    return run.value();
}

inline bool hasNote(const MegatronRun& run, const QString& words)
{
    return std::ranges::any_of(
        run.notes, [&](const std::string& note) { return QString::fromStdString(note).contains(words); });
}

} // namespace shardscope
