#include "widgets/panels/memory/memory_parts.h"

#include "widgets/session/shown_text.h"

#include "core/scenario/words.h"

#include <algorithm>

namespace shardscope
{

bool isCountedAs(const MemoryPart& part, MemoryMeasure measure)
{
    if (part.bytes == &StageMemory::context_bytes)
        return measure == MemoryMeasure::device;
    return part.bytes != &StageMemory::cached_bytes || measure != MemoryMeasure::allocated;
}

QString stageAxisTitle(MemoryMeasure measure)
{
    QStringList others;
    for (const MemoryPart& part : memory_parts)
        if (!isCountedAs(part, measure))
            others << QString::fromUtf8(part.name);
    const QString stage = QStringLiteral("stage");
    return others.isEmpty() ? stage
                            : QStringLiteral("%1; not %2: %3")
                                  .arg(stage, toQString(word(measure)), others.join(QStringLiteral(", ")));
}

Bar memoryBar(const StageMemory& memory, std::int64_t capacity_bytes, const Theme& theme, bool is_faded)
{
    const auto held = static_cast<double>(memory.deviceBytes());
    const auto capacity = static_cast<double>(capacity_bytes);
    Bar bar;
    bar.thickness = 0.74;
    bar.most_pixels = 160.0;
    bar.caption = bytesText(held);
    if (held > capacity)
        bar.remark = QStringLiteral("%1 too much").arg(bytesText(held - capacity));
    for (const MemoryPart& part : memory_parts) {
        const auto bytes = static_cast<double>(memory.*part.bytes);
        bar.segments.push_back({bytes, theme.colour(part.hue), part.texture, is_faded,
                                QString::fromUtf8(part.name), bytesText(bytes)});
    }
    return bar;
}

void setCapacity(BarScene& scene, double highest_bytes, std::int64_t capacity_bytes)
{
    const auto capacity = static_cast<double>(capacity_bytes);
    scene.unit = AxisUnit::bytes;
    scene.limit = BarLimit{capacity, QStringLiteral("capacity %1").arg(bytesText(capacity))};
    // A capacity far above everything would press the bars flat: then its figure stands at the top edge
    // instead.
    const double top =
        highest_bytes > capacity / 8.0 ? std::max(capacity, highest_bytes) : highest_bytes * 1.1;
    scene.value_high = std::max(1.0, ceilingTick(top * 1.1, AxisUnit::bytes));
    if (capacity > scene.value_high)
        scene.limit->text += QStringLiteral(" ↑");
}

} // namespace shardscope
