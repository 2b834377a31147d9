#include "core/import/nsys/sqlite_database.h"

#include <sqlite3.h>

namespace shardscope
{

namespace
{

// A path as SQLite's URIs want it: everything but plain letters in percent form.
std::string uriOf(const std::filesystem::path& path)
{
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
    std::string uri = "file:";
    for (const char letter : std::filesystem::absolute(path).string()) {
        const auto byte = static_cast<unsigned char>(letter);
        if (plain.find(letter) != std::string_view::npos)
            uri += letter;
        else
            uri += {'%', digits[byte >> 4], digits[byte & 15U]};
    }
    return uri + "?mode=ro&immutable=1";
}

Error errorOf(sqlite3* database)
{
    return Error{std::string("the SQLite file cannot be read: ")
                 + (database != nullptr ? sqlite3_errmsg(database) : "there is not enough memory")};
}

} // namespace

std::optional<std::int64_t> SqliteRow::integer(int column) const
{
    if (sqlite3_column_type(m_statement, column) != SQLITE_INTEGER)
        return std::nullopt;
    return sqlite3_column_int64(m_statement, column);
}

std::optional<std::string_view> SqliteRow::text(int column) const
{
    if (sqlite3_column_type(m_statement, column) != SQLITE_TEXT)
        return std::nullopt;
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
    if (text == nullptr)
        return std::nullopt;
    return std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column)));
}

std::string_view SqliteRow::blob(int column) const
{
    if (sqlite3_column_type(m_statement, column) != SQLITE_BLOB)
        return {};
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(m_statement, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
    return bytes != nullptr ? std::string_view(bytes, size) : std::string_view();
}

void SqliteDatabase::Close::operator()(sqlite3* database) const
{
    sqlite3_close(database);
}

// The file's own schema must not run functions, and its numbers of pages are not to be trusted.
SqliteDatabase::SqliteDatabase(sqlite3* database) : m_database(database)
{
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_exec(database, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0", nullptr, nullptr, nullptr);
}

Result<SqliteDatabase> SqliteDatabase::open(const std::filesystem::path& path)
{
    sqlite3* opened = nullptr;
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    const int state = sqlite3_open_v2(uriOf(path).c_str(), &opened, flags, nullptr);
    SqliteDatabase database(opened);
    if (state != SQLITE_OK)
        return errorOf(opened);
    return database;
}

Result<SqliteDatabase> SqliteDatabase::open(std::string& content)
{
    sqlite3* opened = nullptr;
    int state = sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    SqliteDatabase database(opened);
    const auto size = static_cast<sqlite3_int64>(content.size());
    if (state == SQLITE_OK)
        state = sqlite3_deserialize(opened, "main", reinterpret_cast<unsigned char*>(content.data()), size,
                                    size, SQLITE_DESERIALIZE_READONLY);
    if (state != SQLITE_OK)
        return errorOf(opened);
    return database;
}

std::set<std::string> SqliteDatabase::columns(const std::string& table) const
{
    std::set<std::string> names;
    read("SELECT i.name FROM sqlite_master AS m, pragma_table_info(m.name) AS i WHERE m.type = 'table' AND "
         "m.name = '"
             + table + "' AND upper(m.sql) NOT LIKE 'CREATE VIRTUAL%'",
         [&](const SqliteRow& row) {
             names.emplace(row.text(0).value_or(""));
             return true;
         });
    return names;
}

std::optional<Error> SqliteDatabase::damage() const
{
    return read("SELECT name FROM sqlite_master", [](const SqliteRow&) { return true; });
}

std::optional<Error> SqliteDatabase::read(const std::string& question,
                                          const std::function<bool(const SqliteRow&)>& take) const
{
    sqlite3_stmt* prepared = nullptr;
    if (sqlite3_prepare_v2(m_database.get(), question.c_str(), -1, &prepared, nullptr) != SQLITE_OK)
        return errorOf(m_database.get());
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
    const SqliteRow row(prepared);
    int state = sqlite3_step(prepared);
    for (; state == SQLITE_ROW; state = sqlite3_step(prepared)) {
        if (!take(row))
            return std::nullopt;
    }
    return state == SQLITE_DONE ? std::nullopt : std::optional(errorOf(m_database.get()));
}

} // namespace shardscope
