#include "core/import/nsys/nsys_payloads.h"

#include "core/base/most_ranks.h"
#include "core/import/json/json_fields.h"

#include <array>
#include <limits>

namespace shardscope
{

namespace
{

constexpr std::size_t header_bytes = 32;

// How many bytes a whole number of a payload takes, on the 64-bit machines that Nsight Systems records; 0 for
// other types. In the order of NVTX_PAYLOAD_ENTRY_TYPE_*, from 1: char to unsigned long long, then int8 to
// uint64; 22 is size_t.
std::size_t bytesOfType(std::int64_t type)
{
    constexpr std::array<std::size_t, 18> sizes{1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 1, 1, 2, 2, 4, 4, 8, 8};
    constexpr std::int64_t size_type = 22;
    if (type == size_type)
        return 8;
    return type >= 1 && type <= static_cast<std::int64_t>(sizes.size())
               ? sizes[static_cast<std::size_t>(type - 1)]
               : 0;
}

std::optional<std::uint64_t> numberAt(std::string_view bytes, std::size_t at, std::size_t size)
{
    if (size == 0 || at > bytes.size() || bytes.size() - at < size)
        return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t i = size; i > 0; --i)
        number = number << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
    return number;
}

// Fields that mean something here; the names are NCCL's.
void take(std::string_view name, std::uint64_t number, NcclPayload& payload)
{
    if (name == "NCCL communicator ID")
        payload.communicator = number;
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return;
    const auto value = static_cast<std::int64_t>(number);
    if (name == "Message size [bytes]")
        payload.message_bytes = value;
    else if (name == "Rank" && value < most_ranks)
        payload.rank = value;
    else if (name == "Peer rank" && value < most_ranks)
        payload.peer = value;
    else if (name == "No. of ranks" && value <= most_ranks)
        payload.ranks = value;
}

} // namespace

NsysPayloads::NsysPayloads(const SqliteDatabase& database)
{
    const std::string table = "NVTX_PAYLOAD_SCHEMA_ENTRIES";
    if (!database.columns(table).contains("offset"))
        return;
    database.read("SELECT domainId, schemaId, name, type, \"offset\" FROM " + table + " ORDER BY idx",
                  [&](const SqliteRow& row) {
                      const auto domain = row.integer(0);
                      const auto schema = row.integer(1);
                      const auto name = row.text(2);
                      if (domain && schema && name)
                          m_schemas[{*domain, *schema}].push_back(
                              {std::string(*name), row.integer(3).value_or(0), row.integer(4).value_or(0)});
                      return true;
                  });
}

NcclPayload NsysPayloads::ofText(std::string_view json) const
{
    NcclPayload payload;
    const nlohmann::json values = parsedJson(json);
    if (!values.is_object())
        return payload;
    for (const auto& [name, value] : values.items()) {
        if (value.is_number_unsigned())
            take(name, value.get<std::uint64_t>(), payload);
    }
    return payload;
}

NcclPayload NsysPayloads::ofBytes(std::string_view bytes) const
{
    NcclPayload payload;
    const auto domain = numberAt(bytes, 0, 8);
    const auto schema_id = numberAt(bytes, 8, 8);
    if (!domain || !schema_id || bytes.size() < header_bytes)
        return payload;
    const auto schema =
        m_schemas.find({static_cast<std::int64_t>(*domain), static_cast<std::int64_t>(*schema_id)});
    if (schema == m_schemas.end())
        return payload;
    for (const Field& field : schema->second) {
        if (field.offset < 0)
            continue;
        const auto number = numberAt(bytes.substr(header_bytes), static_cast<std::size_t>(field.offset),
                                     bytesOfType(field.type));
        if (number)
            take(field.name, *number, payload);
    }
    return payload;
}

} // namespace shardscope
