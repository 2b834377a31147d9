#pragma once

#include "core/import/importer.h"

#include <QTemporaryDir>

#include <sqlite3.h>

#include <array>
#include <filesystem>
#include <string>

namespace shardscope
{

// Imports a database that these statements have filled, as an export of Nsight Systems.
inline Result<TraceSet> importExport(const QTemporaryDir& folder, const std::string& statements)
{
    const std::filesystem::path path = folder.filePath("export").toStdString();
    sqlite3* database = nullptr;
    sqlite3_open(path.c_str(), &database);
    const int state = sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(database);
    return state == SQLITE_OK ? importTraces(std::array{path})
                              : Result<TraceSet>(Error{"the test's statements are wrong"});
}

} // namespace shardscope
