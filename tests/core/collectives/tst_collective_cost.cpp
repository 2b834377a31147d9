#include <QTest>

#include "core/collectives/collective_cost.h"

using namespace shardscope;

namespace
{

// Eight GPUs a node with an adapter of 50 GB/s each; links reach all that they have.
Interconnect nodes()
{
    Interconnect links;
    links.intra = BytesPerSecond{200e9};
    links.network = BytesPerSecond{400e9};
    links.adapter = BytesPerSecond{50e9};
    links.law.intra_efficiency = 1.0;
    links.law.inter_efficiency = 1.0;
    links.law.ring_base_us = 0.0;
    links.law.ring_step_us = 1.0;
    return links;
}

constexpr Bytes message{64e6};

} // namespace

class TestCollectiveCost : public QObject
{
    Q_OBJECT
private slots:
    // 16 ranks on two nodes hand over 64 MB each; a half of it is for the other node.
    void allToAllSendsWhatIsForOtherNodesByItsAdapter()
    {
        const CollectiveCost cost = collectiveCost(Op::all_to_all, message, {16, 8, 1}, nodes());
        QCOMPARE(cost.networkTime().value(), 8 * 32e6 / 400e9);
        QCOMPARE(cost.insideTime().value(), 64e6 * 7 / 16 / 200e9);
        QCOMPARE(cost.latency.total().value(), 15e-6);
    }

    // Three quarters as many rows cross as are handed over; inside its node a rank hands on what it receives.
    void forwardedRowsCrossOnceAndPassTheLinksInside()
    {
        Communicator group{16, 8, 1};
        group.forwarded = 0.75;
        const CollectiveCost cost = collectiveCost(Op::all_to_all, message, group, nodes());
        QCOMPARE(cost.networkTime().value(), 8 * 64e6 * 0.75 / 2 / 400e9);
        QCOMPARE(cost.insideTime().value(), 64e6 * 7 / 8 / 200e9);
        QCOMPARE(cost.latency.total().value(), 8e-6);
        group = {8, 8, 1};
        group.forwarded = 0.75;
        QCOMPARE(collectiveCost(Op::all_to_all, message, group, nodes()).insideTime().value(),
                 64e6 * 7 / 8 / 200e9);
    }

    void whatRingsLoseOnManyNodesAllToAllDoesNot()
    {
        Interconnect losing = nodes();
        losing.law.derate_per_doubling = 1.5;
        const auto network = [](Op op, const Interconnect& links) {
            return collectiveCost(op, message, {32, 8, 1}, links).networkTime().value();
        };
        QCOMPARE(network(Op::all_gather, losing), 4.0 * network(Op::all_gather, nodes()));
        QCOMPARE(network(Op::all_to_all, losing), network(Op::all_to_all, nodes()));
    }
};

QTEST_APPLESS_MAIN(TestCollectiveCost)
#include "tst_collective_cost.moc"
