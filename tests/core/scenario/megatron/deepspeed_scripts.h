#pragma once

#include <QFile>
#include <QString>
#include <QStringList>

#include "core/scenario/megatron/launched_run.h"

#include <algorithm>
#include <string>

namespace shardscope
{

// A run of Megatron-DeepSpeed on eight GPUs with what else the row says.
inline std::string scriptWith(const QString& before, const QString& options)
{
    const QString script = R"(#!/bin/bash
%1
deepspeed --num_nodes 1 pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \
    --seq-length 1024 --max-position-embeddings 1024 --tensor-model-parallel-size 2 \
    --pipeline-model-parallel-size 1 --data-parallel-size 4 --use-flash-attn-v2 --vocab-size 50257 --deepspeed %2
)";
    return script.arg(before, options).toStdString();
}

inline MegatronRun runOf(const std::string& script, const QString& folder = {})
{
    auto run = launchedRun(script, Scenario{}, folder.toStdString());
    if (!run)
        qFatal("%s", run.error().sentence.c_str());
    return std::move(run).value();
}

inline QStringList notesOf(const MegatronRun& run)
{
    QStringList notes;
    for (const std::string& note : run.notes)
        notes << QString::fromStdString(note);
    return notes;
}

inline bool anyHolds(const QStringList& notes, const QString& words)
{
    return std::ranges::any_of(notes, [&](const QString& note) { return note.contains(words); });
}

inline void writeTo(const QString& path, const QByteArray& content)
{
    QFile file{path};
    if (!file.open(QIODevice::WriteOnly))
        qFatal("cannot write %s", qPrintable(path));
    file.write(content);
}

} // namespace shardscope
