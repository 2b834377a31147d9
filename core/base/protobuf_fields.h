#pragma once

#include "core/base/protobuf.h"

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace shardscope
{

// Plain structs as protobuf messages. A struct that travels has a function beside its reader and writer,
//     void fields(auto& codec, Like<KernelRow> auto& row) { codec(1, row.name); codec(2, row.count); }
// which serves both directions. Whole numbers, enumerators and bools are sint64, doubles fixed64, texts and
// structs length-delimited, lists of numbers packed. Empty texts and lists are left out, unknown fields are
// passed over.

template<class T, class Plain>
concept Like = std::same_as<std::remove_const_t<T>, Plain>;

template<class T>
concept WholeNumber = std::integral<T> || std::is_enum_v<T>;

// One struct as the bytes of a message, without its own length.
class ProtoFieldWriter
{
public:
    const std::string& bytes() const { return m_bytes; }

    void operator()(std::uint32_t number, WholeNumber auto value)
    {
        addVarint(std::uint64_t{number} << 3);
        addVarint(zigzag(static_cast<std::int64_t>(value)));
    }

    void operator()(std::uint32_t number, double value)
    {
        addVarint(std::uint64_t{number} << 3 | 1);
        addFixed(value);
    }

    void operator()(std::uint32_t number, std::string_view text)
    {
        if (!text.empty())
            addBytes(number, text);
    }
    void operator()(std::uint32_t number, const std::string& text)
    {
        operator()(number, std::string_view(text));
    }

    template<WholeNumber T>
    void operator()(std::uint32_t number, const std::vector<T>& list)
    {
        ProtoFieldWriter packed;
        for (const T value : list)
            packed.addVarint(zigzag(static_cast<std::int64_t>(value)));
        operator()(number, std::string_view(packed.m_bytes));
    }

    void operator()(std::uint32_t number, const std::vector<double>& list)
    {
        ProtoFieldWriter packed;
        for (const double value : list)
            packed.addFixed(value);
        operator()(number, std::string_view(packed.m_bytes));
    }

    void operator()(std::uint32_t number, const std::vector<std::string>& list)
    {
        for (const std::string& text : list)
            addBytes(number, text);
    }

    template<class Struct>
    requires std::is_class_v<Struct>
    void operator()(std::uint32_t number, const std::vector<Struct>& list)
    {
        for (const Struct& value : list)
            operator()(number, value);
    }

    template<class Struct>
    requires std::is_class_v<Struct>
    void operator()(std::uint32_t number, const Struct& value)
    {
        ProtoFieldWriter message;
        fields(message, value);
        addBytes(number, message.m_bytes);
    }

private:
    static std::uint64_t zigzag(std::int64_t value)
    {
        return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
    }

    void addVarint(std::uint64_t value)
    {
        for (; value >= 0x80; value >>= 7)
            m_bytes.push_back(static_cast<char>(value | 0x80));
        m_bytes.push_back(static_cast<char>(value));
    }

    void addFixed(double value)
    {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (int shift = 0; shift < 64; shift += 8)
            m_bytes.push_back(static_cast<char>(bits >> shift));
    }

    void addBytes(std::uint32_t number, std::string_view bytes)
    {
        addVarint(std::uint64_t{number} << 3 | 2);
        addVarint(bytes.size());
        m_bytes.append(bytes);
    }

    std::string m_bytes;
};

// Reads the fields of one message. What is not there leaves the member as it is. The message must outlive
// the reader.
class ProtoFieldReader
{
public:
    explicit ProtoFieldReader(std::string_view message)
    {
        while (const auto field = takeField(message))
            m_fields.push_back(*field);
        m_is_damaged = !message.empty();
    }

    // The message ends within a field, or a field that was read holds something else than the member.
    bool isDamaged() const { return m_is_damaged; }

    template<WholeNumber T>
    void operator()(std::uint32_t number, T& value)
    {
        for (const ProtoField& field : m_fields)
            if (field.number == number)
                value = wholeNumber<T>(field.value, !field.is_bytes);
    }

    void operator()(std::uint32_t number, double& value)
    {
        for (const ProtoField& field : m_fields)
            if (field.number == number)
                value = std::bit_cast<double>(field.value);
    }

    void operator()(std::uint32_t number, std::string& text)
    {
        for (const ProtoField& field : m_fields)
            if (field.number == number)
                text = field.bytes;
    }

    template<WholeNumber T>
    void operator()(std::uint32_t number, std::vector<T>& list)
    {
        for (ProtoField field : m_fields) {
            if (field.number != number)
                continue;
            list.reserve(list.size() + field.bytes.size());
            while (const auto value = takeVarint(field.bytes))
                list.push_back(wholeNumber<T>(*value, true));
            m_is_damaged = m_is_damaged || !field.bytes.empty();
        }
        list.shrink_to_fit();
    }

    void operator()(std::uint32_t number, std::vector<double>& list)
    {
        for (const ProtoField& field : m_fields) {
            if (field.number != number)
                continue;
            m_is_damaged = m_is_damaged || field.bytes.size() % 8 != 0;
            for (std::size_t at = 0; at + 8 <= field.bytes.size(); at += 8) {
                std::uint64_t bits = 0;
                for (std::size_t i = 8; i > 0; --i)
                    bits = bits << 8 | static_cast<unsigned char>(field.bytes[at + i - 1]);
                list.push_back(std::bit_cast<double>(bits));
            }
        }
    }

    void operator()(std::uint32_t number, std::vector<std::string>& list)
    {
        for (const ProtoField& field : m_fields)
            if (field.number == number)
                list.emplace_back(field.bytes);
    }

    template<class Struct>
    requires std::is_class_v<Struct>
    void operator()(std::uint32_t number, std::vector<Struct>& list)
    {
        for (const ProtoField& field : m_fields)
            if (field.number == number)
                readStruct(field, list.emplace_back());
    }

    template<class Struct>
    requires std::is_class_v<Struct>
    void operator()(std::uint32_t number, Struct& value)
    {
        for (const ProtoField& field : m_fields)
            if (field.number == number)
                readStruct(field, value);
    }

private:
    template<class Struct>
    void readStruct(const ProtoField& field, Struct& value)
    {
        ProtoFieldReader message(field.bytes);
        fields(message, value);
        m_is_damaged = m_is_damaged || message.isDamaged() || !field.is_bytes;
    }

    // Zero, and damage, where the type cannot hold it.
    template<class T>
    T wholeNumber(std::uint64_t bits, bool is_number)
    {
        const auto value = static_cast<std::int64_t>(bits >> 1 ^ (~(bits & 1) + 1));
        const auto narrow = static_cast<T>(value);
        if (is_number && static_cast<std::int64_t>(narrow) == value)
            return narrow;
        m_is_damaged = true;
        return T{};
    }

    std::vector<ProtoField> m_fields;
    bool m_is_damaged = false;
};

} // namespace shardscope
