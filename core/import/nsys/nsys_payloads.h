#pragma once

#include "core/import/nsys/sqlite_database.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardscope
{

// What NCCL tells of a call in the payload of its NVTX range.
struct NcclPayload {
    std::optional<std::int64_t> message_bytes;
    std::optional<std::int64_t> rank; // of the process in a communicator that is being made
    std::optional<std::int64_t> ranks;
    std::optional<std::int64_t> peer;          // of a send or receive, its place in the communicator
    std::optional<std::uint64_t> communicator; // the same number on all its ranks
};

// Extended payloads of NVTX ranges: as JSON text, or as bytes whose layout two tables of the export tell.
class NsysPayloads
{
public:
    explicit NsysPayloads(const SqliteDatabase& database);

    NcclPayload ofText(std::string_view json) const;
    // A header of four 64-bit numbers (domain, schema, two sizes), then the schema's fields.
    NcclPayload ofBytes(std::string_view bytes) const;

private:
    struct Field {
        std::string name;
        std::int64_t type = 0; // NVTX_PAYLOAD_ENTRY_TYPE_*
        std::int64_t offset = 0;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Field>> m_schemas; // by domain and schema
};

} // namespace shardscope
