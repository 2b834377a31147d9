#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "tests/widgets/panels/timeline/small_runs.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/timeline/timeline_panel.h"

#include <QSignalSpy>
#include <QTest>

using namespace shardscope;

namespace
{

Content twoRuns()
{
    Content content;
    content.measured = tenKernels();
    content.pinned_run = tenKernels();
    return content;
}

} // namespace

// Of two measured runs that are compared one is shown at a time, at the same moments.
class TestPinnedRun : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void thereIsAChoiceWhereTwoRunsAreCompared()
    {
        TimelinePanel panel;
        const auto& button = controlOf<SegmentButton>(panel, "pinned run");
        QVERIFY(button.isHidden());
        Content content = twoRuns();
        panel.setContent(content);
        QVERIFY(!button.isHidden());
        content.pinned_run = content.measured; // right after pinning
        panel.setContent(content);
        QVERIFY(button.isHidden());
    }

    void theOtherRunTakesThePlaceOfTheOneThatIsOpen()
    {
        const Content content = twoRuns();
        TimelinePanel panel;
        panel.resize(800, 400);
        panel.setContent(content);
        auto& button = controlOf<SegmentButton>(panel, "pinned run");
        const TimeRange stretch{2'000'000, 3'000'000};
        panel.view().setRange(stretch);
        panel.view().selectRange(TimeRange{2'000'000, 1'000'000});
        QSignalSpy selected{&panel.view(), &TimelineView::rangeSelected};
        button.setChecked(true);
        QCOMPARE(panel.view().scene().measured->run, content.pinned_run);
        QCOMPARE(panel.view().scene().measured_title, QStringLiteral("Pinned run"));
        QCOMPARE(panel.view().range(), stretch);
        QVERIFY(panel.view().selectedRange());
        QVERIFY(!selected.isEmpty()); // what is summed up is the other run's
        button.setChecked(false);
        QCOMPARE(panel.view().scene().measured->run, content.measured);
        QCOMPARE(panel.view().scene().measured_title, QStringLiteral("Measured"));
        QCOMPARE(panel.view().range(), stretch);
    }

    void aRunThatIsOpenedIsShownFromItsBegin()
    {
        Content content = twoRuns();
        TimelinePanel panel;
        panel.resize(800, 400);
        panel.setContent(content);
        const TimeRange all = panel.view().range();
        auto& button = controlOf<SegmentButton>(panel, "pinned run");
        button.setChecked(true);
        panel.view().setRange({2'000'000, 3'000'000});
        auto other = std::make_shared<MeasuredRun>(*tenKernels());
        other->traces.files.front().path = "elsewhere.json";
        content.measured = other;
        panel.setContent(content);
        QVERIFY(!button.isChecked());
        QCOMPARE(panel.view().scene().measured->run, content.measured);
        QCOMPARE(panel.view().range(), all);
    }

    void anExportedPictureNamesTheRunThatItShows()
    {
        const Content content = twoRuns();
        TimelinePanel panel;
        panel.setContent(content);
        QVERIFY(panel.sources().measured && !panel.sources().pinned_run);
        controlOf<SegmentButton>(panel, "pinned run").setChecked(true);
        QVERIFY(!panel.sources().measured && panel.sources().pinned_run);
    }

    void whatIsUnpinnedGivesWay()
    {
        Content content = twoRuns();
        TimelinePanel panel;
        panel.setContent(content);
        controlOf<SegmentButton>(panel, "pinned run").setChecked(true);
        content.pinned_run.reset();
        panel.setContent(content);
        QCOMPARE(panel.view().scene().measured->run, content.measured);
    }
};

QTEST_MAIN(TestPinnedRun)
#include "tst_pinned_run.moc"
