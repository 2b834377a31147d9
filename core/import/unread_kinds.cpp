#include "core/import/unread_kinds.h"

#include <array>
#include <string>

namespace shardscope
{

namespace
{

using namespace std::string_view_literals;

// A kind of file that may hold traces, but is not taken apart here.
struct UnreadKind {
    std::string_view magic;
    std::string_view sentence;
};

constexpr std::array kinds{
    UnreadKind{"PK\x03\x04"sv, "this is a zip archive: unpack it, and open the folder"},
    UnreadKind{"\xfd"
               "7zXZ\0"sv,
               "this is compressed with xz: unpack it with `xz -d` first"},
    UnreadKind{"BZh"sv, "this is compressed with bzip2: unpack it with `bzip2 -d` first"},
    UnreadKind{"7z\xbc\xaf\x27\x1c"sv, "this is a 7-Zip archive: unpack it, and open the folder"},
    UnreadKind{"\x04\x22\x4d\x18"sv, "this is compressed with lz4: unpack it with `lz4 -d` first"},
    UnreadKind{"\xff\xfe"sv, "this text is in UTF-16: save it as UTF-8"},
    UnreadKind{"\xfe\xff"sv, "this text is in UTF-16: save it as UTF-8"},
};

} // namespace

Rejection rejectionOfUnknown(std::string_view head)
{
    for (const UnreadKind& kind : kinds) {
        if (head.starts_with(kind.magic))
            return {std::string(kind.sentence)};
    }
    return {
        "this is no trace in a format that is known here; known are traces of the PyTorch profiler and of "
        "Chrome, dumps of the flight recorder, exports of Nsight Systems as SQLite, execution traces, "
        "logs, output of nccl-tests and digests",
        true};
}

} // namespace shardscope
