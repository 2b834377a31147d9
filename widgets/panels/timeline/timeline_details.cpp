#include "widgets/panels/timeline/timeline_details.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStackedWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr int most_letters = 24; // of the names; kernels have very long ones
constexpr int wide_letters = 48; // of the whole, where there is room

QTableView* makeTable(RangeTableModel* model, QWidget* parent)
{
    auto* view = new QTableView{parent};
    view->setModel(model);
    view->setShowGrid(false);
    view->setSortingEnabled(true);
    view->sortByColumn(RangeTableModel::sum, Qt::DescendingOrder);
    view->setSelectionBehavior(QTableView::SelectRows);
    view->setFrameShape(QFrame::NoFrame);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    view->setAccessibleName(QStringLiteral("What the selected time holds"));
    view->verticalHeader()->hide();
    view->horizontalHeader()->setHighlightSections(false);
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view->horizontalHeader()->setSectionResizeMode(RangeTableModel::name, QHeaderView::Interactive);
    return view;
}

} // namespace

TimelineDetails::TimelineDetails(QWidget* parent)
    : QWidget{parent},
      m_title{new QLabel{this}},
      m_grouping{new QComboBox{this}},
      m_pages{new QStackedWidget{this}},
      m_event{new QTextBrowser{this}},
      m_model{new RangeTableModel{this}}
{
    m_view = makeTable(m_model, this);
    m_event->setFrameShape(QFrame::NoFrame);
    m_event->setAccessibleName(QStringLiteral("The chosen event"));
    m_event->setOpenLinks(false);
    m_grouping->addItems(
        {QStringLiteral("by kind"), QStringLiteral("by kernel"), QStringLiteral("by stream")});
    m_grouping->setAccessibleName(QStringLiteral("Grouping of the table"));
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_pages->addWidget(m_event);
    m_pages->addWidget(m_view);
    auto* close = new QToolButton{this};
    close->setText(QStringLiteral("×"));
    close->setAutoRaise(true);
    close->setToolTip(QStringLiteral("Close (Esc)"));
    auto* head = new QHBoxLayout;
    head->setContentsMargins(6, 2, 2, 2);
    head->addWidget(m_title, 1);
    head->addWidget(m_grouping);
    head->addWidget(close);
    auto* column = new QVBoxLayout{this};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_pages, 1);
    connect(m_grouping, &QComboBox::currentIndexChanged, this, &TimelineDetails::groupingChosen);
    connect(m_event, &QTextBrowser::anchorClicked, this,
            [this](const QUrl& target) { emit linkClicked(target.toString()); });
    connect(close, &QToolButton::clicked, this, &TimelineDetails::closed);
    hide();
}

QSize TimelineDetails::sizeHint() const
{
    return {wide_letters * fontMetrics().averageCharWidth(), 200};
}

void TimelineDetails::showFacts(const QString& title, const QString& html)
{
    m_title->setText(title);
    m_title->setToolTip(title);
    m_event->setHtml(
        QString{html}.remove(QStringLiteral("white-space: nowrap"))); // it is narrower than a tip
    m_pages->setCurrentWidget(m_event);
    m_grouping->hide();
    show();
}

void TimelineDetails::showRange(const QString& title)
{
    m_title->setText(title);
    m_pages->setCurrentWidget(m_view);
    m_grouping->show();
    show();
}

RangeGrouping TimelineDetails::grouping() const
{
    return static_cast<RangeGrouping>(m_grouping->currentIndex());
}

void TimelineDetails::setRows(std::vector<RangeRow> rows, const LaneColours& colours)
{
    static constexpr std::array<const char*, 3> headings{"Kind", "Kernel", "Stream"};
    m_model->setRows(std::move(rows), colours,
                     QString::fromLatin1(headings[static_cast<std::size_t>(grouping())]));
    fitToFont();
    m_view->sortByColumn(m_view->horizontalHeader()->sortIndicatorSection(),
                         m_view->horizontalHeader()->sortIndicatorOrder());
}

// Rows as high as their text, and the names' column as wide, which grow with the panel.
void TimelineDetails::fitToFont()
{
    m_view->verticalHeader()->setDefaultSectionSize(m_view->fontMetrics().height() + 4);
    const int letter = m_view->fontMetrics().averageCharWidth();
    m_view->resizeColumnToContents(RangeTableModel::name);
    m_view->setColumnWidth(RangeTableModel::name,
                           std::min(m_view->columnWidth(RangeTableModel::name), most_letters * letter));
}

void TimelineDetails::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitToFont();
}

} // namespace shardscope
