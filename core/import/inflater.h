#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace shardscope
{

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
