#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/prediction/predict.h"
#include "core/report/link_report.h"

#include <cmath>

using namespace shardscope;

namespace
{

// (p, t, d) = (2, 2, 2) on nodes of four GPUs: pairs of tensor ranks and of replicas inside nodes, pipelines
// between them. Inside 100 GB/s each, 50 between nodes.
Scenario onTwoNodes()
{
    Scenario scenario;
    scenario.parallel.pipeline = 2;
    scenario.parallel.tensor = 2;
    scenario.parallel.data = 2;
    scenario.cluster.gpus_per_node = 4;
    scenario.cluster.node_wiring = NodeWiring::switched;
    scenario.cluster.intra_node = {"nvlink3", 100.0, 6.0, BandwidthOf::gpu};
    scenario.cluster.inter_node = {"infiniband", 50.0, 30.0, BandwidthOf::gpu};
    scenario.cluster.collectives.switch_reduce_efficiency = 0.0;
    return scenario;
}

std::vector<LinkUse> usesOf(const Scenario& scenario)
{
    const TrafficFamilies families{TrafficMatrix{scenario, predict(scenario).value()}};
    return linkUses(busiestLinks(families, nodeShape(scenario)), scenario.cluster);
}

QJsonValue jsonLinksOf(const Scenario& scenario)
{
    JsonWriter json{-1};
    json.beginObject();
    writeLinks(scenario, predict(scenario).value(), json);
    json.endObject();
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(json.take()));
    return document.object()["links"];
}

bool areClose(double a, double b)
{
    return std::fabs(a - b) <= 1e-9 * std::fabs(b);
}

} // namespace

class TestLinkReport : public QObject
{
    Q_OBJECT
private slots:
    void aLinkIsBusyForItsBytesAtItsRate()
    {
        const std::vector<LinkUse> uses = usesOf(onTwoNodes());
        QCOMPARE(uses.size(), std::size_t{2});
        QVERIFY(!uses[0].is_inside && uses[1].is_inside);
        QCOMPARE(uses[0].GBps, 50.0);
        QCOMPARE(uses[1].GBps, 100.0);
        for (const LinkUse& use : uses) {
            QVERIFY(use.bytes > 0.0);
            QVERIFY(areClose(use.busy_s(), use.bytes / (use.GBps * 1e9)));
        }
    }

    // Of a node each: what leaves the node leaves its pod, at a fifth of the node's rate.
    void aPodHasAWayToOthers()
    {
        Scenario scenario = onTwoNodes();
        scenario.cluster.nodes_per_pod = 1;
        scenario.cluster.oversubscription = 5.0;
        const std::vector<LinkUse> uses = usesOf(scenario);
        QCOMPARE(uses.size(), std::size_t{3});
        QVERIFY(uses[2].is_between_pods);
        QVERIFY(areClose(uses[2].GBps, 40.0));
        QVERIFY(uses[2].bytes >= uses[0].bytes);
        QCOMPARE(QString::fromStdString(linkName(uses[2], scenario)), QString{"pod 0, to and from others"});
        scenario.cluster.nodes_per_pod = 2; // all in one
        QCOMPARE(usesOf(scenario).size(), std::size_t{2});
    }

    void theRateIsOfAllThatTheLinkIs_data()
    {
        QTest::addColumn<BandwidthOf>("owner");
        QTest::addColumn<int>("nics");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("GBps");
        QTest::addColumn<QString>("name");
        QTest::newRow("each GPU's") << BandwidthOf::gpu << 0 << 1 << 50.0 << "NIC of GPU ";
        QTest::newRow("each GPU's by shared NICs") << BandwidthOf::gpu << 2 << 4 << 200.0 << "NICs of node ";
        QTest::newRow("each node's") << BandwidthOf::node << 0 << 4 << 50.0 << "NIC of node ";
        QTest::newRow("each of two NICs'") << BandwidthOf::nic << 2 << 4 << 100.0 << "NICs of node ";
        QTest::newRow("each of four NICs'") << BandwidthOf::nic << 4 << 1 << 50.0 << "NIC of GPU ";
        QTest::newRow("each of eight NICs'") << BandwidthOf::nic << 8 << 1 << 100.0 << "NICs of GPU ";
    }
    void theRateIsOfAllThatTheLinkIs()
    {
        QFETCH(int, nics);
        QFETCH(BandwidthOf, owner);
        Scenario scenario = onTwoNodes();
        scenario.cluster.inter_node.bandwidth_of = owner;
        scenario.cluster.nics_per_node = nics;
        const LinkUse use = usesOf(scenario).front();
        QTEST(static_cast<int>(use.ranks), "ranks");
        QTEST(use.GBps, "GBps");
        QFETCH(QString, name);
        QVERIFY(QString::fromStdString(linkName(use, scenario)).startsWith(name));
    }

