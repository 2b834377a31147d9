#include <QTest>

#include "core/prediction/ranks/rank_layout.h"

#include <algorithm>

using namespace shardscope;

namespace
{

using Ranks = std::vector<std::int64_t>;

constexpr std::array every_kind{Kind::tp,  Kind::cp, Kind::pp,  Kind::dp,
                                Kind::emb, Kind::ep, Kind::edp, Kind::mp};

Parallel layoutOf(std::int64_t pipeline, std::int64_t tensor, std::int64_t context, std::int64_t data,
                  std::int64_t expert)
{
    Parallel parallel;
    parallel.pipeline = pipeline;
    parallel.tensor = tensor;
    parallel.context = context;
    parallel.data = data;
    parallel.expert = expert;
    return parallel;
}

std::vector<RankOrder> everyOrder()
{
    RankOrder order{Dimension::tp, Dimension::cp, Dimension::ep, Dimension::dp, Dimension::pp};
    std::sort(order.begin(), order.end());
    std::vector<RankOrder> orders;
    do
        orders.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    return orders;
}

} // namespace

class TestRankLayout : public QObject
{
    Q_OBJECT
private slots:
    // Megatron's default: rank = tp + t (dp + d pp); Li et al.'s custom mapping: rank = tp + t (pp + p dp).
    void innermostDimensionIsNamedFirst()
    {
        Parallel parallel = layoutOf(4, 2, 1, 4, 1);
        const RankCoordinates place{1, 0, 3, 2, 0};
        QCOMPARE(RankLayout{parallel}.rank(place), std::int64_t{1 + 2 * 3 + 8 * 2});
        parallel.rank_order = {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp, Dimension::dp};
        QCOMPARE(RankLayout{parallel}.rank(place), std::int64_t{1 + 2 * 2 + 8 * 3});
    }

