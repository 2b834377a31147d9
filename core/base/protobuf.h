#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardscope
{

// One field of a protobuf message: a number, or the bytes of a string or of another message.
struct ProtoField {
    std::uint32_t number = 0;
    bool is_bytes = false;
    std::uint64_t value = 0;
    std::string_view bytes;
};

// Reads a varint off the front of the bytes.
inline std::optional<std::uint64_t> takeVarint(std::string_view& bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 10; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        value |= std::uint64_t{byte & 0x7fU} << (7 * i);
        if (byte < 0x80) {
            bytes.remove_prefix(i + 1);
            return value;
        }
    }
    return std::nullopt;
}

// Reads bytes that are led by their length.
inline std::optional<std::string_view> takeDelimited(std::string_view& bytes)
{
    std::string_view rest = bytes;
    const auto size = takeVarint(rest);
    if (!size || *size > rest.size())
        return std::nullopt;
    bytes = rest.substr(*size);
    return rest.substr(0, *size);
}

// The next field of a message; nothing at its end, or where it is damaged (then some bytes are left).
inline std::optional<ProtoField> takeField(std::string_view& message)
{
    std::string_view rest = message;
    const auto tag = takeVarint(rest);
    if (!tag || *tag >> 35 != 0)
        return std::nullopt;
    ProtoField field;
    field.number = static_cast<std::uint32_t>(*tag >> 3);
    const std::uint64_t wire = *tag & 7;
    if (wire == 0) {
        const auto value = takeVarint(rest);
        if (!value)
            return std::nullopt;
        field.value = *value;
    } else if (wire == 2) {
        const auto bytes = takeDelimited(rest);
        if (!bytes)
            return std::nullopt;
        field.is_bytes = true;
        field.bytes = *bytes;
    } else if (wire == 1 || wire == 5) { // 64 and 32 bits
        const std::size_t width = wire == 1 ? 8 : 4;
        if (rest.size() < width)
            return std::nullopt;
        for (std::size_t i = width; i > 0; --i)
            field.value = (field.value << 8) | static_cast<unsigned char>(rest[i - 1]);
        rest.remove_prefix(width);
    } else {
        return std::nullopt;
    }
    message = rest;
    return field;
}

} // namespace shardscope
