#include "tests/widgets/control_of.h"
#include "tests/widgets/sample_content.h"
#include "widgets/panels/messages/message_table_panel.h"
#include "widgets/plots/bars/legend_chips.h"

#include "core/trace/trace_builder.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPainter>
#include <QPicture>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <cmath>

using namespace shardscope;

static int viewRowOf(const MessageTablePanel& panel, const QString& kind, const QString& what)
{
    const QAbstractItemModel& model = *panel.view().model();
    for (int row = 0; row < model.rowCount(); ++row)
        if (model.index(row, MessageTableModel::KindColumn).data().toString() == kind
            && model.index(row, MessageTableModel::WhatColumn).data().toString() == what)
            return row;
    return -1;
}

static QComboBox& scopeOf(const MessageTablePanel& panel)
{
    return controlOf<QComboBox>(panel, "Whose messages are listed");
}

class TestMessageTablePanel : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void theScopesAreStagesAndAllRanks()
    {
        MessageTablePanel panel;
        panel.setContent(sample::content());
        QCOMPARE(scopeOf(panel).count(), 5);
        QCOMPARE(scopeOf(panel).currentText(), "Stage 0, each rank");
        QVERIFY(viewRowOf(panel, "tp", "embedding") >= 0);
        choose(scopeOf(panel), 1);
        QCOMPARE(viewRowOf(panel, "tp", "embedding"), -1);
        choose(scopeOf(panel), 4);
        QCOMPARE(scopeOf(panel).currentText(), "All 32 ranks");
        const int norm = viewRowOf(panel, "mp", "gradient norm");
        QCOMPARE(panel.view().model()->index(norm, MessageTableModel::CountColumn).data().toString(), "32");
    }

    void aSelectedRankIsListedAndLeftAgain()
    {
        MessageTablePanel panel;
        panel.setContent(sample::content());
        choose(scopeOf(panel), 1);
        panel.setSelection({std::nullopt, 31, std::nullopt});
        QCOMPARE(scopeOf(panel).currentText(), "Rank 31 (stage 3)");
        QVERIFY(viewRowOf(panel, "dp", "reported loss") >= 0);
        panel.setSelection({});
        QCOMPARE(scopeOf(panel).currentText(), "Stage 1, each rank");
    }

    void aCountOfSeveralRowsSaysOfHowMany()
    {
        MessageTablePanel panel;
        panel.setContent(sample::content(true));
        const QStringList lines = panel.csv().split('\n', Qt::SkipEmptyParts);
        const qsizetype place = lines.front().split(',').indexOf("measured_over_rows");
        QVERIFY(place > 0);
        QCOMPARE(lines.front().split(',')[place - 1], "measured_count");
        const auto rowsOf = [&](const QString& beginning) {
            for (const QString& line : lines)
                if (line.startsWith(beginning))
                    return line.split(',')[place];
            return QString{};
        };
        QCOMPARE(rowsOf("stage 0,dp,all_reduce,gradients"), "1");
        QVERIFY(rowsOf("stage 0,tp,all_reduce,attention").toInt() > 1);
    }

    void aClickWishesTheMessageAndASecondTakesItBack()
    {
        MessageTablePanel panel;
        panel.resize(1200, 500);
        panel.setContent(sample::content());
        panel.show();
        const QSignalSpy spy{&panel, &PicturePanel::selectionWished};
        const int row = viewRowOf(panel, "dp", "gradients");
        const QPoint place = panel.view().visualRect(panel.view().model()->index(row, 1)).center();
        QTest::mouseClick(panel.view().viewport(), Qt::LeftButton, {}, place);
        const auto selection = spy.last().at(0).value<Selection>();
        QCOMPARE(selection.message, (std::optional{MessageKey{Kind::dp, Op::all_reduce, 777492000}}));
        panel.setSelection(selection);
        QTest::mouseClick(panel.view().viewport(), Qt::LeftButton, {}, place);
        QVERIFY(spy.last().at(0).value<Selection>().empty());
    }

    void aRowThatIsNotChosenAnyMoreIsNotMarked()
    {
        MessageTablePanel panel;
        panel.resize(1200, 500);
        panel.setContent(sample::content());
        panel.show();
        const QPoint place = panel.view().visualRect(panel.view().model()->index(2, 1)).center();
        const QSignalSpy spy{&panel, &PicturePanel::selectionWished};
        QTest::mouseClick(panel.view().viewport(), Qt::LeftButton, {}, place);
        panel.setSelection(spy.last().at(0).value<Selection>());
        QVERIFY(panel.view().selectionModel()->hasSelection());
        panel.setSelection({});
        QVERIFY(!panel.view().selectionModel()->hasSelection());
    }

    void theChipsFollowTheSelection()
    {
        MessageTablePanel panel;
        panel.setContent(sample::content());
        const auto isAnyFaded = [&panel] {
            const std::vector<LegendChip>& chips = panel.findChild<LegendChips*>()->chips();
            return std::any_of(chips.begin(), chips.end(),
                               [](const LegendChip& chip) { return chip.is_faded; });
        };
        panel.setSelection({Kind::tp, {}, {}});
        QVERIFY(isAnyFaded());
        panel.setSelection({});
        QVERIFY(!isAnyFaded());
    }

    void theFocusAloneChoosesNothingAndKeysDo()
    {
        MessageTablePanel panel;
        panel.resize(1200, 500);
        panel.setContent(sample::content());
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        QTableView& view = panel.view();
        const QSignalSpy spy{&panel, &PicturePanel::selectionWished};
        view.setFocus(Qt::TabFocusReason);
        QVERIFY(view.hasFocus());
        QCOMPARE(spy.count(), 0);
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(spy.count(), 1);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(spy.count(), 2);
    }

    void aRowLeadsToItsLongestMeasuredCall()
    {
        Content content = sample::content();
        MessageTablePanel panel;
        panel.resize(1200, 500);
        panel.setContent(content);
        panel.show();
        QSignalSpy walks{&panel, &PicturePanel::walkWished};
        const int row = viewRowOf(panel, "tp", "mlp");
        const auto go = [&] {
            emit panel.view().doubleClicked(panel.view().model()->index(row, 0));
            panel.finish();
        };
        go();
        QCOMPARE(walks.size(), 1);
        const auto wished = walks.back().front().value<EventWalk>();
        QVERIFY(wished.events.empty());
        QVERIFY(wished.predicted && wished.predicted->message.what == "mlp");

        TraceBuilder builder;
        const TrackIndex track = builder.addTrack("0", "7", true);
        for (const TraceTime milliseconds : {2, 9, 5})
            builder.addEvent(track, milliseconds * 10'000'000, milliseconds * 1'000'000, "ncclDevKernel",
                             "kernel");
        auto run = std::make_shared<MeasuredRun>();
        run->traces.files.emplace_back();
        run->traces.files[0].store = builder.finish();
        const MessageKey key = panel.model().row(row).key();
        for (std::uint32_t i = 0; i < 3; ++i) // the second is of another size
            run->measurement.calls.push_back({.file = 0,
                                              .event = EventIndex{i},
                                              .kind = key.kind,
                                              .op = key.op,
                                              .message_bytes = key.message_bytes + (i == 1 ? 1 : 0)});
        content.measured = run;
        panel.setContent(content);
        go();
        QCOMPARE(walks.size(), 2);
        QCOMPARE(walks.back().front().value<EventWalk>().events,
                 (std::vector<RunEvent>{{0, EventIndex{2}, 0, 9'000'000}, {0, EventIndex{0}, 0, 2'000'000}}));
    }

    // Rank 3 of a run over the default scenario of one GPU: what it sent is seen all the same.
    void whatWasMeasuredIsListedWhereTheScenarioHasNoSuchRank()
    {
        auto run = std::make_shared<MeasuredRun>();
        RankMeasurement rank;
        rank.rank = 3;
        rank.collectives.emplace_back();
        rank.collectives.front().op = Op::all_reduce;
        rank.collectives.front().message_bytes = 1024;
        rank.collectives.front().count = 5;
        run->measurement.ranks.push_back(rank);
        Content content = sample::content();
        const auto alone = sample::predicted();
        alone->scenario.parallel = {};
        alone->prediction.world_size = 1;
        alone->prediction.stages.resize(1);
        alone->prediction.stages[0].messages.clear();
        content.predicted = alone;
        content.measured = run;
        MessageTablePanel panel;
        panel.setContent(content);
        QCOMPARE(panel.model().rowCount(), 1);
        QCOMPARE(panel.model().row(0).measured_high, 5.0);
    }

    void aSelectionFromElsewhereTakesNoFocusAndWishesNothing()
    {
        MessageTablePanel panel;
        panel.resize(600, 120);
        panel.setContent(sample::content());
        panel.show();
        const QSignalSpy spy{&panel, &PicturePanel::selectionWished};
        panel.setSelection({Kind::mp, std::nullopt, MessageKey{Kind::mp, Op::all_reduce, 4}});
        const QModelIndex marked = panel.view().model()->index(viewRowOf(panel, "mp", "gradient norm"), 0);
        QCOMPARE(marked.data(MessageTableModel::MarkRole).toInt(), int{MessageTableModel::Marked});
        QVERIFY(panel.view().viewport()->rect().intersects(panel.view().visualRect(marked)));
        QVERIFY(!panel.view().hasFocus());
        QCOMPARE(spy.count(), 0);
    }

    void aSelectedRowStaysLegible()
    {
        MessageTablePanel panel;
        panel.resize(900, 400);
        panel.setContent(sample::content());
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        panel.view().selectRow(0);
        const QRect cell =
            panel.view().visualRect(panel.view().model()->index(0, MessageTableModel::WhatColumn));
        const QImage image = panel.view().viewport()->grab(cell).toImage();
        const QColor ground = image.pixelColor(image.width() - 2, 1);
        QVERIFY(ground != panel.palette().color(QPalette::Base));
        // Contrast of text on the tint by WCAG 2.1: at least 4.5.
        const auto luminance = [](const QColor& colour) {
            const auto linear = [](double part) {
                return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
            };
            return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF())
                   + 0.0722 * linear(colour.blueF());
        };
        const double a = luminance(ground) + 0.05;
        const double b = luminance(panel.palette().color(QPalette::Text)) + 0.05;
        QVERIFY(std::max(a, b) / std::min(a, b) >= 4.5);
    }

    void chipsHideKinds()
    {
        MessageTablePanel panel;
        panel.resize(800, 300);
        panel.setContent(sample::content());
        panel.show();
        const int all = panel.view().model()->rowCount();
        QTest::mouseClick(&panel.legend(), Qt::LeftButton, {},
                          panel.legend().chipRectangle(0).center().toPoint());
        QCOMPARE(panel.view().model()->rowCount(), all - 7);
        QVERIFY(panel.legend().chips()[0].is_off);
        QVERIFY(!panel.csv().contains("attention"));
    }

    void rowsAreCopiedAsCsvAndMarkdown()
    {
        MessageTablePanel panel;
        panel.resize(800, 300);
        panel.setContent(sample::content());
        panel.show();
        panel.view().selectRow(viewRowOf(panel, "dp", "gradients"));
        QTest::keyClick(&panel.view(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 "whose,kind,op,what,phase,count,message_bytes,total_bytes,share,wire_bytes,group_size\n"
                 "stage 0,dp,all_reduce,gradients,step,1,777492000,777492000,0.00844141,1166238000,4\n");
        QTest::keyClick(&panel.view(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), panel.markdown());
        QVERIFY(panel.markdown().contains("| dp | all_reduce | gradients | step | 1 | 741 MiB |"));
        QCOMPARE(panel.markdown().count('\n'), 3);
        QCOMPARE(panel.csv().count('\n'), 1 + panel.view().model()->rowCount());
    }

    void withoutMessagesItSaysWhy()
    {
        MessageTablePanel panel;
        panel.resize(400, 200);
        panel.show();
        QVERIFY(!panel.view().isVisible());
        panel.setContent(sample::content());
        QVERIFY(panel.view().isVisible());
    }

    void theWholeTableIsExported()
    {
        MessageTablePanel panel;
        panel.setContent(sample::content(true));
        QPicture picture;
        QPainter painter{&picture};
        panel.paintTo(painter, {0.0, 0.0, 600.0, 400.0});
        painter.end();
        QVERIFY(picture.size() > 1000);
        QVERIFY(QRect(-1, -1, 602, 402).contains(picture.boundingRect()));
    }
};

QTEST_MAIN(TestMessageTablePanel)
#include "tst_message_table_panel.moc"
