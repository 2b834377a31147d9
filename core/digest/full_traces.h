#pragma once

#include "core/base/result.h"
#include "core/import/importer.h"
#include "core/trace/trace_set.h"

#include <cstddef>
#include <span>

namespace shardscope
{

// The same set with the traces themselves in the place of these of its digests; ranks stay as they are, also
// those that the user gave. Traces that cannot be read stay digests, and a warning of the set tells why.
// Error: not one could be read, memory would not suffice, or the user stopped it ("stopped").
Result<TraceSet> readInFull(const TraceSet& traces, std::span<const std::size_t> files,
                            const ImportOptions& options = {});

} // namespace shardscope
