#pragma once

#include "core/import/importer.h"

#include <QStringList>
#include <QTemporaryDir>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace shardscope
{

// Imports the text as a file of this name.
inline Result<TraceSet> importText(const std::string& text, const char* name = "run.log")
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath(name).toStdString();
    std::ofstream(path, std::ios::binary) << text;
    return importTraces(std::array{path});
}

// "text between events: 2"
inline QStringList warningsOf(const TraceFile& file)
{
    QStringList out;
    for (const ImportWarning& warning : file.warnings)
        out << QString{"%1: %2"}.arg(QString::fromStdString(warning.what)).arg(warning.count);
    return out;
}

inline const TraceFile& onlyFile(const Result<TraceSet>& set)
{
    return set.value().files.at(0);
}

} // namespace shardscope
