#include "widgets/panels/messages/message_table_panel.h"

#include "widgets/models/message_events.h"
#include "widgets/panels/messages/message_delegate.h"
#include "widgets/panels/picture/explanation_html.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/panels/picture/selection_steps.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include <QAction>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTableView>

#include <algorithm>
#include <cmath>

namespace shardscope
{

MessageTablePanel::MessageTablePanel(QWidget* parent)
    : PicturePanel{parent},
      m_model{new MessageTableModel{this}},
      m_filter{new MessageFilterModel{this}},
      m_delegate{new MessageDelegate{*m_model, this}},
      m_scope_box{new MessageScopeBox{this}},
      m_legend{new LegendChips{LegendChips::Use::buttons, this}},
      m_view{new QTableView{this}},
      m_undraw{new QAction{QStringLiteral("Reset the columns' widths"), m_view}},
      m_hint{new QLabel{this}},
      m_pages{new QStackedLayout},
      m_events{[this](int, const EventWalk& walk) { wishWalk(walk); }}
{
    m_filter->setSourceModel(m_model);
    m_model->setExplanation([this](const MessageRow& row) { return explanation(row); });
    m_legend->setToolTip(QStringLiteral("Click a kind to hide or show it"));
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setMargin(12);
    setUpView();
    connectView();
    connectColumns();
    setUpActions();

    m_pages->addWidget(m_view);
    m_pages->addWidget(m_hint);
    layOutChoices(this, {m_scope_box}, m_legend, m_pages);

    connect(m_scope_box, &MessageScopeBox::scopeChosen, this, &MessageTablePanel::refresh);
    connect(m_legend, &LegendChips::clicked, this, [this](int kind) {
        m_filter->setHidden(kind, !m_filter->isHidden(kind));
        refreshChips();
    });
    adoptStyle();
    refresh();
}

void MessageTablePanel::setUpView()
{
    m_view->setModel(m_filter);
    m_view->setItemDelegate(m_delegate);
    m_view->setAccessibleName(title());
    m_view->setShowGrid(false);
    m_view->setWordWrap(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setTabKeyNavigation(false);
    m_view->setSortingEnabled(true);
    m_view->horizontalHeader()->setSortIndicatorClearable(true);
    m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->horizontalHeader()->setSectionsMovable(true);
    m_view->horizontalHeader()->setMinimumSectionSize(24);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
}

void MessageTablePanel::connectView()
{
    // Whatever brings other rows on screen; refresh() looks itself, once.
    const auto others_are_seen = [this] {
        if (!m_is_changing)
            fitColumns();
    };
    connect(m_view->verticalScrollBar(), &QScrollBar::valueChanged, this, others_are_seen);
    connect(m_filter, &QAbstractItemModel::layoutChanged, this, others_are_seen);
    connect(m_filter, &QAbstractItemModel::rowsInserted, this, others_are_seen);
    connect(m_filter, &QAbstractItemModel::rowsRemoved, this, others_are_seen);
    connect(m_view, &QTableView::clicked, this, [this](const QModelIndex& index) {
        // With a modifier rows are gathered for copying.
        if (QGuiApplication::keyboardModifiers() == Qt::NoModifier)
            wishMessageAt(index, true);
    });
    connect(m_view, &QTableView::doubleClicked, this, &MessageTablePanel::seekCallsOf);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                // Of the mouse's changes `clicked` tells more.
                if (!m_is_changing && QGuiApplication::mouseButtons() == Qt::NoButton && m_view->hasFocus())
                    wishMessageAt(index, false);
            });
}

