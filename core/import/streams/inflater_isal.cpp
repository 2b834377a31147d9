#include "core/import/streams/inflater.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace shardscope
{

namespace
{

class IsalInflater final : public Inflater
{
public:
    IsalInflater()
    {
        isal_inflate_init(&m_state);
        m_state.crc_flag = ISAL_GZIP;
    }

    void reset() override
    {
        isal_inflate_reset(&m_state);
        m_state.crc_flag = ISAL_GZIP;
    }

    InflateState inflate(std::span<const char>& in, std::span<char>& out) override
    {
        constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() / 2;
        const std::size_t in_size = std::min(in.size(), most);
        const std::size_t out_size = std::min(out.size(), most);
        // ISA-L's interface takes the input without const; it does not write to it.
        m_state.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(in.data()));
        m_state.avail_in = static_cast<std::uint32_t>(in_size);
        m_state.next_out = reinterpret_cast<std::uint8_t*>(out.data());
        m_state.avail_out = static_cast<std::uint32_t>(out_size);
        const int status = isal_inflate(&m_state);
        in = in.subspan(in_size - m_state.avail_in);
        out = out.subspan(out_size - m_state.avail_out);
        if (status < 0)
            return InflateState::damaged;
        return m_state.block_state == ISAL_BLOCK_FINISH ? InflateState::member_ends : InflateState::more;
    }

private:
    inflate_state m_state{};
};

} // namespace

std::unique_ptr<Inflater> makeInflater()
{
    return std::make_unique<IsalInflater>();
}

} // namespace shardscope
