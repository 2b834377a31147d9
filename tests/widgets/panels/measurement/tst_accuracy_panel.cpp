#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "widgets/panels/measurement/accuracy_panel.h"
#include "widgets/plots/curves/scatter_view.h"

#include <QCheckBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTreeWidget>

#include <algorithm>

using namespace shardscope;

namespace
{

AccuracyPoint pointOf(const char* name, const char* source, AccuracyGroup gpu, double measured,
                      double predicted, std::optional<double> unseen)
{
    AccuracyPoint point;
    point.name = name;
    point.about = {source};
    point.measured = measured;
    point.predicted = predicted;
    point.unseen = unseen;
    point.groups = {{0, source}, std::move(gpu)};
    point.scenario = Scenario{};
    return point;
}

AccuracyPage somePage()
{
    AccuracyPage page;
    page.note = "All are published.";
    page.groupings = {"Source", "GPU"};
    page.unseen = {"Unseen", "By other constants."};
    page.points = {pointOf("a", "One", {1, "A100"}, 1.0, 1.1, 1.2),
                   pointOf("b", "One", {0, "H100"}, 2.0, 1.8, 1.6),
                   pointOf("c", "Two", {0, "H100"}, 10.0, 10.0, 15.0)};
    return page;
}

// Its second point is told in part.
AccuracyPage pageToldInPart()
{
    AccuracyPage page = somePage();
    page.in_part = {"In part", "What sources leave something open of."};
    page.points = {pointOf("a", "One", {0, "H100"}, 1.0, 1.1, 1.2),
                   pointOf("b", "Two, told in part", {1, "H100, told in part"}, 2.0, 3.0, {}),
                   pointOf("c", "One", {0, "H100"}, 10.0, 10.0, 8.0)};
    page.points[1].in_part = true;
    return page;
}

QPoint placeOf(const ScatterView& view, int point)
{
    for (int y = 0; y < view.height(); ++y)
        for (int x = 0; x < view.width(); ++x)
            if (view.pointAt(QPointF(x, y)) == point)
                return {x, y};
    qFatal("point %d is nowhere", point);
}

} // namespace

class TestAccuracyPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void errorsStandByGroup()
    {
        AccuracyPanel panel{somePage()};
        panel.findChild<QCheckBox*>()->setChecked(false);
        auto* table = panel.findChild<QTreeWidget*>();
        QCOMPARE(table->topLevelItemCount(), 3); // all, and two sources
        QCOMPARE(table->topLevelItem(0)->text(1), "3");
        QCOMPARE(table->topLevelItem(1)->text(0), "One");
        QCOMPARE(table->topLevelItem(1)->text(2), "10.0 %"); // +10 % and -10 %
        QCOMPARE(table->topLevelItem(1)->text(3), "0.0 %");
        QCOMPARE(table->topLevelItem(2)->text(2), "0.0 %");
        choose(*panel.findChild<QComboBox*>(), 1);
        QCOMPARE(table->topLevelItem(1)->text(0), "H100");   // in the order of the groups, not of their names
        QCOMPARE(table->topLevelItem(1)->text(3), "−5.0 %"); // -10 % and 0
        QCOMPARE(table->topLevelItem(2)->text(0), "A100");
    }

    // The same figure as the band beside a predicted time, and a stricter one.
    void errorsThatFourOfFiveAndNineOfTenLieWithin()
    {
        AccuracyPage page = somePage();
        page.points.clear();
        for (int i = 1; i <= 10; ++i)
            page.points.push_back(pointOf("a", "One", {0, "H100"}, 1.0, 1.0 + 0.01 * i, {}));
        AccuracyPanel panel{std::move(page)};
        const auto* table = panel.findChild<QTreeWidget*>();
        QCOMPARE(table->headerItem()->text(4), "4 of 5 within");
        QCOMPARE(table->topLevelItem(0)->text(4), "8.0 %");
        QCOMPARE(table->headerItem()->text(5), "9 of 10 within");
        QCOMPARE(table->topLevelItem(0)->text(5), "9.0 %");
    }

    // What to expect of runs that nobody has measured comes first.
    void whatWasNeverSeenHasItsOwnErrors()
    {
        AccuracyPanel panel{somePage()};
        QVERIFY(panel.findChild<QCheckBox*>()->isChecked());
        auto* table = panel.findChild<QTreeWidget*>();
        QCOMPARE(table->topLevelItem(1)->text(2), "20.0 %");
        QCOMPARE(table->topLevelItem(2)->text(3), "+50.0 %");
    }

    // Constants that nothing was fitted to are such ones already.
    void aCaseThatWasNeverFittedKeepsItsPrediction()
    {
        AccuracyPage page = somePage();
        page.points[2].unseen.reset();
        AccuracyPanel panel{std::move(page)};
        QCOMPARE(panel.findChild<QTreeWidget*>()->topLevelItem(2)->text(2), "0.0 %");
    }

    void aPageOfOnePredictionHasNothingToChoose()
    {
        AccuracyPage page = somePage();
        page.unseen.reset();
        AccuracyPanel panel{std::move(page)};
        QVERIFY(panel.findChild<QCheckBox*>()->isHidden());
        QCOMPARE(panel.findChild<QTreeWidget*>()->topLevelItem(1)->text(2), "10.0 %");
    }

    void whatIsToldInPartIsCountedApart()
    {
        AccuracyPanel panel{pageToldInPart()};
        auto* table = panel.findChild<QTreeWidget*>();
        QCOMPARE(table->topLevelItemCount(), 4);
        QCOMPARE(table->topLevelItem(0)->text(0), "All told in full");
        QCOMPARE(table->topLevelItem(0)->text(1), "2");
        QCOMPARE(table->topLevelItem(0)->text(2), "20.0 %");
        QCOMPARE(table->topLevelItem(1)->text(0), "All told in part");
        QCOMPARE(table->topLevelItem(1)->text(1), "1");
        QCOMPARE(table->topLevelItem(1)->text(2), "50.0 %");
        QCOMPARE(table->topLevelItem(3)->text(0), "Two, told in part");
    }

    void whatIsToldInPartCanBeLeftOut()
    {
        AccuracyPanel panel{pageToldInPart()};
        panel.resize(1000, 600);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        controlOf<QCheckBox>(panel, "In part").setChecked(false);
        auto* table = panel.findChild<QTreeWidget*>();
        QCOMPARE(table->topLevelItemCount(), 2); // all, and one source
        QCOMPARE(table->topLevelItem(0)->text(0), "All");
        QCOMPARE(table->topLevelItem(0)->text(1), "2");
        auto* view = panel.findChild<ScatterView*>();
        QSignalSpy opened{&panel, &AccuracyPanel::opened};
        QTest::mouseDClick(view, Qt::LeftButton, {}, placeOf(*view, 1));
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.front().at(1).toString(), "c"); // the second point that is left
    }

    void aPageToldInFullHasNothingToLeaveOut()
    {
        AccuracyPanel panel{somePage()};
        const QList<QCheckBox*> boxes = panel.findChildren<QCheckBox*>();
        QCOMPARE(std::ranges::count_if(boxes, [](const QCheckBox* box) { return !box->isHidden(); }), 1);
    }

    void itSaysOfWhichModelTheErrorsAre_data()
    {
        QTest::addColumn<bool>("is_of_time_model");
        QTest::addColumn<int>("shown");
        QTest::addColumn<bool>("is_other");
        const int detailed = static_cast<int>(TimeModel::detailed);
        const int li = static_cast<int>(TimeModel::li);
        QTest::newRow("the one on screen") << true << detailed << false;
        QTest::newRow("not Li et al.'s, which is on screen") << true << li << true;
        QTest::newRow("memory, which no model of time changes") << false << li << false;
    }
    void itSaysOfWhichModelTheErrorsAre()
    {
        QFETCH(bool, is_of_time_model);
        QFETCH(int, shown);
        QFETCH(bool, is_other);
        AccuracyPage page = somePage();
        page.is_of_time_model = is_of_time_model;
        AccuracyPanel panel{std::move(page)};
        panel.tellShownModel(static_cast<TimeModel>(shown));
        QString said;
        for (const QLabel* label : panel.findChildren<QLabel*>())
            said += label->text();
        QVERIFY(said.contains("All are published."));
        QCOMPARE(said.contains("Li et al."), is_other);
    }

    void aDoubleClickOpensTheCase()
    {
        AccuracyPanel panel{somePage()};
        panel.resize(1000, 600);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* view = panel.findChild<ScatterView*>();
        QSignalSpy opened{&panel, &AccuracyPanel::opened};
        QTest::mouseDClick(view, Qt::LeftButton, {}, placeOf(*view, 2));
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.front().at(1).toString(), "c");
    }

    void aPointWithoutAScenarioGivesItsSystem()
    {
        AccuracyPage page = somePage();
        page.points[2].scenario.reset();
        page.points[2].system = "dgx-a100";
        AccuracyPanel panel{std::move(page)};
        panel.resize(1000, 600);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* view = panel.findChild<ScatterView*>();
        QSignalSpy opened{&panel, &AccuracyPanel::opened};
        QSignalSpy chosen{&panel, &AccuracyPanel::systemChosen};
        QTest::mouseDClick(view, Qt::LeftButton, {}, placeOf(*view, 2));
        QCOMPARE(opened.count(), 0);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen.front().front().toString(), "dgx-a100");
    }

    void anEmptyListIsNoProblem()
    {
        AccuracyPage page = somePage();
        page.points.clear();
        AccuracyPanel panel{std::move(page)};
        panel.grab();
        QCOMPARE(panel.findChild<QTreeWidget*>()->topLevelItemCount(), 0);
    }
};

QTEST_MAIN(TestAccuracyPanel)
#include "tst_accuracy_panel.moc"
