#pragma once

#include "core/collectives/collective.h"
#include "widgets/plots/heatmap/rank_window.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace shardscope
{

struct TrafficEntry {
    std::int64_t receiver = 0;
    Kind kind = Kind::unknown;
    double bytes = 0.0; // negative in differences
};

// Sorts a row by receiver and kind, with one entry for each of them.
void addUpReceivers(std::vector<TrafficEntry>& row);

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

    // Makes a bin show this cell where it is larger than what it shows.
    void add(std::int64_t row, std::int64_t column, double cell_bytes, unsigned char mark);
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
    // Takes a cell of a kind, or of all together, into account.
    void widen(std::size_t kind_or_all, double bytes);
    double intraNode(std::optional<Kind> kind) const;
    double interNode(std::optional<Kind> kind) const;
};

// What one rank sends to others and receives from them, all kinds together.
struct TrafficEnds {
    double sent_bytes = 0.0;
    double received_bytes = 0.0;
};

// What of the traffic from node to node is asked for.
enum class NodeShare : unsigned char {
    all,
    between, // not what stays in a node
};

// Who sends how much to whom, asked for sender by sender. Immutable, so that any thread may ask. What is made
// of many senders may be known in a closed form; without one every row is asked for.
class TrafficRows
{
public:
    virtual ~TrafficRows() = default;
    virtual std::int64_t ranks() const = 0;
    // Appends what a sender sends; a receiver may come more than once, also with the same kind.
    virtual void appendRow(std::int64_t sender, std::vector<TrafficEntry>& entries) const = 0;
    // False where nobody recorded what it sends; what others received of it may be there all the same.
    virtual bool knows(std::int64_t) const { return true; }
    // Of how many senders it is known what they send.
    virtual std::int64_t knownSenders() const { return ranks(); }
    bool knowsAll() const { return knownSenders() == ranks(); }
    // Fills the bins of a grid whose place and size are set.
    virtual void fill(TrafficGrid& grid, std::optional<Kind> kind) const;
    // Ranks [k * gpus_per_node, (k + 1) * gpus_per_node) share node k.
    virtual TrafficSummary summary(std::int64_t gpus_per_node) const;
    // About how long that takes, counted in rows: fill() for so many ranks and bins each way, or summary().
    virtual std::int64_t fillCost(std::int64_t span, int bins) const;
    virtual std::int64_t summaryCost() const { return ranks(); }
    virtual TrafficEnds endsOf(std::int64_t rank) const;
    // The same traffic from node to node, with node k in the place of rank k, and about how long that takes.
    virtual std::shared_ptr<const TrafficRows> byNode(std::int64_t gpus_per_node, NodeShare share) const;
    virtual std::int64_t byNodeCost(std::int64_t) const { return ranks(); }
};

// Bins of whole ranks that cover the window, at most `most_bins` each way.
TrafficGrid poolTraffic(const TrafficRows& rows, const RankWindow& window, int most_bins,
                        std::optional<Kind> kind);

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
