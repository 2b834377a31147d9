#include <QTest>

#include "core/report/rank_choice.h"

using namespace shardscope;

class TestRankChoice : public QObject
{
    Q_OBJECT
private slots:
    void wordsAreRead_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<bool>("good");
        QTest::newRow("all") << "all" << true;
        QTest::newRow("none") << "none" << true;
        QTest::newRow("one") << "7" << true;
        QTest::newRow("several") << "0,8,16" << true;
        QTest::newRow("empty") << "" << false;
        QTest::newRow("trailing comma") << "1," << false;
        QTest::newRow("negative") << "-1" << false;
        QTest::newRow("text") << "first" << false;
        QTest::newRow("beyond 64 bits") << "99999999999999999999" << false;
        QTest::newRow("blank") << "1, 2" << false;
    }
    void wordsAreRead()
    {
        QFETCH(QString, word);
        QTEST(bool{rankChoiceFromWord(word.toStdString())}, "good");
    }

    void defaultListsAllRanksOrOneOfEachPart_data()
    {
        QTest::addColumn<qint64>("data");
        QTest::addColumn<int>("ranks");
        QTest::newRow("64 GPUs: all") << qint64{32} << 64;
        QTest::newRow("more: the first of each stage") << qint64{64} << 2;
    }
    void defaultListsAllRanksOrOneOfEachPart()
    {
        QFETCH(qint64, data);
        Scenario scenario;
        scenario.parallel.pipeline = 2;
        scenario.parallel.data = data;
        const auto ranks = chosenRanks({}, RankLayout{scenario.parallel}, RankParts{scenario});
        QVERIFY(ranks);
        QTEST(static_cast<int>(ranks.value().size()), "ranks");
    }

    void ranksThatAreNotThereAreRefused()
    {
        const Scenario scenario;
        const auto ranks =
            chosenRanks(rankChoiceFromWord("1").value(), RankLayout{scenario.parallel}, RankParts{scenario});
        QVERIFY(!ranks);
        QCOMPARE(QString::fromStdString(ranks.error().sentence),
                 "there is no rank 1 among 1 GPUs; the last one is 0");
    }
};

QTEST_APPLESS_MAIN(TestRankChoice)
#include "tst_rank_choice.moc"