    // One of 100 Gb/s is the slowest that there is: GPUs with less do not have one each.
    void slowGpusShareANic()
    {
        Scenario scenario = onTwoNodes();
        scenario.cluster.inter_node.bandwidth_GBps = 5.0;
        QCOMPARE(usesOf(scenario).front().GBps, 20.0);
        QCOMPARE(QString::fromStdString(linkName(usesOf(scenario).front(), scenario)),
                 QString{"NIC of node 0"});
    }

    // Of four GPUs joined each to each, a link is a third of what one GPU has. The last stage sends more.
    void ofAMeshALinkJoinsTwo()
    {
        Scenario scenario = onTwoNodes();
        const LinkUse switched = usesOf(scenario).back();
        scenario.cluster.node_wiring = NodeWiring::mesh;
        const LinkUse of_pair = usesOf(scenario).back();
        QVERIFY(areClose(of_pair.GBps, 100.0 / 3.0));
        QVERIFY(of_pair.bytes > 0.0 && of_pair.bytes <= switched.bytes);
        QCOMPARE(QString::fromStdString(linkName(of_pair, scenario)), QString{"GPU 4 to GPU 5"});
        QVERIFY(directionWord(of_pair).empty());
    }

    // All that uses a link waits for its bytes, by the rates that the times come from.
    void noLinkIsLongerBusyThanTheIteration()
    {
        for (const TimeModel model : {TimeModel::li, TimeModel::detailed}) {
            Scenario scenario = onTwoNodes();
            scenario.time_model = model;
            const Prediction prediction = predict(scenario).value();
            for (const LinkUse& use : usesOf(scenario))
                QVERIFY(use.busy_s() < prediction.time.iteration_s);
        }
    }

    void ratesStayReadable()
    {
        QCOMPARE(QString::fromStdString(rateText(12.5)), QString{"12.5 GB/s"});
        QCOMPARE(QString::fromStdString(rateText(21943.0)), QString{"21.94 TB/s"});
    }

    void theTableHasBytesRateTimeAndShare()
    {
        const Scenario scenario = onTwoNodes();
        const Prediction prediction = predict(scenario).value();
        const QString text = QString::fromStdString(linksText(scenario, prediction));
        for (const LinkUse& use : usesOf(scenario)) {
            QVERIFY(text.contains(QString::fromStdString(formatBytes(use.bytes))));
            QVERIFY(text.contains(QString::fromStdString(formatSeconds(use.busy_s()))));
            QVERIFY(text.contains(
                QString::fromStdString(formatRatio(use.busy_s() / prediction.time.iteration_s))));
        }
        QVERIFY2(text.contains("50 GB/s") && text.contains("100 GB/s"), qPrintable(text));
        QVERIFY2(text.contains("busy at least"), qPrintable(text));
        QVERIFY2(!text.contains("rings"), qPrintable(text));
    }

