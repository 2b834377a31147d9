#include "core/import/streams/byte_stream.h"
#include "core/import/streams/inflater.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr std::size_t input_bytes = 256 * 1024;

class GzipStream final : public ByteStream
{
public:
    explicit GzipStream(std::unique_ptr<ByteStream> source)
        : m_source(std::move(source)), m_inflater(makeInflater()), m_buffer(input_bytes)
    {
    }

    std::size_t read(std::span<char> into) override;
    std::int64_t bytesOfFile() const override
    {
        return m_source->bytesOfFile() - static_cast<std::int64_t>(m_in.size());
    }
    std::string damage() const override { return m_damage.empty() ? m_source->damage() : m_damage; }

private:
    bool refill();
    bool nextMember();
    void stop(std::string why);

    std::unique_ptr<ByteStream> m_source;
    std::unique_ptr<Inflater> m_inflater;
    std::vector<char> m_buffer;
    std::span<const char> m_in; // what is left of the buffer
    std::int64_t m_inflated = 0;
    bool m_in_member = true;
    bool m_ended = false;
    std::string m_damage;
};

std::size_t GzipStream::read(std::span<char> into)
{
    std::span<char> out = into;
    while (!out.empty() && !m_ended) {
        const bool has_input = !m_in.empty() || refill();
        if (!m_in_member && !nextMember())
            break;
        const std::size_t room = out.size();
        const std::size_t had = m_in.size();
        const InflateState state = m_inflater->inflate(m_in, out);
        const bool is_stuck = room == out.size() && had == m_in.size();
        m_inflated += static_cast<std::int64_t>(room - out.size());
        if (state == InflateState::member_ends)
            m_in_member = false;
        else if (state == InflateState::damaged || (is_stuck && has_input))
            stop("the gzip data is damaged");
        else if (is_stuck)
            stop("the gzip stream is cut short");
        if (isBomb(m_inflated, bytesOfFile()))
            stop(std::string(bomb_sentence));
    }
    return into.size() - out.size();
}

bool GzipStream::refill()
{
    const std::size_t kept = m_in.size();
    std::copy(m_in.begin(), m_in.end(), m_buffer.begin()); // to the left, over what has been read
    const std::size_t got = m_source->read(std::span(m_buffer).subspan(kept));
    m_in = std::span(m_buffer).first(kept + got);
    return got > 0;
}

// Between members: another one follows, zeros that pad, or bytes that are no gzip.
bool GzipStream::nextMember()
{
    while (m_in.size() < 2 && refill()) {
    }
    if (m_in.size() >= 2 && m_in[0] == '\x1f' && m_in[1] == '\x8b') {
        m_inflater->reset();
        m_in_member = true;
        return true;
    }
    const bool is_padding = std::ranges::all_of(m_in, [](char byte) { return byte == '\0'; });
    stop(is_padding ? "" : "bytes follow the gzip stream that are no gzip");
    return false;
}

void GzipStream::stop(std::string why)
{
    m_ended = true;
    if (m_damage.empty())
        m_damage = std::move(why);
}

} // namespace

std::unique_ptr<ByteStream> inflateGzip(std::unique_ptr<ByteStream> source)
{
    return std::make_unique<GzipStream>(std::move(source));
}

} // namespace shardscope
