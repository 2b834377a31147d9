#include "widgets/models/size_histogram.h"

#include <algorithm>
#include <bit>

namespace shardscope
{

double SizeBin::height(HistogramHeight height, Kind kind) const
{
    const auto place = static_cast<std::size_t>(kind);
    return height == HistogramHeight::count ? count[place] : bytes[place];
}

double SizeBin::height(HistogramHeight height) const
{
    double sum = 0.0;
    for (int kind = 0; kind < kind_count; ++kind)
        sum += this->height(height, static_cast<Kind>(kind));
    return sum;
}

std::vector<SizeBin> sizeBins(const std::vector<MessageCount>& counts)
{
    std::vector<SizeBin> bins;
    for (const MessageCount& message : counts) {
        if (message.key.message_bytes < 0)
            continue;
        const auto bytes = static_cast<std::uint64_t>(message.key.message_bytes);
        const int exponent = bytes == 0 ? 0 : std::bit_width(bytes) - 1;
        auto bin = std::lower_bound(bins.begin(), bins.end(), exponent,
                                    [](const SizeBin& a, int b) { return a.exponent < b; });
        if (bin == bins.end() || bin->exponent != exponent) {
            bin = bins.insert(bin, SizeBin{});
            bin->exponent = exponent;
        }
        const auto kind = static_cast<std::size_t>(message.key.kind);
        bin->count[kind] += message.count;
        bin->bytes[kind] += message.count * static_cast<double>(bytes);
        bin->messages.push_back(message);
    }
    return bins;
}

double countOfUnknownSize(const std::vector<MessageCount>& counts)
{
    double count = 0.0;
    for (const MessageCount& message : counts)
        if (message.key.message_bytes < 0)
            count += message.count;
    return count;
}

} // namespace shardscope
