#pragma once

#include "core/prediction/ranks/rank_digits.h"
#include "core/prediction/traffic/traffic_matrix.h"

#include <vector>

namespace shardscope
{

// A traffic family before its senders are counted.
struct FamilyBox {
    std::int64_t delta = 0;
    double bytes = 0.0;
    RankBox box;
};

// The cells of one kind. Digits are cut where ranks begin to play another part; one row of the matrix then
// stands for all ranks of a box.
std::vector<FamilyBox> familyBoxes(const TrafficMatrix& matrix, const RankDigits& digits, Kind kind);

// Two lists, each without a cell in common between its own boxes, as one of that sort: where both have a cell
// the bytes are added.
std::vector<FamilyBox> addedUp(std::vector<FamilyBox> first, const std::vector<FamilyBox>& second,
                               std::size_t digits);

// Boxes that may have cells in common as boxes that have none: where several have a cell the bytes are added.
std::vector<FamilyBox> withoutCommonCells(const std::vector<FamilyBox>& boxes, std::size_t digits);

// Joins boxes that differ in one digit only and touch there.
void mergeNeighbours(std::vector<FamilyBox>& boxes, std::size_t digits);

} // namespace shardscope
