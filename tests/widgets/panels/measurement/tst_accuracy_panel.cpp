#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "widgets/panels/measurement/accuracy_panel.h"
#include "widgets/plots/curves/scatter_view.h"

#include <QCheckBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTreeWidget>

using namespace shardscope;

namespace
{

MeasuredCase measured(const char* id, const char* source, const char* gpu, double measured_s,
                      double predicted_s, double unseen_s)
{
    MeasuredCase entry;
    entry.id = id;
    entry.source = source;
    entry.reference = "Table 1";
    entry.gpu = gpu;
    entry.gpus = 8;
    entry.parameters = 2e9;
    entry.measured_s = measured_s;
    entry.predicted_s = predicted_s;
    entry.source_left_out_s = unseen_s;
    entry.scenario.name = id;
    return entry;
}

std::vector<MeasuredCase> someCases()
{
    return {measured("a", "One", "A100", 1.0, 1.1, 1.2), measured("b", "One", "H100", 2.0, 1.8, 1.6),
            measured("c", "Two", "H100", 10.0, 10.0, 15.0)};
}

} // namespace

class TestAccuracyPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void errorsStandByGroup()
    {
        AccuracyPanel panel{someCases()};
        panel.findChild<QCheckBox*>()->setChecked(false);
        auto* table = panel.findChild<QTreeWidget*>();
        QCOMPARE(table->topLevelItemCount(), 3); // all, and two sources
        QCOMPARE(table->topLevelItem(0)->text(1), "3");
        QCOMPARE(table->topLevelItem(1)->text(0), "One");
        QCOMPARE(table->topLevelItem(1)->text(2), "10.0 %"); // +10 % and -10 %
        QCOMPARE(table->topLevelItem(1)->text(3), "0.0 %");
        QCOMPARE(table->topLevelItem(2)->text(2), "0.0 %");
        choose(*panel.findChild<QComboBox*>(), 1);
        QCOMPARE(table->topLevelItem(1)->text(0), "A100");
        QCOMPARE(table->topLevelItem(2)->text(3), "−5.0 %"); // -10 % and 0
    }

    // What to expect of runs that nobody has measured comes first.
    void theUnseenSourceHasItsOwnErrors()
    {
        AccuracyPanel panel{someCases()};
        QVERIFY(panel.findChild<QCheckBox*>()->isChecked());
        auto* table = panel.findChild<QTreeWidget*>();
        QCOMPARE(table->topLevelItem(1)->text(2), "20.0 %");
        QCOMPARE(table->topLevelItem(2)->text(3), "+50.0 %");
    }

    void itSaysOfWhichModelTheErrorsAre_data()
    {
        QTest::addColumn<int>("shown");
        QTest::addColumn<bool>("is_other");
        QTest::newRow("the one on screen") << static_cast<int>(TimeModel::detailed) << false;
        QTest::newRow("not Li et al.'s, which is on screen") << static_cast<int>(TimeModel::li) << true;
    }
    void itSaysOfWhichModelTheErrorsAre()
    {
        QFETCH(int, shown);
        QFETCH(bool, is_other);
        AccuracyPanel panel{someCases()};
        panel.tellShownModel(static_cast<TimeModel>(shown));
        QString said;
        for (const QLabel* label : panel.findChildren<QLabel*>())
            said += label->text();
        QVERIFY(said.contains("<b>detailed</b> time model"));
        QCOMPARE(said.contains("Li et al."), is_other);
    }

    void aDoubleClickOpensTheCase()
    {
        AccuracyPanel panel{someCases()};
        panel.resize(1000, 600);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* view = panel.findChild<ScatterView*>();
        QPoint place{-1, -1};
        for (int y = 0; y < view->height() && place.x() < 0; ++y)
            for (int x = 0; x < view->width() && place.x() < 0; ++x)
                if (view->pointAt(QPointF(x, y)) == 2)
                    place = QPoint(x, y);
        QVERIFY(place.x() >= 0);
        QSignalSpy opened{&panel, &AccuracyPanel::opened};
        QTest::mouseDClick(view, Qt::LeftButton, {}, place);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened.front().at(1).toString(), "c");
    }

    void anEmptyListIsNoProblem()
    {
        AccuracyPanel panel{{}};
        panel.grab();
        QCOMPARE(panel.findChild<QTreeWidget*>()->topLevelItemCount(), 0);
    }
};

QTEST_MAIN(TestAccuracyPanel)
#include "tst_accuracy_panel.moc"
