#include <QTest>

#include "widgets/panels/measurement/accuracy_pages.h"

using namespace shardscope;

namespace
{

PublishedCase runOf(const char* id, int gpus = 8, double parameters = 2e9)
{
    PublishedCase run;
    run.id = id;
    run.source = "Somebody";
    run.reference = "Table 1";
    run.gpu = "A100";
    run.gpus = gpus;
    run.parameters = parameters;
    return run;
}

// What a page calls the point's group under a grouping.
QString groupOf(const AccuracyPage& page, int point, const QString& grouping)
{
    const AccuracyPoint& of = page.points.at(static_cast<std::size_t>(point));
    return of.groups.at(static_cast<std::size_t>(page.groupings.indexOf(grouping))).name;
}

} // namespace

class TestAccuracyPages : public QObject
{
    Q_OBJECT
private slots:
    void everyPointHasAGroupOfEachSort()
    {
        MeasuredMessage message;
        message.measured_s = 1e-3;
        for (const AccuracyPage& page :
             {stepsPage({{runOf("a"), 1.0, 1.1, {}, true}}), schedulesPage({{runOf("a"), 1.2, 1.3}}),
              memoryPage({{runOf("a"), 1e9, 1e9, true}}, {}), messagesPage({message}, Presets{})}) {
            QCOMPARE(page.points.size(), 1U);
            QCOMPARE(static_cast<qsizetype>(page.points.front().groups.size()), page.groupings.size());
            QVERIFY(!page.title.isEmpty() && !page.note.isEmpty() && !page.hint.isEmpty());
        }
    }

    void stepsTellWhetherTheyWereFitted()
    {
        MeasuredStep with_experts{runOf("c"), 3.0, 3.1, {}, true};
        with_experts.run.scenario.model.experts.count = 8;
        const AccuracyPage page = stepsPage(
            {{runOf("a"), 1.0, 1.1, 1.2, true}, {runOf("b", 1024), 2.0, 2.1, {}, true}, with_experts});
        QCOMPARE(groupOf(page, 0, "Kind"), "Dense, fitted");
        QCOMPARE(groupOf(page, 1, "Kind"), "Dense, never fitted");
        QCOMPARE(groupOf(page, 2, "Kind"), "With experts, never fitted");
        QCOMPARE(groupOf(page, 1, "Number of GPUs"), "more than 512 GPUs");
        QCOMPARE(page.points[0].unseen, std::optional{1.2});
        QVERIFY(!page.points[0].about.join(" ").contains("never fitted"));
        QVERIFY(!page.points[1].unseen);
        QVERIFY(page.points[1].about.join(" ").contains("never fitted"));
        QVERIFY(page.points[2].scenario && page.points[2].scenario->model.experts.count == 8);
    }

    void stepsToldInPartHaveGroupsOfTheirOwnAndSayWhatIsOpen()
    {
        MeasuredStep in_part{runOf("b"), 2.0, 2.1, {}, true, {"recomputation", "micro-batch"}};
        const AccuracyPage page = stepsPage({{runOf("a"), 1.0, 1.1, 1.2, true}, in_part});
        QVERIFY(page.in_part && !page.points[0].in_part && page.points[1].in_part);
        QCOMPARE(groupOf(page, 1, "Kind"), "Told in part, never fitted");
        for (const QString& grouping : page.groupings)
            QVERIFY2(groupOf(page, 0, grouping) != groupOf(page, 1, grouping), qPrintable(grouping));
        QCOMPARE(groupOf(page, 1, "GPU"), "A100, told in part");
        QVERIFY(page.points[0].groups.front() < page.points[1].groups.front());
        QVERIFY(page.points[1].about.contains("left open by its source: recomputation, micro-batch"));
        QVERIFY(!page.points[0].about.join(" ").contains("left open"));
    }

    void schedulesStandByWhatTellsThemApart()
    {
        MeasuredSchedule schedule{runOf("a", 8, 1.517e9), 1.2, 1.3};
        schedule.run.scenario.parallel.schedule = Schedule::zb_h1;
        schedule.run.scenario.parallel.pipeline = 8;
        const AccuracyPage page = schedulesPage({schedule});
        QCOMPARE(groupOf(page, 0, "Schedule"), "zb-h1");
        QCOMPARE(groupOf(page, 0, "Model"), "1.5 billion parameters");
        QCOMPARE(groupOf(page, 0, "Stages"), "8 stages");
        QVERIFY(page.is_of_time_model);
    }

    // A run that went out of memory has no peak to compare, but counts.
    void memoryTellsWhichRunsAreSaidToFit()
    {
        const AccuracyPage page = memoryPage(
            {{runOf("a"), 40e9, 41e9, true}, {runOf("b"), {}, 90e9, false}, {runOf("c"), {}, 70e9, true}},
            {{runOf("d"), 1.0, 1.0, {}, true}, {runOf("e"), 1.0, 1.0, {}, false}});
        QCOMPARE(page.points.size(), 1U);
        QVERIFY2(page.note.contains("Of 2 published steps that ran, <b>1</b> are said to fit"),
                 qPrintable(page.note));
        QVERIFY2(page.note.contains("of 2 runs that went out of it, <b>1</b> are said not to"),
                 qPrintable(page.note));
    }

    void messagesStandBySize_data()
    {
        QTest::addColumn<qint64>("mebibytes");
        QTest::addColumn<QString>("group");
        QTest::newRow("small") << qint64{15} << "below 16 MiB";
        QTest::newRow("the first of the middle") << qint64{16} << "16 to 64 MiB";
        QTest::newRow("large") << qint64{64} << "64 MiB and more";
    }
    void messagesStandBySize()
    {
        QFETCH(qint64, mebibytes);
        QFETCH(QString, group);
        MeasuredMessage message;
        message.system = "dgx-a100";
        message.message_bytes = mebibytes << 20;
        message.other_links_s = 2e-3;
        const AccuracyPage page = messagesPage({message}, Presets{});
        QCOMPARE(groupOf(page, 0, "Size of the message"), group);
        QCOMPARE(page.points.front().system, "dgx-a100");
        QVERIFY(!page.points.front().scenario);
        QCOMPARE(page.points.front().unseen, std::optional{2e-3});
    }
};

QTEST_APPLESS_MAIN(TestAccuracyPages)
#include "tst_accuracy_pages.moc"
