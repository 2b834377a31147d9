#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/traffic/busiest_links.h"
#include "tests/core/prediction/random_scenario.h"
#include "traffic_cells.h"

#include <algorithm>
#include <set>

using namespace shardscope;
using namespace shardscope::test;

namespace
{

constexpr std::uint64_t seed = 20251119;
constexpr int scenarios = 300;

// What ranks have on their own links, and pairs of a node: what a group that leaves a node sends in rings is
// its members' there in equal parts.
struct SharedLoads {
    std::vector<LinkLoad> ranks;
    Cells pairs;
};

void addRings(const std::vector<LinkLoad>& loads, const std::vector<std::int64_t>& members,
              SharedLoads& shared)
{
    const auto count = static_cast<double>(members.size());
    LinkLoad all;
    for (const std::int64_t member : members)
        all += loads[static_cast<std::size_t>(member)];
    for (const std::int64_t member : members) {
        LinkLoad part{all.sent_bytes / count, all.received_bytes / count, all.inside_bytes / count,
                      all.inside_received_bytes / count};
        if (all.sent_bytes + all.received_bytes == 0.0) // the group stays on the node
            part = loads[static_cast<std::size_t>(member)];
        shared.ranks[static_cast<std::size_t>(member)] += part;
        for (const std::int64_t peer : members)
            if (peer != member)
                shared.pairs[{member, peer}] += all.inside_bytes / count / (count - 1.0);
    }
}

SharedLoads sharedLoadsOf(const TrafficMatrix& matrix, std::int64_t node)
{
    SharedLoads shared{std::vector<LinkLoad>(static_cast<std::size_t>(matrix.worldSize())), {}};
    for (const Kind kind : matrix.kinds()) {
        const Cells cells = cellsOf(matrix, kind);
        const std::vector<LinkLoad> loads = linkLoadsOf(cells, matrix.worldSize(), node);
        if (kind == Kind::pp || kind == Kind::cp || kind == Kind::ep) {
            for (std::size_t rank = 0; rank < loads.size(); ++rank)
                shared.ranks[rank] += loads[rank];
            for (const auto& [place, bytes] : cells)
                if (place.first / node == place.second / node)
                    shared.pairs[place] += bytes;
            continue;
        }
        std::set<std::int64_t> seen;
        for (std::int64_t rank = 0; rank < matrix.worldSize(); ++rank) {
            if (seen.contains(rank))
                continue;
            std::vector<std::int64_t> members = matrix.layout().group(kind, rank);
            if (std::ranges::find(members, rank) == members.end())
                continue; // the embedding's, of a middle stage
            std::erase_if(members, [&](std::int64_t member) { return member / node != rank / node; });
            seen.insert(members.begin(), members.end());
            addRings(loads, members, shared);
        }
    }
    return shared;
}

} // namespace

class TestBusiestLinks : public QObject
{
    Q_OBJECT
private slots:
    void linksCarryWhatTheirRanksSend()
    {
        test::RandomScenarios random{seed};
        for (int i = 0; i < scenarios; ++i) {
            const Scenario scenario = random.next();
            const TrafficMatrix matrix{scenario, predict(scenario).value()};
            const std::int64_t node =
                std::array<std::int64_t, 6>{1, 2, 3, 4, 8, 72}[static_cast<std::size_t>(i % 6)];
            const std::vector<LinkLoad> loads =
                linkLoadsOf(cellsOf(matrix, std::nullopt), matrix.worldSize(), node);
            const TrafficFamilies families{matrix};
            LinkLoad sum;
            for (const NodeSplit& split : nodeSplits(families, node)) {
                sum.inside_bytes += split.intra_node_bytes;
                sum.inside_received_bytes += split.intra_node_bytes;
                sum.sent_bytes += split.inter_node_bytes;
                sum.received_bytes += split.inter_node_bytes;
            }
            QVERIFY2(areEqual(sum, sumOf(loads, 0, matrix.worldSize())),
                     qPrintable(QStringLiteral("scenario %1").arg(i)));
            const SharedLoads shared = sharedLoadsOf(matrix, node);
            checkLoads(families, loads, node);
            checkBusiest(families, shared.ranks, node, 1);
            checkBusiest(families, shared.ranks, node, node);
            checkInner(families, shared, node);
            checkCells(matrix, families, node);
        }
    }

