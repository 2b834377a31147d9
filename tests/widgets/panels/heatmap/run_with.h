#pragma once

#include "widgets/session/content.h"

#include <memory>
#include <utility>
#include <vector>

namespace shardscope
{

// Eight ranks, of which the first were read, with the traffic that was measured between them.
inline std::shared_ptr<const MeasuredRun> runWith(std::vector<MeasuredCell> cells, std::int64_t read = 8)
{
    auto run = std::make_shared<MeasuredRun>();
    for (std::int64_t rank = 0; rank < read; ++rank) {
        TraceFile file;
        file.rank = rank;
        file.world_size = 8;
        run->traces.files.push_back(std::move(file));
    }
    run->measurement.matrix = std::move(cells);
    return run;
}

} // namespace shardscope