void MessageTablePanel::setUpActions()
{
    const auto add = [this](const QString& text, const QKeySequence& keys, auto copied) {
        auto* action = new QAction{text, m_view};
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, [this, copied] { copy(copied()); });
        m_view->addAction(action);
    };
    m_view->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_view->installEventFilter(this);
    auto* along = new QAction{QStringLiteral("Go along its calls in the timeline"), m_view};
    along->setShortcut(Qt::Key_Return);
    along->setShortcutContext(Qt::WidgetShortcut);
    connect(along, &QAction::triggered, this, [this] { seekCallsOf(m_view->currentIndex()); });
    m_view->addAction(along);
    add(QStringLiteral("Copy as CSV"), QKeySequence::Copy, [this] { return csvOf(rowsToCopy(true)); });
    add(QStringLiteral("Copy as Markdown"), QKeySequence{QStringLiteral("Ctrl+Shift+C")},
        [this] { return markdown(); });
    auto* all = new QAction{QStringLiteral("Show every kind"), m_view};
    connect(all, &QAction::triggered, this, [this] {
        for (int kind = 0; kind < kind_count; ++kind)
            m_filter->setHidden(kind, false);
        refreshChips();
    });
    m_view->addAction(all);
    m_undraw->setEnabled(false);
    m_view->addAction(m_undraw);
}

void MessageTablePanel::setContent(const Content& content)
{
    if (content.measured != m_content.measured)
        m_widths.forget(); // another run, other texts: columns may shrink
    m_content = content;
    refresh();
}

void MessageTablePanel::setSelection(const Selection& selection)
{
    if (selection == m_selection)
        return;
    const bool is_other_rank = selection.rank != m_selection.rank;
    m_selection = selection;
    m_model->setSelection(selection);
    if (!selection.message)
        m_view->clearSelection(); // the row that was clicked is chosen no longer
    if (is_other_rank)
        refresh();
    else
        refreshChips();
    showMarkedRow();
}

void MessageTablePanel::refresh()
{
    m_events.forget();
    m_is_changing = true;
    m_scope_box->setContent(m_content, m_selection.rank);
    const bool had_measurement = m_model->hasMeasurement();
    m_model->setContent(m_content, m_scope_box->scope());
    if (m_model->hasMeasurement() != had_measurement || !m_model->hasMeasurement())
        m_view->setColumnHidden(MessageTableModel::MeasuredColumn, !m_model->hasMeasurement());
    refreshChips();
    refreshHint();
    if (m_view->horizontalScrollBar()->maximum() > 0) // words that are gone may be why
        m_widths.forgetWords();
    fitColumns();
    if (roomForColumns() != m_spread_over) // a scroll bar comes or goes with the rows
        spreadColumns();
    m_is_changing = false;
}

void MessageTablePanel::refreshChips()
{
    const Theme theme{palette()};
    std::vector<LegendChip> chips;
    for (const Kind kind : m_model->kinds()) {
        chips.push_back({.id = static_cast<int>(kind),
                         .text = toQString(word(kind)),
                         .colour = theme.colour(kind),
                         .is_off = m_filter->isHidden(static_cast<int>(kind)),
                         .is_faded = markedKind(m_selection).value_or(kind) != kind});
    }
    m_legend->setChips(std::move(chips));
}

void MessageTablePanel::refreshHint()
{
    const bool has_rows = m_model->rowCount() > 0;
    m_pages->setCurrentWidget(has_rows ? static_cast<QWidget*>(m_view) : m_hint);
    if (has_rows)
        return;
    if (!m_content.predicted)
        m_hint->setText(QStringLiteral("Set a valid scenario to see its messages"));
    else if (m_content.measured)
        m_hint->setText(QStringLiteral("Neither the scenario nor the traces show any messages"));
    else if (m_content.predicted->prediction.world_size == 1)
        m_hint->setText(
            QStringLiteral("One GPU sends no messages: raise tensor, pipeline or data parallelism"));
    else
        m_hint->setText(QStringLiteral("These ranks send no messages"));
}

void MessageTablePanel::adoptStyle()
{
    m_delegate->setStyle(font(), palette());
    QPalette without_highlight = palette(); // the style would paint it solid beneath the cells
    without_highlight.setColor(QPalette::Highlight, Qt::transparent);
    m_view->setPalette(without_highlight);
    m_view->verticalHeader()->setMinimumSectionSize(static_cast<int>(m_delegate->rowHeight()));
    m_view->verticalHeader()->setDefaultSectionSize(static_cast<int>(m_delegate->rowHeight()));
    m_widths.forget();
}

