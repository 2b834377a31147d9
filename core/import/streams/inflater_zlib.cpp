#include "core/import/streams/inflater.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

namespace shardscope
{

namespace
{

constexpr int gzip_window = 15 + 16; // the largest window, with a gzip header

class ZlibInflater final : public Inflater
{
public:
    ZlibInflater()
    {
        if (inflateInit2(&m_stream, gzip_window) != Z_OK)
            throw std::bad_alloc();
    }
    ~ZlibInflater() override { inflateEnd(&m_stream); }

    void reset() override { inflateReset(&m_stream); }

    InflateState inflate(std::span<const char>& in, std::span<char>& out) override
    {
        constexpr std::size_t most = std::numeric_limits<uInt>::max();
        const std::size_t in_size = std::min(in.size(), most);
        const std::size_t out_size = std::min(out.size(), most);
        // zlib's interface is older than const.
        m_stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
        m_stream.avail_in = static_cast<uInt>(in_size);
        m_stream.next_out = reinterpret_cast<Bytef*>(out.data());
        m_stream.avail_out = static_cast<uInt>(out_size);
        const int status = ::inflate(&m_stream, Z_NO_FLUSH);
        in = in.subspan(in_size - m_stream.avail_in);
        out = out.subspan(out_size - m_stream.avail_out);
        if (status == Z_STREAM_END)
            return InflateState::member_ends;
        return status == Z_OK || status == Z_BUF_ERROR ? InflateState::more : InflateState::damaged;
    }

private:
    z_stream m_stream{};
};

} // namespace

std::unique_ptr<Inflater> makeZlibInflater()
{
    return std::make_unique<ZlibInflater>();
}

#ifndef SHARDSCOPE_HAS_ISAL
std::unique_ptr<Inflater> makeInflater()
{
    return makeZlibInflater();
}
#endif

} // namespace shardscope
