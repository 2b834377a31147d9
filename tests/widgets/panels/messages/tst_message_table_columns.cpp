#include "tests/widgets/control_of.h"
#include "tests/widgets/sample_content.h"
#include "widgets/panels/messages/message_delegate.h"
#include "widgets/panels/messages/message_table_panel.h"

#include <QAction>
#include <QHeaderView>
#include <QTableView>
#include <QTest>

#include <cmath>

using namespace shardscope;

static QComboBox& scopeOf(const MessageTablePanel& panel)
{
    return controlOf<QComboBox>(panel, "Whose messages are listed");
}

static QPoint borderOf(const QHeaderView& header, int column)
{
    return {header.sectionViewportPosition(column) + header.sectionSize(column) - 1, header.height() / 2};
}

static void drawBorder(const MessageTablePanel& panel, int column, int by)
{
    const QHeaderView& header = *panel.view().horizontalHeader();
    const QPoint border = borderOf(header, column);
    QTest::mousePress(header.viewport(), Qt::LeftButton, {}, border);
    QTest::mouseMove(header.viewport(), border + QPoint{by, 0});
    QTest::mouseRelease(header.viewport(), Qt::LeftButton, {}, border + QPoint{by, 0});
}

static QAction* resetWidths(const MessageTablePanel& panel)
{
    for (QAction* action : panel.view().actions())
        if (action->text() == "Reset the columns' widths")
            return action;
    return nullptr;
}

static Content contentOfSize(std::int64_t message_bytes)
{
    const std::shared_ptr<PredictedScenario> predicted = sample::predicted();
    for (StagePrediction& stage : predicted->prediction.stages)
        for (Message& message : stage.messages)
            message.message_bytes = message_bytes;
    Content content = sample::content();
    content.predicted = predicted;
    return content;
}

// Which columns the table of messages has, and how wide they are.
class TestMessageTableColumns : public QObject
{
    Q_OBJECT
private slots:
    void init() { QTest::failOnWarning(QRegularExpression{"^(?!This plugin does not support)"}); }

    void theMeasuredColumnComesWithATrace()
    {
        MessageTablePanel panel;
        panel.setContent(sample::content());
        QVERIFY(panel.view().isColumnHidden(MessageTableModel::MeasuredColumn));
        panel.setContent(sample::content(true));
        QVERIFY(!panel.view().isColumnHidden(MessageTableModel::MeasuredColumn));
    }

    // Columns have their room whatever the scroll bars do, which follow them; at no size do both go on and
    // on.
    void columnsFillTheRoomThatTheRowsLeave()
    {
        MessageTablePanel panel;
        panel.setContent(sample::content(true));
        panel.show();
        for (int width = 300; width <= 1100; width += 80)
            for (int height = 80; height <= 560; height += 24) {
                panel.resize(width, height);
                QCoreApplication::processEvents();
                const QTableView& view = panel.view();
                const QHeaderView& header = *view.horizontalHeader();
                const int wide = header.length();
                QCoreApplication::processEvents();
                QCOMPARE(header.length(), wide);
                const bool has_room = width >= 1000;
                QVERIFY2(!has_room || wide <= view.viewport()->width(),
                         qPrintable(QString{"%1 x %2: %3 of %4"}.arg(width).arg(height).arg(wide).arg(
                             view.viewport()->width())));
            }
    }

    void aColumnThatWasDrawnKeepsItsWidthUntilItIsHandedBack()
    {
        MessageTablePanel panel;
        panel.resize(900, 300);
        panel.setContent(sample::content());
        panel.show();
        const int column = MessageTableModel::WhatColumn;
        const int needed = panel.view().columnWidth(column);
        drawBorder(panel, column, 90);
        QCOMPARE(panel.view().columnWidth(column), needed + 90);
        panel.setContent(sample::content(true));
        panel.resize(700, 260);
        QCoreApplication::processEvents();
        panel.setContent(sample::content());
        QCOMPARE(panel.view().columnWidth(column), needed + 90);

        QHeaderView& header = *panel.view().horizontalHeader();
        QTest::mouseDClick(header.viewport(), Qt::LeftButton, {}, borderOf(header, column));
        QVERIFY(panel.view().columnWidth(column) <= needed);
        drawBorder(panel, column, 50);
        drawBorder(panel, MessageTableModel::CountColumn, 40);
        resetWidths(panel)->trigger();
        QVERIFY(panel.view().columnWidth(column) <= needed);
        QVERIFY(!resetWidths(panel)->isEnabled());
    }

