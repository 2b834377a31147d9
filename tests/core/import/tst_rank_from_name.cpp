#include <QtTest>

#include "core/import/rank_from_name.h"

using namespace shardscope;

class TestRankFromName : public QObject
{
    Q_OBJECT

private slots:
    void digitsBehindRankOrWorker_data();
    void digitsBehindRankOrWorker();
    void digitsAtTheEndOfAFoldersName_data();
    void digitsAtTheEndOfAFoldersName();
    void placesInALayout_data();
    void placesInALayout();
    void theNumberAtTheEndOfADump();
    void theNumberBeforeTheEndingsOfAnExecutionTrace();
};

void TestRankFromName::digitsBehindRankOrWorker_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("rank"); // -1: none
    QTest::newRow("rank0") << "rank0.json.gz" << 0;
    QTest::newRow("dash") << "rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz" << 34;
    QTest::newRow("underscore") << "trace_rank_7.json" << 7;
    QTest::newRow("bracket") << "rank[12].json" << 12;
    QTest::newRow("capitals") << "Rank3.json" << 3;
    QTest::newRow("worker") << "worker3_step_12.1694128201557.pt.trace.json.gz" << 3;
    QTest::newRow("rank counts before worker") << "worker1_rank5.json" << 5;
    QTest::newRow("the last of several") << "ranks/rank1_to_rank2.json" << 2;
    QTest::newRow("axes, but no rank") << "TP-0-DP-1-PP-0.json" << -1;
    QTest::newRow("places on axes") << "trace_tp_rank_1_pp_rank_0.json" << -1;
    QTest::newRow("places on axes, and a rank") << "tp_rank_1_pp_rank_0_rank_5.json" << 5;
    QTest::newRow("a single axis is all there is") << "tp_rank_3.json" << 3;
    QTest::newRow("a word without digits") << "rank_not_found.json.gz" << -1;
    QTest::newRow("beyond 64 bits") << "rank99999999999999999999.json" << -1;
}

void TestRankFromName::digitsBehindRankOrWorker()
{
    QFETCH(QString, name);
    QTEST(int(rankFromName(name.toStdString()).value_or(-1)), "rank");
}

void TestRankFromName::digitsAtTheEndOfAFoldersName_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("rank"); // -1: none
    QTest::newRow("a folder for each rank") << "run/rank3/trace.json" << 3;
    QTest::newRow("an underscore") << "run/worker_2/trace.pt.trace.json.gz" << 2;
    QTest::newRow("leading zeros, within a node's folder") << "/runs/node1/rank_05/trace.json" << 5;
    QTest::newRow("brackets") << "rank[12]/trace.json" << 12;
    QTest::newRow("another word before it") << "global_rank-7/trace.json" << 7;
    QTest::newRow("a step's folder within") << "rank4/iteration_10/trace.json" << 4;
    QTest::newRow("the nearest one") << "worker_9/rank1/trace.json" << 1;
    QTest::newRow("an archive for each rank") << "run/rank6.tar.gz/trace.json" << 6;
    QTest::newRow("capitals") << "Rank8/trace.json" << 8;
    QTest::newRow("the file itself does not count") << "run/rank3.json" << -1;
    QTest::newRow("a study of a rank") << "rank3_study/trace.json" << -1;
    QTest::newRow("how many there are") << "8_ranks/trace.json" << -1;
    QTest::newRow("a node") << "node1/trace.json" << -1;
    QTest::newRow("digits alone") << "3/trace.json" << -1;
    QTest::newRow("a dash alone") << "_3/trace.json" << -1;
    QTest::newRow("no digits") << "rank/trace.json" << -1;
    QTest::newRow("beyond 64 bits") << "rank99999999999999999999/trace.json" << -1;
    QTest::newRow("no folder") << "trace.json" << -1;
    QTest::newRow("the root") << "/trace.json" << -1;
}

void TestRankFromName::digitsAtTheEndOfAFoldersName()
{
    QFETCH(QString, path);
    QTEST(int(rankFromFolders(path.toStdString()).value_or(-1)), "rank");
}

void TestRankFromName::placesInALayout_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QList<int>>("place"); // tensor, context, data, pipeline; empty: none
    QTest::newRow("three axes") << "TP-1-DP-2-PP-3.json.gz" << QList<int>{1, 0, 2, 3};
    QTest::newRow("behind a word") << "trace_tp03_pp1.json" << QList<int>{3, 0, 0, 1};
    QTest::newRow("context too") << "pp0.cp1.dp0.tp2.pt.trace.json" << QList<int>{2, 1, 0, 0};
    QTest::newRow("ranks of axes") << "trace_tp_rank_1_pp_rank_3.json" << QList<int>{1, 0, 0, 3};
    QTest::newRow("one axis tells of a size, perhaps") << "run_tp8.json" << QList<int>{};
    QTest::newRow("other words") << "http-1-app-2-gdp3.json" << QList<int>{};
    QTest::newRow("a rank") << "rank3.json" << QList<int>{};
    QTest::newRow("other numbers") << "tp-9223372036854775807-dp-99999.json" << QList<int>{};
}

void TestRankFromName::placesInALayout()
{
    QFETCH(QString, name);
    const auto place = placeFromName(name.toStdString());
    QTEST(place
              ? (QList<int>{int(place->tensor), int(place->context), int(place->data), int(place->pipeline)})
              : QList<int>{},
          "place");
}

void TestRankFromName::theNumberAtTheEndOfADump()
{
    QCOMPARE(rankAtEnd("_dump_14"), std::optional<std::int64_t>(14));
    QCOMPARE(rankAtEnd("nccl_trace_host7_3"), std::optional<std::int64_t>(3));
    QVERIFY(!rankAtEnd("dump.pkl"));
}

void TestRankFromName::theNumberBeforeTheEndingsOfAnExecutionTrace()
{
    QCOMPARE(rankBeforeEndings("chakra.3.et"), std::optional<std::int64_t>(3));
    QCOMPARE(rankBeforeEndings("megatron_et_12.json.gz"), std::optional<std::int64_t>(12));
    QVERIFY(!rankBeforeEndings("resnet_2gpu_et.json.gz"));
    QVERIFY(!rankBeforeEndings("trace_v2.json")); // a version
    QVERIFY(!rankBeforeEndings("12.json"));
    QVERIFY(!rankBeforeEndings("TP-0-DP-1-PP-2.et")); // a place on an axis
}

QTEST_APPLESS_MAIN(TestRankFromName)
#include "tst_rank_from_name.moc"
