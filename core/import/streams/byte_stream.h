#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// The bytes of a trace, one after another. Damage ends the stream early and is told by a sentence.
class ByteStream
{
public:
    ByteStream() = default;
    ByteStream(const ByteStream&) = delete;
    ByteStream& operator=(const ByteStream&) = delete;
    virtual ~ByteStream() = default;

    // Fills `into`; fewer bytes than asked for only at the end.
    virtual std::size_t read(std::span<char> into) = 0;
    // Leaves bytes out, as far as there are any.
    virtual void skip(std::int64_t bytes);
    // How many bytes of the file on disk have been used so far.
    virtual std::int64_t bytesOfFile() const = 0;
    // Why the stream ended before its time, empty when it did not.
    virtual std::string damage() const = 0;
};

// A stream whose beginning can be looked at before it is read.
class PeekedStream final : public ByteStream
{
public:
    explicit PeekedStream(std::unique_ptr<ByteStream> source) : m_source(std::move(source)) {}

    // The first bytes, fewer where the stream is shorter. Only before the first read().
    std::string_view peek(std::size_t bytes);
    std::size_t read(std::span<char> into) override;
    void skip(std::int64_t bytes) override;
    std::int64_t bytesOfFile() const override { return m_source->bytesOfFile(); }
    std::string damage() const override { return m_source->damage(); }

private:
    std::unique_ptr<ByteStream> m_source;
    std::vector<char> m_head;
    std::size_t m_used = 0;
};

// A file as it lies on the disk.
Result<std::unique_ptr<ByteStream>> openFile(const std::filesystem::path& path);

// The first bytes of a stream, as if the file were cut there.
std::unique_ptr<ByteStream> beginningOf(std::unique_ptr<ByteStream> source, std::int64_t bytes);

// What a gzip stream of any number of members holds. What can be inflated of a damaged or cut one is given
// out.
std::unique_ptr<ByteStream> inflateGzip(std::unique_ptr<ByteStream> source);

// The same for zstd, of any number of frames.
std::unique_ptr<ByteStream> inflateZstd(std::unique_ptr<ByteStream> source);

// Inflates what is compressed, by its first bytes; gives the rest through as it is.
std::unique_ptr<PeekedStream> inflateIfCompressed(std::unique_ptr<ByteStream> source);

// A file, inflated when it is compressed, whatever its name says. A path may lead into an archive:
// "run.tar.gz/rank3.json".
Result<std::unique_ptr<PeekedStream>> openTrace(const std::filesystem::path& path);

} // namespace shardscope
