#pragma once

#include "core/import/importer.h"

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

} // namespace shardscope