    void programsGetTheLinksOfTheTable_data()
    {
        QTest::addColumn<NodeWiring>("wiring");
        QTest::addColumn<int>("nodes_per_pod");
        QTest::addColumn<QStringList>("links");
        QTest::newRow("a switch") << NodeWiring::switched << 0 << QStringList{"nic", "intra_node"};
        QTest::newRow("a mesh") << NodeWiring::mesh << 0 << QStringList{"nic", "intra_node"};
        QTest::newRow("pods") << NodeWiring::switched << 1 << QStringList{"nic", "intra_node", "pod"};
    }
    void programsGetTheLinksOfTheTable()
    {
        QFETCH(NodeWiring, wiring);
        Scenario scenario = onTwoNodes();
        scenario.cluster.node_wiring = wiring;
        QFETCH(int, nodes_per_pod);
        scenario.cluster.nodes_per_pod = nodes_per_pod;
        const std::vector<LinkUse> uses = usesOf(scenario);
        const QJsonArray links = jsonLinksOf(scenario).toArray();
        const double iteration_s = predict(scenario).value().time.iteration_s;
        QCOMPARE(static_cast<std::size_t>(links.size()), uses.size());
        QStringList words;
        for (std::size_t i = 0; i < uses.size(); ++i) {
            const QJsonObject link = links[static_cast<int>(i)].toObject();
            words << link["link"].toString();
            QCOMPARE(link["name"].toString().toStdString(), linkName(uses[i], scenario));
            QCOMPARE(link["rank"].toInt(), static_cast<int>(uses[i].first_rank));
            QCOMPARE(link["node"].toInt(), static_cast<int>(uses[i].first_rank / 4));
            QCOMPARE(link["peer"].toInt(-1), static_cast<int>(uses[i].peer));
            QCOMPARE(link["direction"].toString(), QString{uses[i].is_received ? "received" : "sent"});
            QVERIFY(areClose(link["bytes"].toDouble(), std::round(uses[i].bytes)));
            QVERIFY(areClose(link["bandwidth_GBps"].toDouble(), uses[i].GBps));
            QVERIFY(areClose(link["busy_s"].toDouble(), uses[i].busy_s()));
            QVERIFY(areClose(link["share_of_iteration"].toDouble(), uses[i].busy_s() / iteration_s));
        }
        QTEST(words, "links");
    }

    void whereSwitchesMayAddUpTheTableSaysSo()
    {
        using Change = void (*)(Cluster&);
        for (const Change change :
             {Change{[](Cluster& c) { c.in_network_reduction = true; }},
              Change{[](Cluster& c) { c.few_node_trees = true; }},
              Change{[](Cluster& c) { c.collectives.switch_reduce_efficiency = 1.0; }}}) {
            Scenario scenario = onTwoNodes();
            change(scenario.cluster);
            QVERIFY(linksText(scenario, predict(scenario).value()).find("rings") != std::string::npos);
        }
    }

    // FSDP on eight nodes: a NIC has its eighth of what leaves a node.
    void theNicsOfANodeShareWhatItsReplicasSend()
    {
        Scenario scenario = onTwoNodes();
        scenario.parallel = {};
        scenario.parallel.data = 64;
        scenario.parallel.zero_stage = 3;
        scenario.conventions.zero3_by_tensor = false;
        scenario.training.global_batch_size = 64 * scenario.training.micro_batch_size;
        scenario.cluster.gpus_per_node = 8;
        const Prediction prediction = predict(scenario).value();
        double sent = 0.0;
        for (const Message& message : prediction.stages[0].messages)
            sent += message.wire_bytes;
        const LinkUse nic = usesOf(scenario).front();
        QVERIFY(!nic.is_inside && nic.bytes > 0.0);
        QVERIFY(nic.bytes < 1.01 * sent / 8.0);
    }

    // A link that several messages at a time would have to themselves: the table says what to think of it.
    void whatIsBusyForLongerThanTheIterationIsExplained()
    {
        const Scenario scenario = onTwoNodes();
        const std::vector<LinkUse> uses = usesOf(scenario);
        QVERIFY(crowdedRemark(uses, scenario, 2.0 * uses[0].busy_s() + uses[1].busy_s()).empty());
        QVERIFY(crowdedRemark(uses, scenario, 0.5 * uses[0].busy_s()).find("at the same time")
                != std::string::npos);
        QVERIFY(crowdedRemark(uses, scenario, 0.0).empty());
    }

    void oneGpuHasNoLinks()
    {
        Scenario scenario;
        scenario.training.global_batch_size = scenario.training.micro_batch_size;
        QVERIFY(linksText(scenario, predict(scenario).value()).empty());
        QVERIFY(jsonLinksOf(scenario).isArray() && jsonLinksOf(scenario).toArray().isEmpty());
    }

    void whereTooManyPairsAreToBeAddedUpTheTableIsLeftOut()
    {
        Scenario scenario;
        scenario.model.experts.count = 256;
        scenario.model.experts.skew = 0.5;
        scenario.parallel.data = 256;
        scenario.parallel.expert = 256;
        scenario.training.global_batch_size = 256 * scenario.training.micro_batch_size;
        const auto prediction = predict(scenario);
        QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
        QVERIFY(linksText(scenario, prediction.value()).find("left out") != std::string::npos);
        QVERIFY(jsonLinksOf(scenario).isNull());
    }
};

QTEST_APPLESS_MAIN(TestLinkReport)
#include "tst_link_report.moc"
