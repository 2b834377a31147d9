#include "core/base/file.h"

#include "core/base/new_file.h"

#include <fstream>
#include <sstream>
#include <system_error>

namespace shardscope
{

namespace fs = std::filesystem;

Result<std::string> readFile(const fs::path& file, std::uintmax_t most_bytes)
{
    std::error_code problem;
    if (fs::is_directory(file, problem))
        return Error{"this is a folder, not a file"};
    const std::uintmax_t size = fs::file_size(file, problem);
    if (!problem && size > most_bytes)
        return Error{"the file holds " + std::to_string(size) + " bytes, more than the "
                     + std::to_string(most_bytes) + " that such a file ever needs; is it the right one?"};
    std::ifstream stream{file, std::ios::binary};
    if (!stream)
        return Error{fs::exists(file, problem) ? "the file cannot be opened; may you read it?"
                                               : "there is no such file"};
    std::ostringstream text;
    if (stream.peek() != std::ifstream::traits_type::eof())
        text << stream.rdbuf();
    if (stream.bad() || text.fail())
        return Error{"the file cannot be read to its end"};
    return std::move(text).str();
}

Result<bool> replaceFile(const fs::path& file, std::string_view text)
{
    Result<NewFile> made = NewFile::create(file);
    if (!made)
        return made.error();
    made.value().write(text);
    return made.value().finish();
}

} // namespace shardscope
