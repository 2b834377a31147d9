#include "widgets/plots/label_places.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Labels that touch: as a whole they stand where their wishes' mean is.
struct Block {
    double sum = 0.0; // of where each label would have the first one
    int count = 0;

    double first(double distance, double low, double high) const
    {
        return std::max(low, std::min(sum / count, high - (count - 1) * distance));
    }
};

} // namespace

std::vector<double> spreadApart(const std::vector<double>& wished, double distance, double low, double high)
{
    std::vector<Block> blocks;
    const auto touch = [&](const Block& above, const Block& below) {
        return above.first(distance, low, high) + above.count * distance > below.first(distance, low, high);
    };
    for (const double place : wished) {
        blocks.push_back({place, 1});
        while (blocks.size() > 1 && touch(blocks[blocks.size() - 2], blocks.back())) {
            const Block last = blocks.back();
            blocks.pop_back();
            blocks.back().sum += last.sum - last.count * blocks.back().count * distance;
            blocks.back().count += last.count;
        }
    }
    std::vector<double> places;
    places.reserve(wished.size());
    for (const Block& block : blocks)
        for (int i = 0; i < block.count; ++i)
            places.push_back(block.first(distance, low, high) + i * distance);
    return places;
}

} // namespace shardscope
