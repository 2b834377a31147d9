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