    void largeWorldsFindTheirBusiestLinks_data() { addLargeWorlds(); }
    void largeWorldsFindTheirBusiestLinks()
    {
        QFETCH(RankOrder, order);
        QFETCH(int, expert);
        QFETCH(double, skew);
        QFETCH(int, node);
        const Scenario scenario = largeScenario(order, expert, skew);
        const auto prediction = predict(scenario);
        QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
        const TrafficMatrix matrix{scenario, prediction.value()};
        const TrafficFamilies families{matrix};
        const Cells cells = cellsOf(matrix, std::nullopt);
        const std::vector<LinkLoad> loads = linkLoadsOf(cells, matrix.worldSize(), node);
        const SharedLoads shared = sharedLoadsOf(matrix, node);
        checkLoads(families, loads, node);
        checkBusiest(families, shared.ranks, node, 1);
        checkBusiest(families, shared.ranks, node, node);
        checkInner(families, shared, node);
    }

private:
    static void checkLoads(const TrafficFamilies& families, const std::vector<LinkLoad>& loads,
                           std::int64_t node)
    {
        for (const std::int64_t ranks : {std::int64_t{1}, node})
            for (std::int64_t first = 0; first < families.worldSize(); first += ranks)
                QVERIFY(areEqual(linkLoad(families, first, ranks, node), sumOf(loads, first, ranks)));
    }

    static void checkBusiest(const TrafficFamilies& families, const std::vector<LinkLoad>& loads,
                             std::int64_t node, std::int64_t card)
    {
        double most_one_way = 0.0;
        double most_inside = 0.0;
        const std::int64_t world = families.worldSize();
        for (std::int64_t first = 0; first < world; first += card) {
            const LinkLoad load = sumOf(loads, first, card);
            most_one_way = std::max({most_one_way, load.sent_bytes, load.received_bytes});
        }
        for (std::int64_t first = 0; first < world; first += node)
            most_inside = std::max(most_inside, sumOf(loads, first, node).inside_bytes);
        const BusiestLinks busiest = busiestLinks(families, {node, card, false});
        QVERIFY(areEqual(std::max(busiest.card.sent_bytes, busiest.card.received_bytes), most_one_way));
        QVERIFY(areEqual(busiest.card, sumOf(loads, busiest.card_first_rank, card)));
        QVERIFY(areEqual(busiest.domain_bytes, most_inside));
        QVERIFY(areEqual(sumOf(loads, busiest.domain * node, node).inside_bytes, most_inside));
    }

    // A GPU's one link to all others of its node, or of a mesh the one that joins two.
    static void checkInner(const TrafficFamilies& families, const SharedLoads& shared, std::int64_t node)
    {
        double most_of_pair = 0.0;
        for (const auto& [place, bytes] : shared.pairs)
            most_of_pair = std::max(most_of_pair, bytes);
        double most_of_gpu = 0.0;
        for (const LinkLoad& load : shared.ranks)
            most_of_gpu = std::max({most_of_gpu, load.inside_bytes, load.inside_received_bytes});
        const InnerLink of_gpu = busiestLinks(families, {node, 1, false}).inner;
        QVERIFY(areEqual(of_gpu.bytes, most_of_gpu));
        const LinkLoad& its = shared.ranks[static_cast<std::size_t>(of_gpu.rank)];
        QVERIFY(areEqual(of_gpu.is_received ? its.inside_received_bytes : its.inside_bytes, most_of_gpu));
        const InnerLink of_pair = busiestLinks(families, {node, 1, true}).inner;
        QVERIFY(areEqual(of_pair.bytes, most_of_pair));
        QVERIFY(most_of_pair == 0.0 || areEqual(shared.pairs.at({of_pair.rank, of_pair.peer}), most_of_pair));
    }

    // Cells one by one tell the same, but of context groups, of which a run's do not tell how they send.
    static void checkCells(const TrafficMatrix& matrix, const TrafficFamilies& families, std::int64_t node)
    {
        std::vector<CellsOfKind> kinds;
        for (const Kind kind : matrix.kinds())
            kinds.push_back({kind, matrix.cells(kind)});
        const bool shares_sequences = matrix.layout().groupSize(Kind::cp) > 1;
        for (const NodeShape& shape :
             {NodeShape{node, 1, false}, NodeShape{node, node, true}, NodeShape{node, 1, false, 2 * node}})
            for (const RankLayout* layout : {&matrix.layout(), static_cast<const RankLayout*>(nullptr)}) {
                const BusiestLinks a = busiestLinks(families, shape);
                const BusiestLinks b = busiestLinks(kinds, families.worldSize(), shape, layout);
                QVERIFY(areEqual(a.domain_bytes, b.domain_bytes));
                QVERIFY(areEqual(std::max(a.pod.sent_bytes, a.pod.received_bytes),
                                 std::max(b.pod.sent_bytes, b.pod.received_bytes)));
                QVERIFY(areEqual(a.mean_card_bytes, b.mean_card_bytes));
                QVERIFY(areEqual(a.mean_domain_bytes, b.mean_domain_bytes));
                const double card = std::max(a.card.sent_bytes, a.card.received_bytes);
                const double of_cells = std::max(b.card.sent_bytes, b.card.received_bytes);
                QVERIFY(areEqual(card, of_cells) || (shares_sequences && of_cells < card));
                QVERIFY(areEqual(a.inner.bytes, b.inner.bytes)
                        || (shares_sequences && b.inner.bytes < a.inner.bytes));
            }
    }
};

QTEST_APPLESS_MAIN(TestBusiestLinks)
#include "tst_busiest_links.moc"
