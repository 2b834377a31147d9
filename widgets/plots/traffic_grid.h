#pragma once

#include "core/collectives/collective.h"
#include "widgets/plots/heat_colours.h"
#include "widgets/plots/rank_window.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace shardscope
{

struct TrafficEntry {
    std::int64_t receiver = 0;
    Kind kind = Kind::unknown;
    double bytes = 0.0; // negative in differences
};

// Who sends how much to whom, asked for sender by sender. Immutable, so that any thread may ask.
class TrafficRows
{
public:
    virtual ~TrafficRows() = default;
    virtual std::int64_t ranks() const = 0;
    // Appends what a sender sends; a receiver may come more than once, also with the same kind.
    virtual void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const = 0;
};

// Traffic pooled to the pixels of a picture: each bin holds the largest cell in it, so that a single hot cell
// never vanishes. Row-major, senders are rows.
struct TrafficGrid {
    std::int64_t first_row = 0; // rank at the edge of bin 0
    std::int64_t first_column = 0;
    std::int64_t span = 0;    // ranks covered each way
    int bins = 0;             // each way; never more than `span`
    std::vector<float> bytes; // of the kind asked for, or of all
    // What a bin holds cells of: the kind asked for (a difference of 0 is one), others.
    static constexpr unsigned char shown = 1;
    static constexpr unsigned char other = 2;
    std::vector<unsigned char> presence;
};

// What a whole picture adds up to.
struct TrafficSummary {
    struct ByKind {
        double intra_node_bytes = 0.0;
        double inter_node_bytes = 0.0;
    };
    std::array<ByKind, kind_count> kinds{};
    // Smallest and largest non-zero size of a cell, for one kind and for all together (last).
    std::array<double, kind_count + 1> least{};
    std::array<double, kind_count + 1> most{};
    double intraNode(std::optional<Kind> kind) const;
    double interNode(std::optional<Kind> kind) const;
};

// Bins of whole ranks that cover the window, at most `most_bins` each way. Asks for the rows on screen alone.
TrafficGrid poolTraffic(const TrafficRows& rows, const RankWindow& window, int most_bins,
                        std::optional<Kind> kind);
// Asks for every row. Ranks [k * gpus_per_node, (k + 1) * gpus_per_node) share node k.
TrafficSummary summarize(const TrafficRows& rows, std::int64_t gpus_per_node);

// What one rank sends another, by kind.
std::array<double, kind_count> bytesBetween(const TrafficRows& rows, std::int64_t sender,
                                            std::int64_t receiver);
// The largest cell among [row, row + rows) x [column, column + columns); the first cell when nothing is sent.
struct HotCell {
    std::int64_t sender = 0;
    std::int64_t receiver = 0;
    double bytes = 0.0;
};
HotCell hottest(const TrafficRows& rows, std::int64_t row, std::int64_t column, std::int64_t count,
                std::optional<Kind> kind);

} // namespace shardscope
