#include <QTest>

#include "core/scenario/rank_order.h"

using namespace shardscope;

class TestRankOrder : public QObject
{
    Q_OBJECT
private slots:
    void missingDimensionsGetMegatronsPlace_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("order");
        QTest::newRow("Megatron's") << "tp-dp-pp"
                                    << "tp-cp-ep-dp-pp";
        QTest::newRow("custom mapping of Li et al.") << "tp-pp-dp"
                                                     << "tp-cp-ep-pp-dp";
        QTest::newRow("all five") << "tp-cp-ep-dp-pp"
                                  << "tp-cp-ep-dp-pp";
        QTest::newRow("context outside data") << "tp-dp-cp-pp"
                                              << "tp-dp-cp-ep-pp";
        QTest::newRow("data innermost") << "dp-tp-pp"
                                        << "dp-tp-cp-ep-pp";
        QTest::newRow("tensor alone") << "tp"
                                      << "tp-cp-ep-dp-pp";
    }
    void missingDimensionsGetMegatronsPlace()
    {
        QFETCH(QString, word);
        const auto order = rankOrderFromWord(word.toStdString());
        QVERIFY(order);
        QTEST(QString::fromStdString(rankOrderWord(order.value(), true)), "order");
    }

    void contextAndExpertAreLeftOutWhereTheyAddNothing_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("brief");
        QTest::newRow("Megatron's") << "tp-cp-ep-dp-pp"
                                    << "tp-dp-pp";
        QTest::newRow("custom") << "tp-pp-dp"
                                << "tp-pp-dp";
        QTest::newRow("context in another place") << "tp-dp-cp-pp"
                                                  << "tp-dp-cp-ep-pp";
    }
    void contextAndExpertAreLeftOutWhereTheyAddNothing()
    {
        QFETCH(QString, word);
        const auto order = rankOrderFromWord(word.toStdString());
        QVERIFY(order);
        QTEST(QString::fromStdString(rankOrderWord(order.value(), false)), "brief");
    }

    void stagesLieElsewhereInOtherOrders_data()
    {
        QTest::addColumn<QString>("order");
        QTest::addColumn<QList<int>>("degrees"); // tensor, data, pipeline
        QTest::addColumn<QStringList>("others");
        const QString megatron = "tp-dp-pp";
        QTest::newRow("Megatron's") << megatron << QList<int>{2, 4, 2}
                                    << QStringList{"tp-pp-dp", "pp-tp-dp", "dp-pp-tp"};
        QTest::newRow("as many replicas as tensor ranks")
            << megatron << QList<int>{2, 2, 2} << QStringList{"tp-pp-dp", "pp-tp-dp"};
        QTest::newRow("custom") << "tp-pp-dp" << QList<int>{2, 2, 2} << QStringList{"tp-dp-pp", "pp-tp-dp"};
        QTest::newRow("data innermost")
            << "dp-tp-pp" << QList<int>{2, 2, 2} << QStringList{"tp-pp-dp", "pp-dp-tp"};
        QTest::newRow("no tensor ranks") << megatron << QList<int>{1, 2, 2} << QStringList{"tp-pp-dp"};
        QTest::newRow("no replicas") << megatron << QList<int>{2, 1, 2} << QStringList{"dp-pp-tp"};
        QTest::newRow("one stage") << megatron << QList<int>{2, 2, 1} << QStringList{};
    }
    void stagesLieElsewhereInOtherOrders()
    {
        QFETCH(QString, order);
        QFETCH(QList<int>, degrees);
        Parallel parallel;
        parallel.tensor = degrees[0];
        parallel.data = degrees[1];
        parallel.pipeline = degrees[2];
        parallel.rank_order = rankOrderFromWord(order.toStdString()).value();
        QStringList others;
        for (const RankOrder& other : ordersOfOtherStages(parallel)) {
            others << QString::fromStdString(rankOrderWord(other, false));
            Parallel moved = parallel;
            moved.rank_order = other;
            QVERIFY(!placeRanksAlike(parallel, moved));
        }
        QTEST(others, "others");
    }

    void dimensionsOfOnePlacePlaceNoRank()
    {
        Parallel one;
        one.tensor = 2;
        one.data = 4;
        Parallel other = one;
        other.rank_order = rankOrderFromWord("pp-tp-dp").value();
        QVERIFY(placeRanksAlike(one, other));
        one.pipeline = other.pipeline = 2;
        QVERIFY(!placeRanksAlike(one, other));
    }

    void wrongWordsAreRefused_data()
    {
        QTest::addColumn<QString>("word");
        QTest::newRow("empty") << "";
        QTest::newRow("unknown") << "tp-xp-pp";
        QTest::newRow("twice") << "tp-dp-tp";
        QTest::newRow("trailing dash") << "tp-dp-";
        QTest::newRow("capital letters") << "TP-DP-PP";
        QTest::newRow("wrong separator") << "tp dp pp";
    }
    void wrongWordsAreRefused()
    {
        QFETCH(QString, word);
        QVERIFY(!rankOrderFromWord(word.toStdString()));
    }
};

QTEST_APPLESS_MAIN(TestRankOrder)
#include "tst_rank_order.moc"
