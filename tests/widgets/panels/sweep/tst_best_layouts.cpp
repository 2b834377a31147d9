#include "tests/fail_on_warnings.h"
#include "tests/widgets/panels/predicted_table3.h"
#include "tests/widgets/panels/sweep/sweep_controls.h"
#include "tests/widgets/predicted_of.h"
#include "widgets/panels/sweep/search_hint.h"
#include "widgets/plots/bars/bar_chart.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace shardscope;

// The study of the sweep panel that searches.
class TestBestLayouts : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void theBestLayoutsAreBarsThatCanBeTaken()
    {
        SweepPanel panel;
        panel.resize(900, 320);
        const Content content = contentOfTable3();
        panel.setContent(content);
        panel.finish();
        chooseStudy(panel, "layouts");
        QVERIFY(panel.isBusy());
        panel.finish();
        const std::vector<SweepPoint>& points = panel.answer().points;
        QVERIFY(points.size() > 1);
        QCOMPARE(panel.chart().scene().bars.size(), points.size());
        QVERIFY(panel.answer().layouts.drawn > 1);
        for (std::size_t i = 1; i < panel.answer().layouts.drawn; ++i) {
            QVERIFY(points[i].time.iteration_s >= points[i - 1].time.iteration_s);
            QVERIFY(points[i].device_bytes < points[i - 1].device_bytes);
        }
        QVERIFY(points.front().time.iteration_s <= content.predicted->prediction.time.iteration_s);
        QVERIFY(panel.csv().startsWith("layout,problem,world_size,micro_batches,iteration_s"));
        QVERIFY(panel.csv().contains("(p, t, d) = ("));
        QSignalSpy wishes{&panel, &SweepPanel::scenarioWished};
        emit panel.chart().activated(0, 0);
        QCOMPARE(wishes.size(), 1);
        QVERIFY(wishes[0][0].value<Scenario>() == points.front().scenario);
    }

    // What others are compared with: a bar of its own, or one of the front.
    void theLayoutOnScreenStandsAmongThem()
    {
        SweepPanel panel;
        const Content content = contentOfTable3();
        panel.setContent(content);
        panel.finish();
        chooseStudy(panel, "layouts");
        panel.finish();
        const StudyAnswer before = panel.answer();
        QVERIFY(before.layouts.own);
        QVERIFY(!before.layouts.own->is_of_front);
        QCOMPARE(before.layouts.own->point, before.points.size() - 1);
        QVERIFY(before.points.back().scenario == content.predicted->scenario);
        QVERIFY(before.layouts.own->place > 1);
        QVERIFY(before.layouts.own->place <= before.layouts.fitting);
        QVERIFY(panel.chart().scene().bars.back().is_marked);
        QVERIFY2(panel.chart().scene().category_labels.back().text.startsWith("now "),
                 qPrintable(panel.chart().scene().category_labels.back().text));
        QVERIFY(panel.chart().scene().note.contains("; the one on screen is "));
        const QStringList rows = panel.csv().trimmed().split('\n');
        QCOMPARE(rows.size(), qsizetype(before.points.size()) + 1);
        QVERIFY(rows.front().trimmed().endsWith("following,on_screen,place_at_worst"));
        QVERIFY(rows.back().trimmed().endsWith(",true," + QString::number(before.layouts.own->place)));
        // Once the fastest is taken.
        Content taken;
        taken.predicted = predictedOf(before.points.front().scenario);
        panel.setContent(taken);
        panel.finish();
        const StudyAnswer& after = panel.answer();
        QVERIFY(after.layouts.own->is_of_front);
        QCOMPARE(after.layouts.own->point, std::size_t{0});
        QCOMPARE(after.layouts.own->place, std::int64_t{1});
        QVERIFY(panel.chart().scene().bars.front().is_marked);
        QVERIFY(panel.chart().scene().category_labels.front().text.startsWith("now "));
        QCOMPARE(after.points.size(), after.layouts.drawn);
    }

    // All degrees, those of context and experts among them, are the scenario's that a click wishes for.
    void aLayoutIsTakenWithItsContextAndExperts()
    {
        Scenario scenario = contentOfTable3().predicted->scenario;
        scenario.time_model = TimeModel::detailed;
        scenario.training.flash_attention = true;
        scenario.training.micro_batch_size = 1;
        scenario.training.global_batch_size = 4; // fewer sequences than GPUs
        scenario.model.experts.count = 8;
        Content content;
        content.predicted = predictedOf(scenario);
        SweepPanel panel;
        panel.setContent(content);
        panel.finish();
        chooseStudy(panel, "layouts");
        panel.finish();
        QVERIFY(panel.chart().scene().note.contains("Varied: p t c d ep etp b v, ZeRO stage, sequence "
                                                    "parallelism, recomputation. Kept: global batch 4"));
        const std::vector<SweepPoint>& points = panel.answer().points;
        const auto shared = std::ranges::find_if(points, [](const SweepPoint& point) {
            return point.scenario.parallel.context > 1 && point.scenario.parallel.expert > 1;
        });
        QVERIFY(shared != points.end());
        QSignalSpy wishes{&panel, &SweepPanel::scenarioWished};
        emit panel.chart().activated(static_cast<int>(shared - points.begin()), 0);
        QCOMPARE(wishes.size(), 1);
        const Scenario taken = wishes[0][0].value<Scenario>();
        QCOMPARE(taken.parallel, shared->scenario.parallel);
        QCOMPARE(taken.worldSize(), scenario.worldSize());
    }

    void aSearchCanBeStoppedAndBegunAgain()
    {
        SweepPanel panel;
        panel.setContent(contentOfTable3());
        panel.finish();
        chooseStudy(panel, "layouts");
        QVERIFY2(panel.hint().text().startsWith("Trying layouts: "), qPrintable(panel.hint().text()));
        QCOMPARE(panel.hint().button().text(), "Stop");
        panel.hint().button().click();
        QVERIFY(!panel.isBusy());
        QCOMPARE(panel.hint().text(), "The search was stopped");
        QTest::qWait(200); // neither an answer nor progress comes back
        QCOMPARE(panel.hint().text(), "The search was stopped");
        panel.hint().button().click();
        QVERIFY(panel.isBusy());
        panel.finish();
        QVERIFY(!panel.chart().scene().bars.empty());
    }
};

QTEST_MAIN(TestBestLayouts)
#include "tst_best_layouts.moc"
