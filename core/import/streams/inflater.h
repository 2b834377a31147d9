#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace shardscope
{

// Traces inflate to 10 to 60 times their size. What is far beyond, after half a gigabyte, is a bomb, and
// nobody waits for it to go off.
constexpr bool isBomb(std::int64_t inflated_bytes, std::int64_t file_bytes)
{
    return inflated_bytes > (std::int64_t{512} << 20) && inflated_bytes / 400 > file_bytes;
}
inline constexpr std::string_view bomb_sentence =
    "the file inflates to more than 400 times its size, which no trace does";

enum class InflateState { more, member_ends, damaged };

// Takes one gzip member apart, piece by piece. ISA-L where it was found at build time, zlib else.
class Inflater
{
public:
    Inflater() = default;
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    virtual ~Inflater() = default;

    // Starts a new member.
    virtual void reset() = 0;
    // Uses bytes of `in` and fills bytes of `out`; both become what is left of them.
    virtual InflateState inflate(std::span<const char>& in, std::span<char>& out) = 0;
};

std::unique_ptr<Inflater> makeInflater();
// The slower one that is always there.
std::unique_ptr<Inflater> makeZlibInflater();

} // namespace shardscope