    void groupsOfOneRank_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<Ranks>("members");
        const auto row = [](const char* name, Kind kind, const Ranks& members) {
            QTest::newRow(name) << static_cast<int>(kind) << members;
        };
        // (p, t, c, d) = (2, 2, 2, 4), ranks tp-cp-dp-pp; expert 4. Rank 13 is tp 1, cp 0, dp 3, pp 0.
        row("tp: neighbours", Kind::tp, {12, 13});
        row("cp: two tensor groups apart", Kind::cp, {13, 15});
        row("pp: half the world apart", Kind::pp, {13, 29});
        row("emb: both ends", Kind::emb, {13, 29});
        row("dp: data and context together", Kind::dp, {1, 3, 5, 7, 9, 11, 13, 15});
        row("ep: four neighbours of them", Kind::ep, {9, 11, 13, 15});
        row("edp: the same place in each expert group", Kind::edp, {5, 13});
        row("mp: replicas of the expert group", Kind::mp,
            {8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31});
    }
    void groupsOfOneRank()
    {
        QFETCH(int, kind);
        QFETCH(Ranks, members);
        const RankLayout layout{layoutOf(2, 2, 2, 4, 4)};
        QCOMPARE(layout.group(static_cast<Kind>(kind), 13), members);
        QCOMPARE(layout.groupSize(static_cast<Kind>(kind)), static_cast<std::int64_t>(members.size()));
    }

    // The same ranks with whole experts: 13 is at place 13 of 16 in its stage, tp innermost.
    void wholeExpertsAreSharedOutOverTensorRanksToo()
    {
        Parallel parallel = layoutOf(2, 2, 2, 4, 4);
        parallel.expert_tensor_parallel = false;
        const RankLayout layout{parallel};
        QCOMPARE(layout.group(Kind::ep, 13), (Ranks{12, 13, 14, 15}));
        QCOMPARE(layout.group(Kind::edp, 13), (Ranks{1, 5, 9, 13}));
        QCOMPARE(layout.group(Kind::mp, 13), (Ranks{12, 13, 14, 15, 28, 29, 30, 31}));
        QCOMPARE(layout.group(Kind::tp, 13), (Ranks{12, 13}));
        QCOMPARE(layout.group(Kind::dp, 13), (Ranks{1, 3, 5, 7, 9, 11, 13, 15}));
        QCOMPARE(layout.coordinates(13).ep, 1);
    }

    void embeddingsOfTheMiddleAreNoOnes()
    {
        const RankLayout layout{layoutOf(4, 1, 1, 1, 1)};
        QCOMPARE(layout.group(Kind::emb, 1), (Ranks{0, 3}));
        QCOMPARE(layout.next(Kind::emb, 0), std::int64_t{3});
        QCOMPARE(layout.next(Kind::emb, 3), std::int64_t{0});
        QCOMPARE(layout.next(Kind::emb, 1), std::int64_t{1});
    }

    void zeroSumsTheNormOverEveryone()
    {
        Parallel parallel = layoutOf(2, 2, 1, 3, 1);
        QCOMPARE(RankLayout{parallel}.groupSize(Kind::mp), std::int64_t{4});
        parallel.zero_stage = 1;
        QCOMPARE(RankLayout{parallel}.groupSize(Kind::mp), std::int64_t{12});
        QCOMPARE(RankLayout{parallel}.next(Kind::mp, 11), std::int64_t{0});
    }

    // Whatever the order: ranks and places map one to one, groups partition the world, next() goes round
    // them.
    void everyOrderIsAPartition()
    {
        const Parallel sizes = layoutOf(3, 2, 2, 6, 4);
        for (const RankOrder& order : everyOrder()) {
            Parallel parallel = sizes;
            parallel.rank_order = order;
            const RankLayout layout{parallel};
            QCOMPARE(layout.worldSize(), std::int64_t{72});
            for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank)
                QCOMPARE(layout.rank(layout.coordinates(rank)), rank);
            for (const Kind kind : every_kind)
                checkPartition(layout, kind);
        }
    }

    // Expert groups that end inside a dimension, fill several, or cut across them.
    void everyOrderIsAPartitionWithWholeExperts()
    {
        for (Parallel parallel : {layoutOf(3, 2, 2, 6, 4), layoutOf(2, 4, 1, 3, 6), layoutOf(2, 4, 2, 3, 2),
                                  layoutOf(2, 4, 1, 2, 1), layoutOf(1, 2, 3, 4, 4), layoutOf(4, 2, 1, 2, 4),
                                  layoutOf(2, 4, 2, 2, 8)})
            for (const Schedule schedule : {Schedule::one_f_one_b, Schedule::dualpipe})
                for (const RankOrder& order : everyOrder()) {
                    parallel.expert_tensor_parallel = false;
                    parallel.schedule = parallel.pipeline % 2 == 0 ? schedule : Schedule::one_f_one_b;
                    parallel.rank_order = order;
                    for (const Kind kind : every_kind)
                        checkPartition(RankLayout{parallel}, kind);
                }
    }

    // dualpipe: stages 0 and 3, and 1 and 2, hold the same layers.
    void mirroredStagesReduceTogether()
    {
        Parallel parallel = layoutOf(4, 2, 1, 2, 2);
        parallel.schedule = Schedule::dualpipe;
        const RankLayout layout{parallel};
        QCOMPARE(layout.group(Kind::dp, 5), (Ranks{5, 7, 9, 11}));
        QCOMPARE(layout.group(Kind::edp, 5), (Ranks{5, 9}));
        QCOMPARE(layout.group(Kind::ep, 5), (Ranks{5, 7}));
        QCOMPARE(layout.group(Kind::dp, 0), (Ranks{0, 2, 12, 14}));
        for (const RankOrder& order : everyOrder()) {
            parallel.rank_order = order;
            for (const Kind kind : every_kind)
                checkPartition(RankLayout{parallel}, kind);
        }
    }

    void membersOnANodeAreCounted()
    {
        const RankLayout layout{layoutOf(2, 4, 1, 8, 1)};
        QCOMPARE(layout.membersBelow(Kind::tp, 8), std::int64_t{4});
        QCOMPARE(layout.membersBelow(Kind::dp, 8), std::int64_t{2});
        QCOMPARE(layout.membersBelow(Kind::pp, 8), std::int64_t{1});
        QCOMPARE(layout.membersBelow(Kind::dp, 1024), std::int64_t{8});
    }
    void membersOnANodeAreThoseOfTheFirstGroup()
    {
        Parallel mirrored = layoutOf(4, 2, 1, 2, 2);
        mirrored.schedule = Schedule::dualpipe;
        for (Parallel parallel : {layoutOf(4, 4, 1, 1, 1), layoutOf(2, 2, 2, 4, 4), mirrored})
            for (const RankOrder& order : everyOrder()) {
                parallel.rank_order = order;
                const RankLayout layout{parallel};
                for (const Kind kind : every_kind)
                    for (const std::int64_t limit : {2, 8, 16}) {
                        const Ranks members = layout.group(kind, 0);
                        QCOMPARE(layout.membersBelow(kind, limit),
                                 std::ranges::count_if(members, [=](auto rank) { return rank < limit; }));
                    }
            }
    }

private:
    static void checkPartition(const RankLayout& layout, Kind kind)
    {
        for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank) {
            const Ranks members = layout.group(kind, rank);
            QVERIFY(std::is_sorted(members.begin(), members.end()));
            QCOMPARE(static_cast<std::int64_t>(members.size()), layout.groupSize(kind));
            const auto own = std::find(members.begin(), members.end(), rank);
            if (own == members.end()) {
                QCOMPARE(kind, Kind::emb);
                QCOMPARE(layout.firstMember(kind, rank), std::int64_t{-1});
                continue;
            }
            QCOMPARE(layout.group(kind, members.front()), members);
            QCOMPARE(layout.firstMember(kind, rank), members.front());
            QCOMPARE(layout.next(kind, rank), own + 1 == members.end() ? members.front() : *(own + 1));
        }
    }
};

QTEST_APPLESS_MAIN(TestRankLayout)
#include "tst_rank_layout.moc"
