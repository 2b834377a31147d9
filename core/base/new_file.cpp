#include "core/base/new_file.h"

#include <cstdio>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace shardscope
{

namespace fs = std::filesystem;

namespace
{

Error notWritten()
{
    return {"the file cannot be written; is there room, and may you write in that folder?"};
}

bool canBeOpened(const fs::path& file, const char* mode)
{
    std::FILE* opened = std::fopen(file.c_str(), mode);
    return opened != nullptr && std::fclose(opened) == 0;
}

// Makes an empty file beside the place, under a name that nobody else has. Empty: it cannot be made.
fs::path makePart(const fs::path& place)
{
    constexpr int most_tries = 8;
    std::random_device random;
    for (int i = 0; i < most_tries; ++i) {
        fs::path part = place;
        part += '.' + std::to_string(random()) + ".part";
        if (canBeOpened(part, "wbx"))
            return part;
    }
    return {};
}

// Where a link points to, though nothing may be there yet.
fs::path behindLinks(fs::path file)
{
    constexpr int most_links = 40; // as the system follows
    std::error_code problem;
    for (int i = 0; i < most_links && fs::is_symlink(file, problem); ++i)
        file = file.parent_path() / fs::read_symlink(file, problem);
    return file;
}

} // namespace

Result<NewFile> NewFile::create(const fs::path& file)
{
    std::error_code ignored;
    const fs::file_status there = fs::status(file, ignored);
    if (fs::is_directory(there))
        return Error{"this is a folder; name a file in it"};
    NewFile made;
    if (fs::exists(there) && !fs::is_regular_file(there)) {
        made.m_place = file;
    } else {
        made.m_place = behindLinks(file);
        if (fs::exists(there) && !canBeOpened(made.m_place, "r+b"))
            return notWritten();
        made.m_part = makePart(made.m_place);
        if (made.m_part.empty())
            return notWritten();
        if (fs::exists(there))
            fs::permissions(made.m_part, there.permissions(), ignored);
    }
    made.m_stream.open(made.m_part.empty() ? made.m_place : made.m_part, std::ios::binary);
    if (!made.m_stream)
        return notWritten();
    return made;
}

NewFile::NewFile(NewFile&& other) noexcept
    : m_place{std::move(other.m_place)},
      m_part{std::exchange(other.m_part, {})},
      m_stream{std::move(other.m_stream)}
{
}

NewFile::~NewFile()
{
    if (m_part.empty())
        return;
    m_stream.close();
    std::error_code ignored;
    fs::remove(m_part, ignored);
}

void NewFile::write(std::string_view bytes)
{
    m_stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

Result<bool> NewFile::finish()
{
    m_stream.close();
    std::error_code problem;
    if (m_stream && !m_part.empty())
        fs::rename(m_part, m_place, problem);
    if (!m_stream || problem)
        return notWritten();
    m_part.clear();
    return true;
}

} // namespace shardscope
