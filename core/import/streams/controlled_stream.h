#pragma once

#include "core/import/import_control.h"
#include "core/import/streams/byte_stream.h"

#include <memory>
#include <utility>

namespace shardscope
{

// A stream that ends once the import is to stop, however long its reader would go on looking for something in
// it.
class ControlledStream final : public ByteStream
{
public:
    ControlledStream(std::unique_ptr<ByteStream> source, ImportControl& control)
        : m_source(std::move(source)), m_control(control)
    {
    }

    std::size_t read(std::span<char> into) override
    {
        return m_control.goOnHere() ? m_source->read(into) : 0;
    }
    void skip(std::int64_t bytes) override { m_source->skip(bytes); }
    std::int64_t bytesOfFile() const override { return m_source->bytesOfFile(); }
    std::string damage() const override { return m_source->damage(); }

private:
    std::unique_ptr<ByteStream> m_source;
    ImportControl& m_control;
};

} // namespace shardscope
