#include "core/import/trace_format.h"

#include <array>

namespace shardscope
{

std::span<const TraceFormat> traceFormats()
{
    static constexpr std::array formats{
        TraceFormat{"digest", looksLikeDigest, readDigest},
        TraceFormat{"nsys_sqlite", looksLikeSqlite, readNsysSqlite},
        TraceFormat{"flight_recorder", looksLikePickle, readPickledFlightRecorder},
        TraceFormat{"flight_recorder", looksLikeFlightRecorder, readFlightRecorder},
        TraceFormat{"primus", looksLikePrimus, readPrimus},
        TraceFormat{"nccl_inspector", looksLikeNcclInspector, readNcclInspector},
        TraceFormat{"nccl_tests", looksLikeNcclTestsJson, readNcclTestsJson},
        TraceFormat{"pytorch_et", looksLikePytorchEt, readPytorchEt},
        TraceFormat{"chakra_et", looksLikeChakraJson, readChakraJson},
        TraceFormat{"chrome", looksLikeChromeTrace, readChromeTrace},
        TraceFormat{"aicb", looksLikeAicb, readAicb},
        TraceFormat{"aicb", looksLikeSimai, readSimai},
        TraceFormat{"megatron_log", looksLikeText, readLog}, // or another kind of log
        TraceFormat{"chakra_et", looksLikeChakraEt, readChakraEt},
    };
    return formats;
}

} // namespace shardscope
