#include "core/import/trace_format.h"

#include <array>

namespace shardscope
{

std::span<const TraceFormat> traceFormats()
{
    static constexpr std::array formats{
        TraceFormat{"flight_recorder", looksLikePickle, readPickledFlightRecorder},
        TraceFormat{"flight_recorder", looksLikeFlightRecorder, readFlightRecorder},
        TraceFormat{"primus", looksLikePrimus, readPrimus},
        TraceFormat{"chrome", looksLikeChromeTrace, readChromeTrace},
        TraceFormat{"megatron_log", looksLikeText, readLog}, // or another kind of log
    };
    return formats;
}

} // namespace shardscope
