#include <QTest>

#include "core/collectives/link_law.h"

using namespace shardscope;

namespace
{

// Of a system whose every constant is its own.
CollectiveLaw calibrated()
{
    CollectiveLaw law;
    law.intra_efficiency = 0.11;
    law.inter_efficiency = 0.12;
    law.switch_reduce_efficiency = 0.13;
    law.switch_link_efficiency = 0.14;
    law.all_reduce_step_us = 15.0;
    law.all_reduce_doubling_us = 16.0;
    law.ring_base_us = 17.0;
    law.ring_step_us = 18.0;
    law.blend = 0.19;
    law.derate_per_doubling = 0.20;
    law.ring_adapters = 2.1;
    return law;
}

} // namespace

// Another kind of link takes its own constants along, and none of the other link's.
class TestLinkLaw : public QObject
{
    Q_OBJECT
private slots:
    void aLinkInsideTheNodeBringsAllOfItsConstants()
    {
        CollectiveLaw law = calibrated();
        takeIntraLink(law, "nvlink4");
        CollectiveLaw expected = calibrated();
        expected.intra_efficiency = 0.775;
        expected.switch_reduce_efficiency = 1.08;
        expected.switch_link_efficiency = 0.69;
        expected.all_reduce_step_us = 1.7;
        expected.ring_base_us = 5.0;
        expected.ring_step_us = 4.62;
        QVERIFY(law == expected);
    }

    void aNetworkBringsAllOfItsConstants()
    {
        CollectiveLaw law = calibrated();
        takeInterLink(law, "efa");
        CollectiveLaw expected = calibrated();
        expected.inter_efficiency = 1.0;
        expected.all_reduce_doubling_us = 175.0;
        expected.derate_per_doubling = 0.0;
        expected.ring_adapters = 0.0;
        QVERIFY(law == expected);
    }

    void onlySwitchesThatAddReduceByThemselves_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<bool>("adds");
        QTest::newRow("A100") << QByteArray{"nvlink3"} << false;
        QTest::newRow("H100") << QByteArray{"nvlink4"} << true;
        QTest::newRow("B200") << QByteArray{"nvlink5"} << true;
        QTest::newRow("PCIe") << QByteArray{"pcie5"} << false;
        QTest::newRow("a kind that nobody measured") << QByteArray{"infinity_fabric"} << false;
    }
    void onlySwitchesThatAddReduceByThemselves()
    {
        QFETCH(QByteArray, kind);
        QFETCH(bool, adds);
        CollectiveLaw law = calibrated();
        takeIntraLink(law, kind.toStdString());
        QCOMPARE(law.switch_reduce_efficiency > 0.0, adds);
    }

    void networksWithoutRdmaReachHalf()
    {
        CollectiveLaw law;
        takeInterLink(law, "tcp");
        QCOMPARE(law.inter_efficiency, 0.50);
        takeInterLink(law, "roce"); // RDMA, and not measured by itself
        QCOMPARE(law.inter_efficiency, 0.93);
    }
};

QTEST_APPLESS_MAIN(TestLinkLaw)
#include "tst_link_law.moc"
