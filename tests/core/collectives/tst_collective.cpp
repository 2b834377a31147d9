#include <QTest>

#include "core/collectives/collective.h"
#include "core/collectives/collective_time.h"

using namespace shardscope;

Q_DECLARE_METATYPE(shardscope::Op)

// The words for messages, and what a call puts on the wire.
class TestCollective : public QObject
{
    Q_OBJECT
private slots:
    // 1,200 bytes over four ranks.
    void aRankSendsItsPartOfTheRing_data()
    {
        QTest::addColumn<Op>("op");
        QTest::addColumn<double>("sent_bytes");
        QTest::addColumn<double>("bus_factor");
        QTest::newRow("all_reduce scatters and gathers") << Op::all_reduce << 1800.0 << 1.5;
        QTest::newRow("all_gather sends all parts but one") << Op::all_gather << 900.0 << 0.75;
        QTest::newRow("reduce_scatter") << Op::reduce_scatter << 900.0 << 0.75;
        QTest::newRow("all_to_all keeps the own part") << Op::all_to_all << 900.0 << 0.75;
        QTest::newRow("a broadcast's chain hands it on") << Op::broadcast << 1200.0 << 1.0;
        QTest::newRow("reduce") << Op::reduce << 1200.0 << 1.0;
        QTest::newRow("send") << Op::send << 1200.0 << 1.0;
        QTest::newRow("who receives sends nothing") << Op::recv << 0.0 << 1.0;
        QTest::newRow("a barrier has no message") << Op::barrier << 0.0 << 1.0;
        QTest::newRow("gather is not predicted") << Op::gather << 0.0 << 1.0;
        QTest::newRow("scatter is not predicted") << Op::scatter << 0.0 << 1.0;
    }
    void aRankSendsItsPartOfTheRing()
    {
        QFETCH(Op, op);
        QFETCH(double, sent_bytes);
        QFETCH(double, bus_factor);
        QCOMPARE(wireBytes(op, 4, 1200), sent_bytes);
        QCOMPARE(busBandwidthGBps(op, 4, Bytes{1e9}, Seconds{1.0}), bus_factor);
    }

    void aGroupOfOneSendsNothing()
    {
        for (int op = 0; op < op_count; ++op) {
            QCOMPARE(wireBytes(static_cast<Op>(op), 1, 1200), 0.0);
            QCOMPARE(busBandwidthGBps(static_cast<Op>(op), 1, Bytes{1e9}, Seconds{1.0}), 0.0);
        }
    }

    void aTimeOfZeroTellsNoBandwidth()
    {
        QCOMPARE(busBandwidthGBps(Op::all_reduce, 4, Bytes{1e9}, Seconds{0.0}), 0.0);
    }

    void everyWordIsReadAsWhatItIsWrittenFor()
    {
        for (int op = 0; op < op_count; ++op)
            QCOMPARE(opFromWord(word(static_cast<Op>(op))), static_cast<Op>(op));
        for (int kind = 0; kind < kind_count; ++kind)
            QCOMPARE(kindFromWord(word(static_cast<Kind>(kind))), static_cast<Kind>(kind));
        QVERIFY(!opFromWord("allreduce") && !kindFromWord("TP"));
    }

    void elementsHaveTheirSizes()
    {
        QCOMPARE(bytesPerElement(Dtype::fp32), 4);
        QCOMPARE(bytesPerElement(Dtype::fp16), 2);
        QCOMPARE(bytesPerElement(Dtype::bf16), 2);
        QCOMPARE(bytesPerElement(Dtype::fp8), 1);
        QCOMPARE(bytesPerElement(Dtype::int64), 8);
    }
};

QTEST_APPLESS_MAIN(TestCollective)
#include "tst_collective.moc"
