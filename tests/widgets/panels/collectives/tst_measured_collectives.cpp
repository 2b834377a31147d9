#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/collectives/measured_tables.h"
#include "widgets/panels/collectives/collective_panel.h"
#include "widgets/panels/collectives/fit_bar.h"
#include "widgets/plots/curves/curve_view.h"

#include "core/import/importer.h"
#include "core/prediction/time/collective_prediction.h"
#include "core/trace/trace_builder.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace shardscope;

namespace
{

// Of `count` sizes, as many times as long as the scenario's cluster takes; the first one as many more.
Content measured(int ranks, int count, double times, double first = 1.0)
{
    Content content = contentOf(false);
    auto run = std::make_shared<MeasuredRun>();
    TraceFile file;
    file.path = "table.txt";
    file.store = TraceBuilder().finish();
    run->traces.files.push_back(file);
    std::int64_t bytes = 1 << 20;
    for (int i = 0; i < count; ++i, bytes *= 4) {
        const CollectiveQuestion question{Op::all_reduce, ranks, std::min(ranks, 8), {bytes}};
        BandwidthPoint point{"all_reduce", "float", bytes};
        point.time_s = times * (i == 0 ? first : 1.0)
                       * predictCollective(content.predicted->scenario.cluster, question).time_s.front();
        point.busbw_GBps = 1.0;
        point.ranks = ranks;
        point.per_node = question.per_node;
        run->measurement.points.push_back(point);
    }
    content.measured = run;
    return content;
}

Content withCluster(const Content& content, const Cluster& cluster)
{
    Content changed = content;
    auto predicted = std::make_shared<PredictedScenario>(*content.predicted);
    predicted->scenario.cluster = cluster;
    changed.predicted = predicted;
    return changed;
}

void fit(const CollectivePanel& panel)
{
    for (QToolButton* button : panel.findChildren<QToolButton*>())
        if (button->text() == "fit")
            button->click();
}

} // namespace

