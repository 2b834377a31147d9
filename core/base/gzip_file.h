#pragma once

#include "core/base/new_file.h"
#include "core/base/result.h"

#include <filesystem>
#include <memory>
#include <string_view>

namespace shardscope
{

// A text file that is written piece by piece, compressed where its name ends with .gz. finish() puts it in
// its place; destroyed unfinished it leaves nothing.
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
    GzipFile(NewFile file, bool compressed);
    void flush(int mode);

    NewFile m_file;
    std::unique_ptr<Deflater> m_deflater; // null: the text goes out as it is
};

} // namespace shardscope
