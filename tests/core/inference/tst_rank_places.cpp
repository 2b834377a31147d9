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
        const RankPlaces places = placesOf(ranks({0, 1, 2, 3}, {4, 5, 6, 7}, 8), 8, {});
        QVERIFY(places.all_ranks_read);
        QCOMPARE(places.parallel.tensor, 2);
        QCOMPARE(places.parallel.pipeline, 2);
        QCOMPARE(places.parallel.data, 2);
        QCOMPARE(places.parallel.rank_order, megatron_rank_order);
        QVERIFY(!places.parallel.sequence_parallel);
    }
    void stagesBesideEachOtherAreAnotherOrder()
    {
        const RankPlaces places = placesOf(ranks({0, 1, 4, 5}, {2, 3, 6, 7}, 8), 8, {});
        QCOMPARE(places.parallel.pipeline, 2);
        QCOMPARE(places.parallel.rank_order[3], Dimension::pp);
    }
    void aRankWithBothEndsIsOneStage()
    {
        const RankPlaces places = placesOf(ranks({0}, {0}, 1), 16, {.pipeline = 4});
        QVERIFY(!places.all_ranks_read);
        QCOMPARE(places.parallel.pipeline, 1);
        QCOMPARE(places.parallel.data, 8);
    }
    void elseWhatTheGroupsTellHolds()
    {
        const RankPlaces places = placesOf(ranks({0}, {}, 1), 16, {.pipeline = 4});
        QCOMPARE(places.parallel.pipeline, 4);
        QCOMPARE(places.parallel.data, 2);
    }
    void contextParallelismIsWhatItsGroupsTell()
    {
        const RankPlaces places = placesOf(ranks({0}, {0}, 1), 16, {.context = 4});
        QCOMPARE(places.parallel.context, 4);
        QCOMPARE(places.parallel.data * places.parallel.tensor, 4);
    }
    void normsOfAPartOfTheTokensAreSequenceParallel()
    {
        std::vector<RankShapes> all = ranks({0, 1}, {0, 1}, 2);
        for (RankShapes& one : all)
            one.shapes.norm_tokens = 16;
        QVERIFY(placesOf(all, 2, {}).parallel.sequence_parallel);
    }
};

QTEST_APPLESS_MAIN(TestRankPlaces)
#include "tst_rank_places.moc"
