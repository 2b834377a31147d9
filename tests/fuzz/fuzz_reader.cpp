// libFuzzer's entry; the format is told when the target is built.
#include "tests/fuzz/try_reader.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    shardscope::tryReader(SHARDSCOPE_FUZZED_FORMAT, {reinterpret_cast<const char*>(data), size});
    return 0;
}
