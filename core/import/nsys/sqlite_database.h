#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace shardscope
{

// A row of an answer. A value of another type than the one that is asked for is nothing.
class SqliteRow
{
public:
    explicit SqliteRow(sqlite3_stmt* statement) : m_statement(statement) {}

    std::optional<std::int64_t> integer(int column) const;
    std::optional<std::string_view> text(int column) const; // holds until the next row
    std::string_view blob(int column) const;                // the same; empty where it is none

private:
    sqlite3_stmt* m_statement;
};

// An SQLite file that somebody else wrote, opened for reading alone: nothing is locked, written or recovered.
class SqliteDatabase
{
public:
    static Result<SqliteDatabase> open(const std::filesystem::path& path);
    // A file's content in memory, which must outlive the database.
    static Result<SqliteDatabase> open(std::string& content);

    // Its columns; empty where there is no such table. Tables without rows are absent in many exports. Views
    // and virtual tables are none: reading one may never end.
    std::set<std::string> columns(const std::string& table) const;
    // Why not even the list of tables can be read; nothing where it can.
    std::optional<Error> damage() const;

    // Calls take for every row until it answers false. Error: the file is damaged.
    std::optional<Error> read(const std::string& question,
                              const std::function<bool(const SqliteRow&)>& take) const;

private:
    struct Close {
        void operator()(sqlite3* database) const;
    };
    explicit SqliteDatabase(sqlite3* database);

    std::unique_ptr<sqlite3, Close> m_database;
};

} // namespace shardscope