void MessageTablePanel::changeEvent(QEvent* event)
{
    PicturePanel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        adoptStyle();
        refresh();
    }
}

void MessageTablePanel::resizeEvent(QResizeEvent* event)
{
    PicturePanel::resizeEvent(event);
    fitColumns();
    spreadColumns();
}

void MessageTablePanel::showEvent(QShowEvent* event)
{
    PicturePanel::showEvent(event);
    fitColumns();
    spreadColumns();
}

// The focus alone chooses nothing: the view gets its current row before it would take one of its own. While
// the table has the focus its rows are copied, whatever the window's menus do with the same keys.
bool MessageTablePanel::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_view && event->type() == QEvent::FocusIn && !m_view->currentIndex().isValid()) {
        m_is_changing = true;
        m_view->selectionModel()->setCurrentIndex(m_filter->index(0, 0), QItemSelectionModel::NoUpdate);
        m_is_changing = false;
    }
    const bool is_key = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (watched != m_view || !is_key)
        return PicturePanel::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    const bool is_csv = key->matches(QKeySequence::Copy);
    const bool is_markdown =
        key->key() == Qt::Key_C && key->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier);
    if (event->type() == QEvent::KeyPress && (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)) {
        seekCallsOf(m_view->currentIndex());
        return true;
    }
    if (!is_csv && !is_markdown)
        return PicturePanel::eventFilter(watched, event);
    event->accept();
    if (event->type() == QEvent::KeyPress)
        copy(is_csv ? csvOf(rowsToCopy(true)) : markdown());
    return true;
}

QString MessageTablePanel::explanation(const MessageRow& row) const
{
    if (!m_content.predicted)
        return {};
    return explanationHtml(
        explain(row.message, row.stage, m_content.predicted->scenario, m_content.predicted->prediction));
}

void MessageTablePanel::wishMessageAt(const QModelIndex& index, bool toggles)
{
    const QModelIndex source = m_filter->mapToSource(index);
    if (!source.isValid())
        return;
    const MessageKey key = m_model->row(source.row()).key();
    if (toggles) {
        const Selection wished = withMessageToggled(m_selection, key);
        if (!wished.message)
            m_view->clearSelection();
        emit selectionWished(wished);
    } else if (m_selection.message != key) {
        emit selectionWished(withMessageToggled(m_selection, key));
    }
}

// To the longest measured call of the row, or to its first predicted message; once more, to the next.
void MessageTablePanel::seekCallsOf(const QModelIndex& index)
{
    const QModelIndex source = m_filter->mapToSource(index);
    if (!source.isValid())
        return;
    wishMessageAt(index, false); // a first click may have let it go, and its mark
    m_is_changing = true;
    m_view->selectRow(index.row());
    m_is_changing = false;
    m_events.start(source.row(), [row = m_model->row(source.row()), scope = m_scope_box->scope(),
                                  content = m_content] { return walkOf(row, scope, content); });
}

void MessageTablePanel::wishWalk(const EventWalk& walk)
{
    if (walk.events.empty() && !walk.predicted)
        emit statusWished(QStringLiteral("No single call of this row was recorded on a timeline"));
    else
        emit walkWished(walk);
}

// Brings a marked row into sight when none is.
void MessageTablePanel::showMarkedRow()
{
    if (!m_selection.message || m_view->hasFocus())
        return;
    QModelIndex first;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const QModelIndex index = m_filter->index(row, 0);
        if (index.data(MessageTableModel::MarkRole).toInt() != MessageTableModel::Marked)
            continue;
        if (m_view->viewport()->rect().intersects(m_view->visualRect(index)))
            return;
        if (!first.isValid())
            first = index;
    }
    if (first.isValid())
        m_view->scrollTo(first);
}

} // namespace shardscope
