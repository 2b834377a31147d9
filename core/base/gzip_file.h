#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

namespace shardscope
{

// A text file that is written piece by piece, compressed where its name ends with .gz. It is written beside
// its place; finish() puts it there, so that nobody ever reads half of it. Destroyed unfinished it leaves
// nothing.
class GzipFile
{
public:
    // Error: the file cannot be made there. Sentences leave the file's name to the caller.
    static Result<GzipFile> create(const std::filesystem::path& file);
    GzipFile(GzipFile&&) noexcept;
    GzipFile& operator=(GzipFile&&) = delete;
    ~GzipFile();

    void write(std::string_view text);
    // Error: the disk is full, or the place cannot be written.
    Result<bool> finish();

private:
    struct Deflater;
    GzipFile(std::filesystem::path file, bool compressed);
    void flush(int mode);

    std::filesystem::path m_file;
    std::filesystem::path m_part; // empty: moved from, or finished
    std::ofstream m_stream;
    std::unique_ptr<Deflater> m_deflater; // null: the text goes out as it is
};

} // namespace shardscope
