#include "widgets/panels/measurement/analysis_panel.h"

#include "widgets/models/analysis_events.h"
#include "widgets/panels/measurement/analysis_bar_delegate.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace shardscope
{

namespace
{

constexpr int bar_width = 150;
constexpr int widest_letters = 46; // of a column

// Whose rows add up ranks where none is selected.
bool isOfAllRanks(AnalysisSection section)
{
    return section == AnalysisSection::kernels || section == AnalysisSection::operators;
}

} // namespace

AnalysisPanel::AnalysisPanel(QWidget* parent)
    : PicturePanel{parent},
      m_legend{new LegendChips{LegendChips::Use::legend, this}},
      m_section_box{new QComboBox{this}},
      m_model{new AnalysisTableModel{this}},
      m_order{new QSortFilterProxyModel{this}},
      m_bars{new AnalysisBarDelegate{*m_model, this}},
      m_view{new QTableView{this}},
      m_hint{new QLabel{this}},
      m_verdict{new QLabel{this}},
      m_pages{new QStackedLayout},
      m_measuring{[this](Activity activity) {
          m_activity = std::move(activity);
          markSections();
          refresh();
      }},
      m_comparing{[this](Difference difference) {
          m_difference = std::move(difference);
          markSections();
          refresh();
      }},
      m_events{[this](int row, const EventWalk& walk) { wishWalk(row, walk); }}
{
    for (int i = 0; i < analysis_section_count; ++i) {
        const auto section = static_cast<AnalysisSection>(i);
        m_section_box->addItem(sectionName(section), i);
        m_section_box->setItemData(i, sectionMeaning(section), Qt::ToolTipRole);
    }
    m_section_box->setAccessibleName(QStringLiteral("What is listed"));
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    setUpView();

    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_verdict->setWordWrap(true);
    m_verdict->setContentsMargins(5, 0, 5, 4);
    m_verdict->hide();
    m_pages->addWidget(m_view);
    m_pages->addWidget(m_hint);
    auto* pages = new QVBoxLayout;
    pages->addWidget(m_verdict);
    pages->addLayout(m_pages, 1);
    layOutChoices(this, {m_section_box}, m_legend, pages);
    connect(m_section_box, &QComboBox::currentIndexChanged, this, &AnalysisPanel::refresh);
    connect(m_section_box, &QComboBox::activated, this, [this] { m_is_section_chosen = true; });
    refresh();
}

// Sections that this run says nothing of are greyed; until the user chooses one, the first that is not is
// shown, or what two runs differ in where there are two.
void AnalysisPanel::markSections()
{
    auto* items = qobject_cast<QStandardItemModel*>(m_section_box->model());
    int first = -1;
    const AnalysisSection comparing = m_difference && m_difference->parts.empty()
                                          ? AnalysisSection::changed_timers // of logs
                                          : AnalysisSection::changed_parts;
    for (int i = 0; i < m_section_box->count(); ++i) {
        const auto section = static_cast<AnalysisSection>(m_section_box->itemData(i).toInt());
        const bool says_something =
            m_content.measured ? !tableOf(section, std::nullopt).rows.empty() : !isOfTwoRuns(section);
        items->item(i)->setEnabled(says_something);
        if (says_something && (first < 0 || section == comparing))
            first = i;
    }
    if (!m_is_section_chosen && first >= 0)
        m_section_box->setCurrentIndex(first);
}

void AnalysisPanel::setUpView()
{
    m_order->setSourceModel(m_model);
    m_order->setSortRole(AnalysisTableModel::SortRole);
    m_view->setModel(m_order);
    m_view->setItemDelegate(m_bars);
    m_view->setAccessibleName(title());
    m_view->setShowGrid(false);
    m_view->setWordWrap(false);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setTabKeyNavigation(false);
    m_view->setSortingEnabled(true);
    m_view->horizontalHeader()->setSortIndicatorClearable(true);
    connect(m_view->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            &AnalysisPanel::makeRoomForArrow);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    connect(m_view, &QTableView::clicked, this,
            [this](const QModelIndex& index) { wishRankAt(m_order->mapToSource(index).row()); });
    connect(m_view, &QTableView::activated, this,
            [this](const QModelIndex& index) { seekEventsOf(m_order->mapToSource(index).row()); });
}

void AnalysisPanel::setContent(const Content& content)
{
    const bool is_other_run = content.measured != m_content.measured;
    const bool is_other_pair = is_other_run || content.pinned_run != m_content.pinned_run;
    m_content = content;
    if (is_other_pair)
        compareRuns();
    if (is_other_run)
        measure();
    if (is_other_pair)
        refresh();
}

void AnalysisPanel::measure()
{
    m_activity.clear();
    if (!m_content.measured) {
        m_measuring.forget();
        markSections();
        return;
    }
    m_measuring.start([run = m_content.measured] {
        AnalysisOptions options;
        options.rules = run->rules.get();
        options.step = run->measurement.step;
        return measureActivity(run->traces, options);
    });
}

AnalysisTable AnalysisPanel::tableOf(AnalysisSection section, std::optional<std::int64_t> rank) const
{
    if (!m_content.measured)
        return {};
    if (!isOfTwoRuns(section))
        return analysisTable(section, m_content.measured->measurement, m_activity, rank);
    return m_difference ? differenceTable(section, *m_difference) : AnalysisTable{};
}

void AnalysisPanel::setSelection(const Selection& selection)
{
    const bool is_other_rank = selection.rank != m_selection.rank;
    m_selection = selection;
    if (is_other_rank && isOfAllRanks(section()))
        refresh();
    else if (is_other_rank)
        markRank();
}

AnalysisSection AnalysisPanel::section() const
{
    return static_cast<AnalysisSection>(m_section_box->currentData().toInt());
}

// A click on a row of a rank selects it; a second one lets it go.
void AnalysisPanel::wishRankAt(int row)
{
    if (row < 0 || row >= m_model->rowCount())
        return;
    const std::optional<std::int64_t>& rank = m_model->table().rows[static_cast<std::size_t>(row)].rank;
    if (!rank)
        return;
    Selection wished = m_selection;
    if (m_selection.rank && *m_selection.rank == *rank)
        wished.rank.reset();
    else
        wished.rank = rank;
    emit selectionWished(wished);
}

// To the first of the row's events; once more, to the next.
void AnalysisPanel::seekEventsOf(int row)
{
    withdrawRemark();
    if (!m_content.measured || row < 0 || row >= m_model->rowCount())
        return;
    m_events.start(row,
                   [section = section(), of = m_model->table().rows[static_cast<std::size_t>(row)],
                    rank = onlyRank(), run = m_content.measured] { return walkOf(section, of, rank, run); });
}

void AnalysisPanel::wishWalk(int row, const EventWalk& walk)
{
    if (walk.events.empty()) {
        m_has_remarked = true;
        emit statusWished(isOfTwoRuns(section())
                              ? QStringLiteral("This run has no such events, or the row adds up several")
                              : QStringLiteral("This row adds up no single events of the timeline"));
        return;
    }
    if (const auto& rank = m_model->table().rows[static_cast<std::size_t>(row)].rank; rank) {
        Selection wished = m_selection; // its first click may have let the rank go
        wished.rank = rank;
        emit selectionWished(wished);
    }
    emit walkWished(walk);
}

void AnalysisPanel::withdrawRemark()
{
    if (std::exchange(m_has_remarked, false))
        emit statusWished({});
}

// A rank that was not read narrows nothing.
std::optional<std::int64_t> AnalysisPanel::onlyRank() const
{
    if (!m_selection.rank || !m_content.measured)
        return std::nullopt;
    const auto& ranks = m_content.measured->measurement.ranks;
    const bool is_read = std::ranges::find(ranks, *m_selection.rank, &RankMeasurement::rank) != ranks.end();
    return is_read ? m_selection.rank : std::nullopt;
}

QString AnalysisPanel::hint() const
{
    if (!m_content.measured)
        return QStringLiteral("Open traces to see why their GPUs wait, step by step and rank by rank");
    if (isOfTwoRuns(section()))
        return m_difference ? QStringLiteral("Neither run tells anything of this")
               : m_content.comparesRuns()
                   ? QStringLiteral("Comparing the runs ...")
                   : QStringLiteral("Scenario > Pin the measured run, then open another "
                                    "one to see what differs");
    if (m_measuring.isRunning())
        return QStringLiteral("Reading the run ...");
    switch (section()) {
    case AnalysisSection::steps:
        return QStringLiteral("The traces mark no ProfilerStep");
    case AnalysisSection::groups:
    case AnalysisSection::stragglers:
        return QStringLiteral(
            "No calls were matched across ranks: open the traces of several ranks together");
    case AnalysisSection::timers:
        return QStringLiteral("No log with timers was opened");
    case AnalysisSection::schedule:
        return QStringLiteral("No schedule of a pipeline was opened");
    default:
        return QStringLiteral(
            "The traces of the selected ranks tell nothing of this: it takes GPU kernels and their launches");
    }
}

void AnalysisPanel::refresh()
{
    withdrawRemark();
    m_events.forget();
    m_model->setTable(tableOf(section(), onlyRank()));
    m_verdict->setText(verdict());
    m_verdict->setVisible(!m_verdict->text().isEmpty());
    m_section_box->setToolTip(sectionMeaning(section()));
    if (m_sorted_section != section()) // other columns
        m_view->sortByColumn(-1, Qt::AscendingOrder);
    m_sorted_section = section();
    markRank();
    fitToFont();
    const bool is_empty = m_model->rowCount() == 0;
    m_hint->setText(is_empty ? hint() : QString{});
    m_pages->setCurrentWidget(is_empty ? static_cast<QWidget*>(m_hint) : m_view);
    refreshLegend();
}

// The rows of the selected rank, or of them the one that was chosen here; the others stay, as what it is
// compared with.
void AnalysisPanel::markRank()
{
    const auto isOfRank = [this](int row) {
        const int source = m_order->mapToSource(m_order->index(row, 0)).row();
        return m_model->table().rows[static_cast<std::size_t>(source)].rank == m_selection.rank;
    };
    const QModelIndex current = m_view->currentIndex();
    if (m_selection.rank && m_view->hasFocus() && current.isValid() && isOfRank(current.row())) {
        m_view->selectRow(current.row());
        return;
    }
    QItemSelection rows;
    for (int row = 0; row < m_order->rowCount() && m_selection.rank; ++row)
        if (isOfRank(row))
            rows.select(m_order->index(row, 0), m_order->index(row, m_order->columnCount() - 1));
    m_view->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (!rows.empty() && !m_view->hasFocus()) // selected in another picture
        m_view->scrollTo(rows.front().topLeft());
}

// Rows as high and columns as wide as their text, which grows with the panel. Room for an arrow in every
// column would push the last ones out of sight.
void AnalysisPanel::fitToFont()
{
    m_view->verticalHeader()->setDefaultSectionSize(m_view->fontMetrics().height() + 6);
    m_view->horizontalHeader()->setSortIndicatorShown(false);
    m_view->resizeColumnsToContents();
    m_view->horizontalHeader()->setSortIndicatorShown(true);
    const int widest = widest_letters * m_view->fontMetrics().averageCharWidth();
    for (int column = 0; column < m_model->columnCount(); ++column)
        m_view->setColumnWidth(column, m_model->cellOf(column) < 0
                                           ? bar_width
                                           : std::min(widest, m_view->columnWidth(column) + 6));
    makeRoomForArrow(m_view->horizontalHeader()->sortIndicatorSection());
}

void AnalysisPanel::makeRoomForArrow(int column)
{
    const QHeaderView& header = *m_view->horizontalHeader();
    if (column >= 0 && column < m_model->columnCount())
        m_view->setColumnWidth(column, std::max(header.sectionSize(column), header.sectionSizeHint(column)));
}

void AnalysisPanel::refreshLegend()
{
    const Theme theme{palette()};
    std::vector<LegendChip> chips;
    for (const BarPart part : m_model->table().parts) {
        LegendChip chip;
        chip.id = -1;
        chip.text = partName(part);
        chip.colour = colourOf(part, theme);
        chips.push_back(chip);
    }
    m_legend->setChips(std::move(chips));
}

void AnalysisPanel::changeEvent(QEvent* event)
{
    PicturePanel::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitToFont();
}

} // namespace shardscope
