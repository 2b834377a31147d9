#include "tests/fail_on_warnings.h"
#include "tests/widgets/control_of.h"
#include "widgets/panels/measurement/analysis_panel.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QHeaderView>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include "core/analysis/analyze.h"
#include "core/trace/trace_builder.h"

using namespace shardscope;

static void chooseSection(const AnalysisPanel& panel, AnalysisSection section)
{
    auto& box = controlOf<QComboBox>(panel, "What is listed");
    choose(box, box.findData(static_cast<int>(section)));
}

static Content contentOf(TraceBuilder& builder, std::int64_t rank)
{
    auto run = std::make_shared<MeasuredRun>();
    TraceFile file;
    file.rank = rank;
    file.store = builder.finish();
    run->traces.files.push_back(file);
    run->measurement = analyze(run->traces);
    Content content;
    content.measured = run;
    return content;
}

// One rank: two kernels with 20 us between them, because the host launches the second one late, in a step.
static Content contentOfRank(std::int64_t rank)
{
    TraceBuilder builder;
    const TrackIndex host = builder.addTrack("1", "1");
    const TrackIndex stream = builder.addTrack("0", "7", true);
    builder.addEvent(host, 0, 200'000, "ProfilerStep#3", "user_annotation");
    builder.addEvent(host, 60'000, 20'000, "aten::mm", "cpu_op");
    for (const TraceTime start : {10'000, 70'000}) {
        const EventIndex gpu = builder.addEvent(stream, start, 40'000, "gemm", "kernel");
        builder.addLaunch(
            {gpu, builder.addEvent(host, start - 5'000, 1'000, "cudaLaunchKernel", "cuda_runtime")});
    }
    return contentOf(builder, rank);
}

// A host that marks a step and calls no GPU.
static Content contentOfSteps()
{
    TraceBuilder builder;
    builder.addEvent(builder.addTrack("1", "1"), 0, 200'000, "ProfilerStep#3", "user_annotation");
    return contentOf(builder, 0);
}

class TestAnalysisPanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void withoutTracesItListsNothing()
    {
        const AnalysisPanel panel;
        QCOMPARE(panel.model().rowCount(), 0);
        QVERIFY(!panel.isBusy());
    }

    void rowsComeWhenTheyAreComputed()
    {
        AnalysisPanel panel;
        const QAbstractItemModelTester tester{const_cast<AnalysisTableModel*>(&panel.model())};
        panel.setContent(contentOfRank(2));
        QVERIFY(panel.isBusy());
        panel.finish();
        QVERIFY(!panel.isBusy());
        QCOMPARE(panel.section(), AnalysisSection::ranks);
        QCOMPARE(panel.model().rowCount(), 1);
        // Window 100 us, kernels 80 us; of the idle 20 us the operator covers 10.
        QCOMPARE(panel.csv(), QString{"rank,window_ns,communication_ns,kernel_ns,memory_ns,intra_operator_ns,"
                                      "inter_operator_ns,kernel_share\n2,100000,0,80000,0,10000,10000,"
                                      "0.80000000000000004\n"});
    }

    // A log has no ranks and no GPU: its timers are what is shown, without being asked for.
    void aLogShowsItsTimers()
    {
        auto run = std::make_shared<MeasuredRun>();
        run->measurement.timers = {{"forward", 20, 0.25}, {"backward", 20, 0.5}};
        run->measurement.bubble = MeasuredBubble{0.35, 0.3, 20, 1.0, {}};
        Content content;
        content.measured = run;
        AnalysisPanel panel;
        panel.setContent(content);
        panel.finish();
        QCOMPARE(panel.section(), AnalysisSection::timers);
        QCOMPARE(panel.model().rowCount(), 2);
        QCOMPARE(panel.model().table().rows[1].cells[2].text, QStringLiteral("500 ms"));
        chooseSection(panel, AnalysisSection::schedule);
        QCOMPARE(panel.model().rowCount(), 2);
    }

    // Two kernels of 40 us each, and of the run before one of 10 us.
    void whatDiffersFromThePinnedRunIsListedFirst()
    {
        TraceBuilder builder;
        builder.addEvent(builder.addTrack("0", "7", true), 0, 10'000, "gemm", "kernel");
        Content content = contentOfRank(0);
        content.pinned_run = contentOf(builder, 0).measured;
        AnalysisPanel panel;
        panel.resize(700, 300);
        panel.setContent(content);
        panel.finish();
        QCOMPARE(panel.section(), AnalysisSection::changed_parts);
        QVERIFY(panel.sources().pinned_run);
        const auto& verdict = *panel.findChild<QLabel*>("verdict");
        QVERIFY2(verdict.text().startsWith("An iteration takes 200 µs, before 10 µs"),
                 qPrintable(verdict.text()));
        chooseSection(panel, AnalysisSection::changed_kernels);
        QCOMPARE(panel.model().rowCount(), 1);
        QStringList cells;
        for (const AnalysisCell& cell : panel.model().table().rows[0].cells)
            cells << cell.text;
        QCOMPARE(cells, (QStringList{"gemm", "matrix", "1", "2", "10 µs", "80 µs", "+70 µs", "+700.0 %"}));
        chooseSection(panel, AnalysisSection::ranks);
        QVERIFY(verdict.isHidden());
        QVERIFY(!panel.sources().pinned_run);
    }

    void theRunThatIsPinnedIsNotComparedWithItself()
    {
        Content content = contentOfRank(0);
        content.pinned_run = content.measured;
        AnalysisPanel panel;
        panel.setContent(content);
        panel.finish();
        QCOMPARE(panel.section(), AnalysisSection::ranks);
        chooseSection(panel, AnalysisSection::changed_parts);
        QCOMPARE(panel.model().rowCount(), 0);
    }

    void stragglersOfUntrustedClocksAreNotClaimed_data()
    {
        QTest::addColumn<bool>("trusted");
        QTest::addColumn<qint64>("spread_ns");
        QTest::addColumn<bool>("is_said");
        QTest::newRow("taken out") << true << qint64{1'000'000} << false;
        QTest::newRow("clocks explain it, and stay in") << false << qint64{1'000'000} << true;
        QTest::newRow("clocks do not explain it") << false << qint64{30'000'000} << false;
    }
    void stragglersOfUntrustedClocksAreNotClaimed()
    {
        QFETCH(bool, trusted);
        QFETCH(qint64, spread_ns);
        auto run = std::make_shared<MeasuredRun>();
        CrossRank& across = run->measurement.cross_rank;
        across.matched = 4;
        across.alignment_median_ns = 37'000'000;
        across.alignment_spread_ns = spread_ns;
        across.alignment_trusted = trusted;
        Content content;
        content.measured = run;
        AnalysisPanel panel;
        panel.setContent(content);
        panel.finish();
        chooseSection(panel, AnalysisSection::stragglers);
        QTEST(panel.findChild<QLabel*>("verdict")->text().contains("is not trusted"), "is_said");
    }

    void everySectionSaysWhatItIs_data()
    {
        QTest::addColumn<int>("section");
        QTest::addColumn<int>("rows");
        QTest::newRow("ranks") << int(AnalysisSection::ranks) << 1;
        QTest::newRow("steps") << int(AnalysisSection::steps) << 1;
        QTest::newRow("idle: the whole and the stream") << int(AnalysisSection::idle) << 2;
        QTest::newRow("operators") << int(AnalysisSection::operators) << 1;
        QTest::newRow("launches") << int(AnalysisSection::launches) << 1;
        QTest::newRow("no copies") << int(AnalysisSection::copies) << 0;
        QTest::newRow("no groups of one rank") << int(AnalysisSection::groups) << 0;
        QTest::newRow("no stragglers of one rank") << int(AnalysisSection::stragglers) << 0;
        QTest::newRow("no log") << int(AnalysisSection::timers) << 0;
        QTest::newRow("no recorded schedule") << int(AnalysisSection::schedule) << 0;
    }
    void everySectionSaysWhatItIs()
    {
        QFETCH(int, section);
        QFETCH(int, rows);
        AnalysisPanel panel;
        panel.resize(700, 300);
        panel.setContent(contentOfRank(0));
        panel.finish();
        chooseSection(panel, static_cast<AnalysisSection>(section));
        QCOMPARE(panel.model().rowCount(), rows);
        const AnalysisTable& table = panel.model().table();
        QCOMPARE(table.file_headings.size(), table.headings.size());
        for (const AnalysisRow& row : table.rows)
            QCOMPARE(row.cells.size(), static_cast<std::size_t>(table.headings.size()));
        QImage image{700, 300, QImage::Format_RGB32};
        QPainter painter{&image};
        panel.paintTo(painter, image.rect());
    }

    void theIdleTimeIsTheHosts()
    {
        AnalysisPanel panel;
        panel.setContent(contentOfRank(0));
        panel.finish();
        chooseSection(panel, AnalysisSection::idle);
        QVERIFY(panel.csv().contains("0,all together,20000,20000,0,0,,\n")); // no queue of its own
    }

    void aRunWithoutGpusShowsTheFirstSectionThatSaysSomething()
    {
        AnalysisPanel panel;
        panel.setContent(contentOfSteps());
        panel.finish();
        QCOMPARE(panel.section(), AnalysisSection::steps);
        QCOMPARE(panel.model().rowCount(), 1);
        const auto* box = panel.findChild<QComboBox*>();
        const QAbstractItemModel* items = box->model();
        QVERIFY(!items->flags(items->index(0, 0)).testFlag(Qt::ItemIsEnabled));
        QVERIFY(items->flags(items->index(1, 0)).testFlag(Qt::ItemIsEnabled));
        panel.setContent({});
        QVERIFY(items->flags(items->index(0, 0)).testFlag(Qt::ItemIsEnabled));
    }

    void aClickOnARankSelectsIt()
    {
        AnalysisPanel panel;
        panel.setContent(contentOfRank(5));
        panel.finish();
        QSignalSpy wishes{&panel, &PicturePanel::selectionWished};
        emit panel.view().clicked(panel.view().model()->index(0, 1));
        QCOMPARE(wishes.size(), 1);
        const auto wished = wishes.front().front().value<Selection>();
        QCOMPARE(wished.rank, std::optional<std::int64_t>{5});
        panel.setSelection(wished);
        QVERIFY(panel.view().selectionModel()->isRowSelected(0));
        emit panel.view().clicked(panel.view().model()->index(0, 1));
        QVERIFY(!wishes.back().front().value<Selection>().rank);
    }

    // A row that is activated once more means its next event.
    void aRowLeadsToItsEventsInTheTimeline()
    {
        const Content content = contentOfRank(5);
        AnalysisPanel panel;
        panel.setContent(content);
        panel.finish();
        QSignalSpy walks{&panel, &PicturePanel::walkWished};
        QSignalSpy wishes{&panel, &PicturePanel::selectionWished};
        QSignalSpy said{&panel, &PicturePanel::statusWished};
        const auto activate = [&](AnalysisSection section) {
            chooseSection(panel, section);
            emit panel.view().activated(panel.view().model()->index(0, 0));
            panel.finish();
        };
        activate(AnalysisSection::ranks); // adds up everything
        QCOMPARE(walks.size(), 0);
        QCOMPARE(said.size(), 1);
        chooseSection(panel, AnalysisSection::steps); // it was of a row of the other table
        QCOMPARE(said.size(), 2);
        QCOMPARE(said.back().front().toString(), QString{});
        for (const AnalysisSection section :
             {AnalysisSection::steps, AnalysisSection::idle, AnalysisSection::launches}) {
            walks.clear();
            activate(section);
            QCOMPARE(walks.size(), 1);
            const auto walk = walks.front().front().value<EventWalk>();
            QCOMPARE(walk.run, content.measured);
            QVERIFY(!walk.events.empty());
            QCOMPARE(wishes.back().front().value<Selection>().rank, std::optional<std::int64_t>{5});
        }
    }

    void theOrderOnScreenStaysWhereARankIsSelectedAndIsTheFilesToo()
    {
        auto run = std::make_shared<MeasuredRun>();
        for (const std::int64_t rank : {0, 1}) {
            const Content content = contentOfRank(rank);
            run->traces.files.push_back(content.measured->traces.files.front());
        }
        run->measurement = analyze(run->traces);
        Content content;
        content.measured = run;
        AnalysisPanel panel;
        panel.setContent(content);
        panel.finish();
        chooseSection(panel, AnalysisSection::steps);
        auto* view = panel.findChild<QTableView*>();
        view->sortByColumn(1, Qt::DescendingOrder); // behind the bars
        QVERIFY(panel.csv().section('\n', 1, 1).startsWith("1,3,"));
        Selection nobody; // of a rank that was not read
        nobody.rank = 7;
        panel.setSelection(nobody);
        QCOMPARE(view->horizontalHeader()->sortIndicatorSection(), 1);
        QVERIFY(panel.csv().section('\n', 1, 1).startsWith("1,3,"));
        chooseSection(panel, AnalysisSection::idle); // has other columns
        QCOMPARE(view->horizontalHeader()->sortIndicatorSection(), -1);
    }
};

QTEST_MAIN(TestAnalysisPanel)
#include "tst_analysis_panel.moc"