// What the explorer of collectives shows of calls that were measured.
class TestMeasuredCollectives : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void whatWasMeasuredIsChosenWhenARunIsOpened_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("label");
        QTest::newRow("of whole nodes") << 32 << "4 nodes";
        QTest::newRow("of a group of the scenario: it stays") << 4 << "tp";
        QTest::newRow("of a group that nothing else is like") << 24 << "24 ranks";
    }
    void whatWasMeasuredIsChosenWhenARunIsOpened()
    {
        QFETCH(int, ranks);
        QFETCH(QString, label);
        CollectivePanel panel;
        panel.setContent(contentOf(false));
        panel.show(Op::all_gather, "tp");
        panel.setContent(measured(ranks, 3, 1.1));
        const CurveScene& scene = panel.view().scene();
        QCOMPARE(scene.lines.back().label, label);
        QCOMPARE(scene.marks.size(), std::size_t{3});
        QVERIFY(scene.note.isEmpty());
        QVERIFY(panel.csv().contains("measured,all_reduce,"));
    }

    void aChoiceWithMeasuredPointsStays()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(false));
        panel.show(Op::all_reduce, "2 nodes");
        Content content = measured(16, 2, 1.1);
        auto run = std::make_shared<MeasuredRun>(*content.measured);
        const Content four_nodes = measured(32, 4, 1.1);
        for (const BandwidthPoint& point : four_nodes.measured->measurement.points) {
            run->measurement.points.push_back(point);
            run->measurement.points.back().table = 1;
        }
        content.measured = run;
        panel.setContent(content);
        QCOMPARE(panel.view().scene().lines.back().label, QString{"2 nodes"});
        QCOMPARE(panel.view().scene().marks.size(), std::size_t{2});
        // Of the two tables that of four nodes has more.
        panel.setContent(contentOf(false));
        panel.show(Op::all_reduce, "tp");
        panel.setContent(content);
        QCOMPARE(panel.view().scene().lines.back().label, QString{"4 nodes"});
    }

    void whatIsChosenAfterwardsStays()
    {
        CollectivePanel panel;
        const Content content = measured(32, 3, 1.1);
        panel.setContent(content);
        panel.show(Op::all_gather, "tp");
        Content again = content; // analysed anew
        again.measured = std::make_shared<MeasuredRun>(*content.measured);
        panel.setContent(again);
        QCOMPARE(panel.view().scene().lines.back().label, QString{"tp"});
        QVERIFY(panel.view().scene().note.startsWith("No timed all_gather of such a group"));
    }

    // nccl-tests begin at 8 bytes. So small a message has no bandwidth that is drawn.
    void timesOfSmallMessagesAreInSight()
    {
        CollectivePanel panel;
        Content content = measured(8, 4, 1.1);
        const auto run = std::make_shared<MeasuredRun>(*content.measured);
        run->measurement.points.front().bytes = 8;
        content.measured = run;
        panel.setContent(content);
        QVERIFY(panel.view().scene().x_low > 8.0);
        panel.setUp(CollectivePanel::Up::time);
        QCOMPARE(panel.view().scene().x_low, 8.0);
    }

    void aMeasuredPointSaysItsTimeFirst()
    {
        CollectivePanel panel;
        panel.setContent(contentOf(true));
        const QString tip = panel.tipAt(double(1 << 30));
        QVERIFY2(tip.startsWith("<p><b>Measured: all_reduce of 1 GiB, 8 ranks: 8.204 ms, algbw 130.9 GB/s, "
                                "busbw 229 GB/s</b>"),
                 qPrintable(tip));
        QVERIFY2(tip.contains("The curve: 8.286 ms, 1.0 % more than measured"), qPrintable(tip));
        QVERIFY2(tip.count("<p>") == 3 && !tip.contains("T = "), qPrintable(tip));
        // Beside the points the law is explained.
        QVERIFY(panel.tipAt(1.1 * (1 << 30)).contains("T = "));
        const QSignalSpy told{&panel, &CollectivePanel::statusWished};
        emit const_cast<CurveView&>(panel.view()).hovered(double(1 << 30));
        QVERIFY(told.last()[0].toString().startsWith("Measured: all_reduce of 1 GiB"));
    }

    void aTrustedFitIsTakenAndSaysHowToUndoIt()
    {
        CollectivePanel panel;
        const Content before = measured(8, 6, 1.3);
        panel.setContent(before);
        const auto* bar = panel.findChild<FitBar*>();
        const QSignalSpy wishes{&panel, &PicturePanel::scenarioWished};
        fit(panel);
        QTRY_COMPARE(wishes.size(), 1);
        QVERIFY(bar->isHidden()); // the window may refuse it
        const Content after = withCluster(before, wishes[0][0].value<Scenario>().cluster);
        panel.setContent(after);
        QVERIFY(!bar->isHidden() && !bar->isAsking());
        QVERIFY2(bar->text().contains("Edit > Undo") && bar->text().contains("Mean error"),
                 qPrintable(bar->text()));
        panel.setContent(after);
        QVERIFY(!bar->isHidden());
        panel.setContent(before); // undone
        QVERIFY(bar->isHidden());
    }

    void aDoubtfulFitIsAskedAbout_data()
    {
        QTest::addColumn<double>("times");
        QTest::addColumn<double>("first");
        QTest::addColumn<QString>("why");
        QTest::newRow("nothing explains the times") << 1e6 << 1.0 << "No constants explain the times";
        QTest::newRow("it is worse on what it did not see")
            << 1.0 << 0.3 << "worse than the constants before it";
    }
    void aDoubtfulFitIsAskedAbout()
    {
        QFETCH(double, times);
        QFETCH(double, first);
        QFETCH(QString, why);
        CollectivePanel panel;
        const Content before = measured(8, 4, times, first);
        panel.setContent(before);
        const auto* bar = panel.findChild<FitBar*>();
        const QSignalSpy wishes{&panel, &PicturePanel::scenarioWished};
        fit(panel);
        QTRY_VERIFY(!bar->isHidden());
        QVERIFY(bar->isAsking());
        QVERIFY2(bar->text().startsWith("Not taken. ") && bar->text().contains(why), qPrintable(bar->text()));
        QCOMPARE(wishes.size(), 0);
        bar->findChild<QPushButton*>()->click();
        QCOMPARE(wishes.size(), 1);
        panel.setContent(withCluster(before, wishes[0][0].value<Scenario>().cluster));
        QVERIFY(!bar->isHidden() && !bar->isAsking());
        QVERIFY(bar->text().contains(why));
    }

    void aFitIsNotOfferedForOtherConstantsOrAnotherRun_data()
    {
        QTest::addColumn<bool>("is_other_run");
        QTest::newRow("other constants") << false;
        QTest::newRow("another run") << true;
    }
    void aFitIsNotOfferedForOtherConstantsOrAnotherRun()
    {
        QFETCH(bool, is_other_run);
        CollectivePanel panel;
        const Content before = measured(8, 4, 1e6);
        panel.setContent(before);
        const auto* bar = panel.findChild<FitBar*>();
        fit(panel);
        QTRY_VERIFY(!bar->isHidden());
        panel.setContent(before);
        QVERIFY(!bar->isHidden());
        Cluster other = before.predicted->scenario.cluster;
        other.collectives.intra_efficiency *= 0.9;
        panel.setContent(is_other_run ? measured(8, 4, 1e6) : withCluster(before, other));
        QVERIFY(bar->isHidden());
    }
};

QTEST_MAIN(TestMeasuredCollectives)
#include "tst_measured_collectives.moc"
