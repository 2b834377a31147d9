#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace shardscope
{

// A file on its way to its place: written beside it under a name of its own, so that nobody ever reads half
// of it. What is there is replaced, with the same permissions; of a link what it points to. Pipes and devices
// are no files to replace: they are written to. Destroyed unfinished it leaves nothing.
class NewFile
{
public:
    // Error: there is a folder, or the file cannot be made or written there. Sentences leave the file's name
    // to the caller.
    static Result<NewFile> create(const std::filesystem::path& file);
    NewFile(NewFile&& other) noexcept;
    NewFile& operator=(NewFile&&) = delete;
    ~NewFile();

    void write(std::string_view bytes);
    // Error: the disk is full, or the place cannot be written.
    Result<bool> finish();

private:
    NewFile() = default;

    std::filesystem::path m_place;
    std::filesystem::path m_part; // empty: written to its place, moved from, or finished
    std::ofstream m_stream;
};

} // namespace shardscope
