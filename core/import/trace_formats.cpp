#include "core/import/trace_format.h"

#include <array>

namespace shardscope
{

std::span<const TraceFormat> traceFormats()
{
    static constexpr std::array formats{
        TraceFormat{"chrome", looksLikeChromeTrace, readChromeTrace},
    };
    return formats;
}

} // namespace shardscope
