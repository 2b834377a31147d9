#include <QTest>

#include "core/inference/rank_places.h"

using namespace shardscope;

namespace
{

// Ranks of which some embed words and some have the output layer, two tensor ranks wide.
std::vector<RankShapes> ranks(const std::vector<int>& embed, const std::vector<int>& end, int count)
{
    std::vector<RankShapes> all;
    for (int rank = 0; rank < count; ++rank) {
        RankShapes one{rank, 1, {}};
        one.shapes.hidden_size = 64;
        one.shapes.attention_width = 32;
        one.shapes.sequence_length = 16;
        one.shapes.micro_batch_size = 2;
        one.shapes.norm_tokens = 32;
        one.shapes.embeddings = std::ranges::find(embed, rank) != embed.end() ? 4 : 0;
        one.shapes.heads = std::ranges::find(end, rank) != end.end() ? 4 : 0;
        all.push_back(one);
    }
    return all;
}

} // namespace

class TestRankPlaces : public QObject
{
    Q_OBJECT
private slots:
    void degreesFollowFromWhoEmbedsWords()
    {
        const RankPlaces places = placesOf(ranks({0, 1, 2, 3}, {4, 5, 6, 7}, 8), 8, {}).front();
        QVERIFY(places.all_ranks_read);
        QCOMPARE(places.parallel.tensor, 2);
        QCOMPARE(places.parallel.pipeline, 2);
        QCOMPARE(places.parallel.data, 2);
        QCOMPARE(places.parallel.rank_order, megatron_rank_order);
        QVERIFY(!places.parallel.sequence_parallel);
    }
    void stagesBesideEachOtherAreAnotherOrder()
    {
        const RankPlaces places = placesOf(ranks({0, 1, 4, 5}, {2, 3, 6, 7}, 8), 8, {}).front();
        QCOMPARE(places.parallel.pipeline, 2);
        QCOMPARE(places.parallel.rank_order[3], Dimension::pp);
    }
    void oneRankFitsEveryOrder()
    {
        const std::vector<RankShapes> first{ranks({0}, {}, 1).front()};
        const RankPlaces places = placesOf(first, 8, {.pipeline = 2}).front();
        QCOMPARE(places.other_orders.size(), std::size_t{1});
        QCOMPARE(places.other_orders.front()[3], Dimension::pp);
        const RankPlaces all = placesOf(ranks({0, 1, 2, 3}, {4, 5, 6, 7}, 8), 8, {}).front();
        QVERIFY(all.other_orders.empty());
    }
    void aRankWithBothEndsIsOneStage()
    {
        const RankPlaces places = placesOf(ranks({0}, {0}, 1), 16, {.pipeline = 4}).front();
        QVERIFY(!places.all_ranks_read);
        QCOMPARE(places.parallel.pipeline, 1);
        QCOMPARE(places.parallel.data, 8);
    }
    void elseWhatTheGroupsTellHolds()
    {
        const RankPlaces places = placesOf(ranks({0}, {}, 1), 16, {.pipeline = 4}).front();
        QCOMPARE(places.parallel.pipeline, 4);
        QCOMPARE(places.parallel.data, 2);
    }
    void missingRanksLeaveWhatFits_data()
    {
        QTest::addColumn<std::vector<int>>("read");
        QTest::addColumn<std::vector<int>>("stages");
        using Ints = std::vector<int>;
        // Of eight ranks, two tensor ranks wide, in two stages.
        QTest::newRow("all but one") << Ints{0, 1, 2, 4, 5, 6, 7} << Ints{2};
        QTest::newRow("one of the first stage; its output layer may be unknown") << Ints{0} << Ints{1, 2, 4};
        QTest::newRow("one of the last") << Ints{7} << Ints{2, 4};
        QTest::newRow("both stages") << Ints{3, 4} << Ints{2};
    }
    void missingRanksLeaveWhatFits()
    {
        QFETCH(std::vector<int>, read);
        QFETCH(std::vector<int>, stages);
        std::vector<RankShapes> some;
        for (const RankShapes& one : ranks({0, 1, 2, 3}, {4, 5, 6, 7}, 8))
            if (std::ranges::find(read, one.rank) != read.end())
                some.push_back(one);
        std::vector<int> found;
        for (const RankPlaces& places : placesOf(some, 8, {})) {
            found.push_back(static_cast<int>(places.parallel.pipeline));
            QCOMPARE(places.knowsStages(), stages.size() == 1);
            QCOMPARE(places.parallel.pipeline * places.parallel.data, 4);
        }
        QCOMPARE(found, stages);
    }
    void contextParallelismIsWhatItsGroupsTell()
    {
        const RankPlaces places = placesOf(ranks({0}, {0}, 1), 16, {.context = 4}).front();
        QCOMPARE(places.parallel.context, 4);
        QCOMPARE(places.parallel.data * places.parallel.tensor, 4);
    }
    void normsOfAPartOfTheTokensAreSequenceParallel()
    {
        std::vector<RankShapes> all = ranks({0, 1}, {0, 1}, 2);
        for (RankShapes& one : all)
            one.shapes.norm_tokens = 16;
        QVERIFY(placesOf(all, 2, {}).front().parallel.sequence_parallel);
    }
};

QTEST_APPLESS_MAIN(TestRankPlaces)
#include "tst_rank_places.moc"
