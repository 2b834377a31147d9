#include "core/import/streams/byte_stream.h"
#include "core/import/streams/inflater.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <memory>
#include <new>

namespace shardscope
{

namespace
{

class ZstdStream final : public ByteStream
{
public:
    explicit ZstdStream(std::unique_ptr<ByteStream> source)
        : m_source(std::move(source)),
          m_buffer(ZSTD_DStreamInSize()),
          m_context(ZSTD_createDStream(), ZSTD_freeDStream)
    {
        if (!m_context)
            throw std::bad_alloc();
    }

    std::size_t read(std::span<char> into) override;
    std::int64_t bytesOfFile() const override
    {
        return m_source->bytesOfFile() - static_cast<std::int64_t>(m_in.size - m_in.pos);
    }
    std::string damage() const override { return m_damage.empty() ? m_source->damage() : m_damage; }

private:
    void stop(std::string why)
    {
        m_ended = true;
        m_damage = std::move(why);
    }

    std::unique_ptr<ByteStream> m_source;
    std::vector<char> m_buffer;
    std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> m_context;
    ZSTD_inBuffer m_in{};
    std::int64_t m_inflated = 0;
    bool m_in_frame = false;
    bool m_ended = false;
    std::string m_damage;
};

std::size_t ZstdStream::read(std::span<char> into)
{
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    while (out.pos < out.size && !m_ended) {
        if (m_in.pos == m_in.size)
            m_in = {m_buffer.data(), m_source->read(m_buffer), 0};
        const bool has_input = m_in.size > 0;
        if (!has_input && !m_in_frame) {
            m_ended = true;
            break;
        }
        const std::size_t had = out.pos;
        const std::size_t state = ZSTD_decompressStream(m_context.get(), &out, &m_in);
        m_inflated += static_cast<std::int64_t>(out.pos - had);
        m_in_frame = state != 0;
        if (ZSTD_isError(state) != 0) {
            const bool is_too_large = ZSTD_getErrorCode(state) == ZSTD_error_frameParameter_windowTooLarge;
            stop(is_too_large
                     ? "the zstd data needs a window of more than 128 MiB: compress it again without --long"
                     : "the zstd data is damaged");
        } else if (!has_input && out.pos == had) {
            stop("the zstd stream is cut short");
        } else if (isBomb(m_inflated, bytesOfFile())) {
            stop(std::string(bomb_sentence));
        }
    }
    return out.pos;
}

} // namespace

std::unique_ptr<ByteStream> inflateZstd(std::unique_ptr<ByteStream> source)
{
    return std::make_unique<ZstdStream>(std::move(source));
}

} // namespace shardscope
