#include <QTest>

#include "core/scenario/scale_up_domain.h"
#include "core/scenario/scenario.h"

using namespace shardscope;

class TestScaleUpDomain : public QObject
{
    Q_OBJECT
private slots:
    void racksAreFilledAsTheyAreUsed_data()
    {
        QTest::addColumn<int>("domain");
        QTest::addColumn<int>("node");
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("filled");
        const auto row = [](const char* name, int domain, int node, int world, int filled) {
            QTest::newRow(name) << domain << node << world << filled;
        };
        row("one rack holds them", 72, 72, 64, 72);
        row("whole racks", 72, 72, 144, 72);
        row("eight whole racks, though 64 divides them as well", 72, 72, 576, 72);
        row("64 of each 72 (NVIDIA's recipes)", 72, 72, 1024, 64);
        row("the same of trays as nodes", 72, 4, 2048, 64);
        row("racks filled alike, by trays", 72, 72, 100, 52);
        row("a node on a board is never split", 8, 8, 20, 8);
        row("whole nodes alone", 24, 6, 32, 18);
    }
    void racksAreFilledAsTheyAreUsed()
    {
        QFETCH(int, domain);
        QFETCH(int, node);
        QFETCH(int, world);
        QFETCH(int, filled);
        QCOMPARE(filledDomain(domain, node, world), std::int64_t{filled});
    }

    void hostsOfARackAreOneDomain_data()
    {
        QTest::addColumn<int>("node");
        QTest::addColumn<int>("domain");
        QTest::addColumn<int>("of_host");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("all");
        const auto row = [](const char* name, int node, int domain, int of_host, int all, int ranks) {
            QTest::newRow(name) << node << domain << of_host << ranks << all;
        };
        row("full trays", 72, 72, 4, 144, 72);
        row("some of them", 72, 72, 4, 32, 32);
        row("64 of each rack", 72, 72, 4, 128, 64);
        row("one rank on each tray", 72, 72, 1, 36, 18);
        row("trays that are the nodes", 4, 72, 4, 144, 72);
        row("a host that is the rack", 72, 72, 72, 144, 72);
        row("a board", 8, 8, 8, 16, 8);
        row("half a board", 8, 8, 4, 16, 4);
    }
    void hostsOfARackAreOneDomain()
    {
        QFETCH(int, node);
        QFETCH(int, domain);
        QFETCH(int, of_host);
        QFETCH(int, ranks);
        Cluster cluster;
        cluster.gpus_per_node = node;
        cluster.scale_up_gpus = domain;
        QFETCH(int, all);
        QCOMPARE(ranksOfDomain(cluster, of_host, all), std::int64_t{ranks});
    }
};

QTEST_APPLESS_MAIN(TestScaleUpDomain)
#include "tst_scale_up_domain.moc"
