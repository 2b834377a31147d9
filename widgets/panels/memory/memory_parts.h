#pragma once

#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/theme.h"

#include "core/report/explanation/explanation.h"

#include <array>

namespace shardscope
{

// One of the parts that a stage's memory is drawn in.
struct MemoryPart {
    const char* name;
    Hue hue;
    Figure figure;
    std::int64_t StageMemory::*bytes;
    BarTexture texture = BarTexture::solid;
};

// From the ground up.
inline constexpr std::array<MemoryPart, 8> memory_parts{{
    {"weights", Hue::weights, Figure::weights_memory, &StageMemory::weights_bytes},
    {"gradients", Hue::gradients, Figure::gradients_memory, &StageMemory::gradients_bytes},
    {"optimizer", Hue::optimizer, Figure::optimizer_memory, &StageMemory::optimizer_bytes},
    {"activations", Hue::activations, Figure::activations_memory, &StageMemory::activations_bytes},
    {"temporaries", Hue::activations, Figure::temporaries_memory, &StageMemory::temporaries_bytes,
     BarTexture::striped},
    {"buffers", Hue::memory_copy, Figure::buffers_memory, &StageMemory::buffers_bytes},
    {"cached", Hue::cached, Figure::cached_memory, &StageMemory::cached_bytes},
    {"context", Hue::unknown, Figure::context_memory, &StageMemory::context_bytes},
}};

// Whether what a framework reports by this measure has the part in it.
bool isCountedAs(const MemoryPart& part, MemoryMeasure measure);

// The title of an axis of stages, with the parts of bars that the measure does not count.
QString stageAxisTitle(MemoryMeasure measure);

// A bar of these parts as tall as what the device holds, with what is above `capacity_bytes` as a remark.
Bar memoryBar(const StageMemory& memory, std::int64_t capacity_bytes, const Theme& theme, bool is_faded);

// The capacity as a line, and an axis that shows it unless it is far above every bar.
void setCapacity(BarScene& scene, double highest_bytes, std::int64_t capacity_bytes);

} // namespace shardscope
