#pragma once

#include "core/import/streams/byte_stream.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace shardscope
{

// A file's bytes that lie in memory.
class MemoryStream final : public ByteStream
{
public:
    explicit MemoryStream(std::string_view bytes) : m_bytes(bytes) {}

    std::size_t read(std::span<char> into) override
    {
        const std::size_t count = std::min(into.size(), m_bytes.size() - m_at);
        if (count > 0)
            std::memcpy(into.data(), m_bytes.data() + m_at, count);
        m_at += count;
        return count;
    }
    std::int64_t bytesOfFile() const override { return static_cast<std::int64_t>(m_at); }
    std::string damage() const override { return {}; }

private:
    std::string_view m_bytes;
    std::size_t m_at = 0;
};

} // namespace shardscope
