#pragma once

#include <string>

#include <zstd.h>

namespace shardscope
{

// The text compressed, as a file of it would be.
inline std::string zstdOf(const std::string& text)
{
    std::string out(ZSTD_compressBound(text.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

} // namespace shardscope
