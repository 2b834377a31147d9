#pragma once

#include "widgets/models/message_filter_model.h"
#include "widgets/models/message_table_model.h"
#include "widgets/panels/messages/message_column_widths.h"
#include "widgets/panels/messages/message_scope_box.h"
#include "widgets/panels/picture/event_search.h"
#include "widgets/panels/picture/picture_panel.h"

#include <vector>

class QAction;
class QLabel;
class QStackedLayout;
class QTableView;

namespace shardscope
{

class LegendChips;
class MessageDelegate;

// Every message of a stage, of a rank or of all ranks: what is sent, how often, how large, and whether the
// trace says so too.
class MessageTablePanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit MessageTablePanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("messages"); }
    QString title() const override { return QStringLiteral("Messages"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    QString heading() const override;
    Sources sources() const override { return {true, false, true}; }
    QString csv() const override;
    void paintTo(QPainter& painter, const QRectF& rectangle) override;
    QSize wholeSize(const QSize& usual) const override;

    // The rows that are selected for copying, or all of them, as GitHub table.
    QString markdown() const;
    const MessageTableModel& model() const { return *m_model; }
    QTableView& view() const { return *m_view; }
    LegendChips& legend() const { return *m_legend; }
    // Waits for events that are being looked for.
    void finish() { m_events.finish(); }

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setUpView();
    void connectView();
    void connectColumns();
    void setUpActions();
    void refresh();
    void refreshChips();
    void refreshHint();
    void fitColumns();
    void spreadColumns();
    int roomForColumns() const;
    void adoptStyle();
    QString explanation(const MessageRow& row) const;
    void wishMessageAt(const QModelIndex& index, bool toggles);
    void seekCallsOf(const QModelIndex& index);
    void wishWalk(const EventWalk& walk);
    void showMarkedRow();
    // Source rows in the order on screen: the selected ones, or all.
    std::vector<int> rowsToCopy(bool selected_only) const;
    std::vector<int> shownColumns() const;
    QString csvOf(const std::vector<int>& rows) const;
    void copy(const QString& text) const;

    Content m_content;
    Selection m_selection;
    bool m_is_changing = false; // our own changes to view and box are no wishes of the user
    MessageColumnWidths m_widths;
    MessageTableModel* m_model;
    MessageFilterModel* m_filter;
    MessageDelegate* m_delegate;
    MessageScopeBox* m_scope_box;
    LegendChips* m_legend;
    QTableView* m_view;
    QAction* m_undraw; // hands columns back that the user has drawn
    QLabel* m_hint;
    QStackedLayout* m_pages;
    bool m_is_spreading = false; // it is not the user who moves the columns' borders
    int m_spread_over = 0;       // pixels that the columns were given last
    EventSearch m_events;        // the last member: it ends before what it asks
};

} // namespace shardscope
