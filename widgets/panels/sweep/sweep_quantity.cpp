#include "widgets/panels/sweep/sweep_quantity.h"

#include "widgets/panels/memory/memory_parts.h"
#include "widgets/panels/time/time_slice_words.h"
#include "widgets/session/shown_text.h"

#include <array>

namespace shardscope
{

namespace
{

std::vector<BarSegment> timeSegments(const SweepPoint& point, SweepQuantity quantity, const Theme& theme)
{
    std::vector<BarSegment> segments;
    const double scale = quantity == SweepQuantity::shares ? 1.0 / point.time.iteration_s : 1.0;
    for (const TimeSlice& slice : predictedTimeParts(point.time).slices)
        segments.push_back({slice.seconds * scale, sliceColour(slice, theme),
                            slice.part == TimePart::overlapped ? BarTexture::striped : BarTexture::solid,
                            !point.fits, sliceName(slice), amountText(slice.seconds * scale, quantity)});
    return segments;
}

std::vector<BarSegment> byteSegments(const SweepPoint& point, const Theme& theme)
{
    std::vector<BarSegment> segments;
    for (int i = 0; i < kind_count; ++i) {
        const double bytes = point.sent_bytes[static_cast<std::size_t>(i)];
        const auto kind = static_cast<Kind>(i);
        if (bytes > 0.0)
            segments.push_back({bytes, theme.colour(kind), BarTexture::solid, !point.fits, kindName(kind),
                                bytesText(bytes)});
    }
    return segments;
}

std::vector<BarSegment> memorySegments(const SweepPoint& point, const Theme& theme)
{
    std::vector<BarSegment> segments;
    for (const MemoryPart& part : memory_parts) {
        const auto bytes = static_cast<double>(point.fullest.*part.bytes);
        segments.push_back({bytes, theme.colour(part.hue), part.texture, !point.fits,
                            QString::fromUtf8(part.name), bytesText(bytes)});
    }
    return segments;
}

} // namespace

QString quantityName(SweepQuantity quantity)
{
    static const std::array<QString, sweep_quantity_count> names{QStringLiteral("time"),
                                                                 QStringLiteral("shares of time"),
                                                                 QStringLiteral("tokens/s"),
                                                                 QStringLiteral("tokens/s/GPU"),
                                                                 QStringLiteral("MFU"),
                                                                 QStringLiteral("memory"),
                                                                 QStringLiteral("bytes sent by a GPU"),
                                                                 QStringLiteral("speedup")};
    return names[static_cast<std::size_t>(quantity)];
}

QString quantityMeaning(SweepQuantity quantity)
{
    static const std::array<QString, sweep_quantity_count> meanings{
        QStringLiteral("Time of an iteration by part, with the error of predicted times"),
        QStringLiteral("What share of the iteration each part takes"),
        QStringLiteral("Tokens that all GPUs work through in a second"),
        QStringLiteral("Tokens that each GPU works through in a second: level where scaling is ideal"),
        QStringLiteral("Share of the GPUs' peak that the model's operations reach"),
        QStringLiteral("What the fullest GPU holds"),
        QStringLiteral("Bytes that each GPU of the stage that sends most sends in an iteration, by kind"),
        QStringLiteral("Throughput against the first point, and how far the network alone explains it")};
    return meanings[static_cast<std::size_t>(quantity)];
}

AxisUnit unitOf(SweepQuantity quantity)
{
    switch (quantity) {
    case SweepQuantity::time:
        return AxisUnit::seconds;
    case SweepQuantity::shares:
    case SweepQuantity::mfu:
        return AxisUnit::share;
    case SweepQuantity::memory:
    case SweepQuantity::sent_bytes:
        return AxisUnit::bytes;
    case SweepQuantity::tokens_per_s:
    case SweepQuantity::tokens_per_gpu:
    case SweepQuantity::speedup:
        break;
    }
    return AxisUnit::count;
}

bool canBeLogarithmic(SweepQuantity quantity)
{
    return quantity != SweepQuantity::shares && quantity != SweepQuantity::mfu
           && quantity != SweepQuantity::speedup;
}

bool isOfTime(SweepQuantity quantity)
{
    return quantity == SweepQuantity::time || quantity == SweepQuantity::shares;
}

double heightOf(const SweepPoint& point, SweepQuantity quantity)
{
    switch (quantity) {
    case SweepQuantity::time:
        return point.time.iteration_s;
    case SweepQuantity::shares:
        return 1.0;
    case SweepQuantity::tokens_per_s:
        return point.time.tokens_per_s;
    case SweepQuantity::tokens_per_gpu:
        return point.time.tokens_per_s / static_cast<double>(point.world_size);
    case SweepQuantity::mfu:
        return point.time.mfu;
    case SweepQuantity::memory:
        return static_cast<double>(point.device_bytes);
    case SweepQuantity::sent_bytes:
    case SweepQuantity::speedup:
        break;
    }
    double sum = 0.0;
    for (const double bytes : point.sent_bytes)
        sum += bytes;
    return sum;
}

QString amountText(double value, SweepQuantity quantity)
{
    switch (quantity) {
    case SweepQuantity::time:
        return secondsText(value);
    case SweepQuantity::shares:
    case SweepQuantity::mfu:
        return ratioText(value);
    case SweepQuantity::memory:
    case SweepQuantity::sent_bytes:
        return bytesText(value);
    case SweepQuantity::tokens_per_s:
    case SweepQuantity::tokens_per_gpu:
    case SweepQuantity::speedup:
        break;
    }
    return countText(value);
}

std::vector<BarSegment> segmentsOf(const SweepPoint& point, SweepQuantity quantity, const Theme& theme)
{
    if (isOfTime(quantity))
        return timeSegments(point, quantity, theme);
    if (quantity == SweepQuantity::sent_bytes)
        return byteSegments(point, theme);
    if (quantity == SweepQuantity::memory)
        return memorySegments(point, theme);
    return {undivided(point, quantity, theme)};
}

BarSegment undivided(const SweepPoint& point, SweepQuantity quantity, const Theme& theme)
{
    const double height = heightOf(point, quantity);
    return {height,    theme.colour(Hue::compute),  BarTexture::solid, !point.fits,
            QString{}, amountText(height, quantity)};
}

} // namespace shardscope