    // Nor do the others follow the scroll bar that it brings, again and again.
    void theOthersAreSpreadBesideAColumnThatWasDrawn()
    {
        MessageTablePanel panel;
        panel.resize(1100, 300);
        panel.setContent(sample::content(true));
        panel.show();
        drawBorder(panel, MessageTableModel::OpColumn, 120);
        const int drawn = panel.view().columnWidth(MessageTableModel::OpColumn);
        const QHeaderView& header = *panel.view().horizontalHeader();
        for (int width = 300; width <= 1500; width += 60) {
            panel.resize(width, 300);
            QCoreApplication::processEvents();
            const int wide = header.length();
            QCoreApplication::processEvents();
            QCOMPARE(header.length(), wide);
            QCOMPARE(panel.view().columnWidth(MessageTableModel::OpColumn), drawn);
            QVERIFY(width < 1300 || wide <= panel.view().viewport()->width());
        }
    }

    // Of a trace with many sizes the rows that are far below are not measured before they are seen.
    void columnsFitTheSizesThatAreSortedOrScrolledTo()
    {
        MessageTablePanel panel;
        panel.resize(900, 300);
        panel.show();
        const std::shared_ptr<MeasuredRun> run = sample::measured();
        const MeasuredCollective first = run->measurement.ranks[0].collectives[0];
        for (int call = 0; call < 3'000; ++call) {
            MeasuredCollective other = first;
            other.name = call < 2'000 ? "short" : "a_name_of_more_letters";
            other.message_bytes = 1 + call;
            run->measurement.ranks[0].collectives.push_back(other);
        }
        Content content = sample::content();
        content.measured = run;
        panel.setContent(content);
        choose(scopeOf(panel), scopeOf(panel).count() - 1);
        QVERIFY(panel.model().rowCount() > 3'000);
        const int before = panel.view().columnWidth(MessageTableModel::WhatColumn);
        panel.view().sortByColumn(MessageTableModel::WhatColumn, Qt::AscendingOrder);
        QVERIFY(panel.view().columnWidth(MessageTableModel::WhatColumn) > before);
    }

    void theArrowOfASortedColumnLeavesItsNameWhole()
    {
        MessageTablePanel panel;
        panel.resize(500, 300); // too narrow for all columns
        panel.setContent(sample::content(true));
        panel.show();
        QHeaderView& header = *panel.view().horizontalHeader();
        panel.view().sortByColumn(MessageTableModel::MeasuredColumn, Qt::DescendingOrder);
        QVERIFY(header.sectionSize(MessageTableModel::MeasuredColumn)
                >= header.sectionSizeHint(MessageTableModel::MeasuredColumn));
    }

    // "6.097 MiB" has no more characters than "1.531 GiB", and is wider: cut it would be another size.
    void numbersAreWholeWhereRoomIsShort()
    {
        MessageTablePanel panel;
        panel.resize(420, 300);
        panel.setContent(contentOfSize(1'643'898'831));
        panel.show();
        panel.setContent(contentOfSize(6'393'168));
        const auto* delegate = qobject_cast<const MessageDelegate*>(panel.view().itemDelegate());
        QVERIFY(delegate);
        for (int width = 300; width <= 900; width += 60) {
            panel.resize(width, 300);
            QCoreApplication::processEvents();
            for (int column = MessageTableModel::CountColumn; column < MessageTableModel::ColumnCount;
                 ++column)
                for (int row = 0; row < panel.model().rowCount() && !panel.view().isColumnHidden(column);
                     ++row) {
                    const QString& text = panel.model().text(row, column);
                    const double needed =
                        delegate->cellWidth(text, column)
                        - (column == MessageTableModel::ShareColumn ? delegate->shareBarRoom() : 0);
                    QVERIFY2(panel.view().columnWidth(column) >= needed, qPrintable(text));
                }
        }
    }

    void whereRoomIsShortTheBarsGoFirst()
    {
        MessageTablePanel panel;
        panel.resize(1200, 300);
        panel.setContent(sample::content());
        panel.show();
        const auto wanted = [&panel] {
            int sum = 0;
            for (int column = 0; column < MessageTableModel::ColumnCount; ++column)
                sum += panel.view().isColumnHidden(column) ? 0 : panel.view().columnWidth(column);
            return sum;
        };
        const int share = panel.view().columnWidth(MessageTableModel::ShareColumn);
        const int payload = panel.view().columnWidth(MessageTableModel::TotalColumn);
        panel.resize(panel.width() - (panel.view().viewport()->width() - wanted()) - 180, 300);
        QTRY_VERIFY(panel.view().columnWidth(MessageTableModel::ShareColumn) < share);
        QCOMPARE(panel.view().columnWidth(MessageTableModel::TotalColumn), payload);
        QVERIFY(wanted() <= panel.view().viewport()->width());
    }
};

QTEST_MAIN(TestMessageTableColumns)
#include "tst_message_table_columns.moc"
