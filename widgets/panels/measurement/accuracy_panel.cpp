#include "widgets/panels/measurement/accuracy_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/plots/curves/scatter_view.h"
#include "widgets/session/shown_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace shardscope
{

namespace
{

struct Errors {
    int count = 0;
    double sizes = 0.0;
    double signs = 0.0;
    std::vector<double> all;

    void add(double error)
    {
        ++count;
        sizes += std::fabs(error);
        signs += error;
        all.push_back(std::fabs(error));
    }
    double mean() const { return sizes / count; }
    double bias() const { return signs / count; }
    // Within which so large a share of the cases lies.
    double within(double share) const
    {
        std::vector<double> sorted = all;
        std::ranges::sort(sorted);
        return sorted[static_cast<std::size_t>(std::ceil(share * count)) - 1];
    }
};

struct Group {
    QString name;
    bool in_part = false;
    Errors errors;
};

// Beside a group's name: as its points are drawn.
QPixmap markOf(const QColor& colour, bool hollow)
{
    constexpr int size = 10;
    QPixmap mark{size, size};
    mark.fill(hollow ? Qt::transparent : colour);
    if (hollow) {
        QPainter painter{&mark};
        painter.setPen(QPen{colour, 2.0});
        painter.drawRect(QRect{1, 1, size - 2, size - 2});
    }
    return mark;
}

QTreeWidgetItem* addRow(QTreeWidget& table, const QString& name, const Errors& errors, int group)
{
    auto* row = new QTreeWidgetItem{&table,
                                    {name, QString::number(errors.count), percentText(errors.mean()),
                                     signedPercentText(errors.bias()), percentText(errors.within(0.8)),
                                     percentText(errors.within(0.9))}};
    row->setData(0, Qt::UserRole, group);
    row->setToolTip(0, name);
    for (int column = 1; column < table.columnCount(); ++column)
        row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    return row;
}

} // namespace

AccuracyPanel::AccuracyPanel(AccuracyPage page, QWidget* parent)
    : QWidget{parent},
      m_page{std::move(page)},
      m_by{new QComboBox},
      m_unseen{new QCheckBox},
      m_in_part{new QCheckBox},
      m_table{new QTreeWidget},
      m_view{new ScatterView},
      m_note{new QLabel}
{
    m_note->setWordWrap(true);
    tellShownModel(TimeModel::detailed);
    m_view->setUnit(m_page.unit);
    m_view->setAxisNames(m_page.x_name, m_page.y_name);
    m_view->setAccessibleName(tr("Predicted over measured"));
    m_view->setTip([this](int point) { return tipOf(point); });
    prepareTable();
    auto* column = new QVBoxLayout{this};
    column->addWidget(m_note);
    column->addLayout(makeControls());
    column->addWidget(makePictures(), 1);
    auto* hint = new QLabel{m_page.hint};
    hint->setWordWrap(true);
    column->addWidget(hint);
    connectParts();
    regroup();
}

QLayout* AccuracyPanel::makeControls()
{
    m_by->addItems(m_page.groupings);
    auto* label = new QLabel{tr("Group &by")};
    label->setBuddy(m_by);
    auto* controls = new QHBoxLayout;
    controls->addWidget(label);
    controls->addWidget(m_by);
    for (const auto& [box, choice] :
         {std::pair{m_unseen, &m_page.unseen}, std::pair{m_in_part, &m_page.in_part}}) {
        controls->addWidget(box);
        if (!*choice) {
            box->hide();
            continue;
        }
        box->setText((*choice)->label);
        box->setToolTip((*choice)->tip);
        box->setChecked((*choice)->is_first);
    }
    controls->addStretch();
    return controls;
}

void AccuracyPanel::prepareTable()
{
    m_table->setHeaderLabels(
        {tr("Group"), tr("Cases"), tr("Mean error"), tr("Bias"), tr("4 of 5 within"), tr("9 of 10 within")});
    m_table->headerItem()->setToolTip(
        2, tr("How far predictions are off, whether above or below: the mean of the "
              "sizes"));
    m_table->headerItem()->setToolTip(3, m_page.bias_tip);
    m_table->headerItem()->setToolTip(
        4, tr("Four of five cases are predicted within this error. The band beside a predicted time says as "
              "much of steps on its type of GPU, from sources that the constants were found without"));
    m_table->headerItem()->setToolTip(5,
                                      tr("Nine of ten cases are predicted within this error; one of ten is "
                                         "further off"));
    m_table->setRootIsDecorated(false);
    m_table->setTextElideMode(Qt::ElideMiddle); // sources have long names, which may differ at their end
    m_table->header()->setStretchLastSection(false);
    m_table->setAccessibleName(tr("Errors by group"));
    m_table->setMinimumWidth(620); // the groups' names beside their figures
}

QWidget* AccuracyPanel::makePictures()
{
    auto* both = new QSplitter{Qt::Horizontal};
    both->addWidget(m_view);
    both->addWidget(m_table);
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 2);
    return both;
}

void AccuracyPanel::connectParts()
{
    connect(m_by, &QComboBox::currentIndexChanged, this, &AccuracyPanel::regroup);
    connect(m_unseen, &QCheckBox::toggled, this, &AccuracyPanel::showPredictions);
    connect(m_in_part, &QCheckBox::toggled, this, &AccuracyPanel::showPredictions);
    connect(m_table, &QTreeWidget::itemSelectionChanged, this, [this] {
        const QList<QTreeWidgetItem*> chosen = m_table->selectedItems();
        m_view->setHighlightedGroup(chosen.isEmpty() ? -1 : chosen.front()->data(0, Qt::UserRole).toInt());
    });
    connect(m_view, &ScatterView::activated, this,
            [this](int point) { open(m_page.points[m_shown[static_cast<std::size_t>(point)]]); });
}

void AccuracyPanel::open(const AccuracyPoint& point)
{
    if (point.scenario)
        emit opened(*point.scenario, point.name);
    else if (!point.system.isEmpty())
        emit systemChosen(point.system);
}

void AccuracyPanel::tellShownModel(TimeModel shown)
{
    QString text = m_page.note;
    if (m_page.is_of_time_model && shown == TimeModel::li)
        text += tr(" The scenario on screen has <b>Li et al.'s formula</b>, of whose times these errors say "
                   "nothing: choose the detailed model under Time model to have them.");
    m_note->setText(text);
}

const AccuracyGroup& AccuracyPanel::groupOf(const AccuracyPoint& point) const
{
    return point.groups[static_cast<std::size_t>(m_by->currentIndex())];
}

double AccuracyPanel::predicted(const AccuracyPoint& point) const
{
    return m_unseen->isChecked() ? point.unseen.value_or(point.predicted) : point.predicted;
}

bool AccuracyPanel::isShown(const AccuracyPoint& point) const
{
    return !point.in_part || !m_page.in_part || m_in_part->isChecked();
}

void AccuracyPanel::regroup()
{
    std::map<AccuracyGroup, int> groups;
    for (const AccuracyPoint& point : m_page.points)
        groups.insert({groupOf(point), 0});
    int group = 0;
    for (auto& [key, index] : groups)
        index = group++;
    m_groups.clear();
    for (const AccuracyPoint& point : m_page.points)
        m_groups.push_back(groups.at(groupOf(point)));
    showPredictions();
}

void AccuracyPanel::showPredictions()
{
    m_shown.clear();
    std::vector<ScatterPoint> points;
    for (std::size_t i = 0; i < m_page.points.size(); ++i) {
        const AccuracyPoint& point = m_page.points[i];
        if (!isShown(point))
            continue;
        m_shown.push_back(i);
        points.push_back({point.measured, predicted(point), m_groups[i], point.in_part});
    }
    m_view->setPoints(std::move(points));
    m_view->setHighlightedGroup(-1);
    fillTable();
}

void AccuracyPanel::fillTable()
{
    std::map<int, Group> groups;
    Errors in_full;
    Errors in_part;
    for (const std::size_t i : m_shown) {
        const AccuracyPoint& point = m_page.points[i];
        const double error = predicted(point) / point.measured - 1.0;
        Group& group = groups[m_groups[i]];
        group.name = groupOf(point).name;
        group.in_part = point.in_part;
        group.errors.add(error);
        (point.in_part ? in_part : in_full).add(error);
    }
    m_table->clear();
    if (in_full.count > 0)
        addRow(*m_table, in_part.count > 0 ? tr("All told in full") : tr("All"), in_full, -1);
    if (in_part.count > 0)
        addRow(*m_table, tr("All told in part"), in_part, -1);
    for (const auto& [index, group] : groups)
        addRow(*m_table, group.name, group.errors, index)
            ->setIcon(0, markOf(m_view->groupColour(index), group.in_part));
    for (int column = 1; column < m_table->columnCount(); ++column)
        m_table->resizeColumnToContents(column);
    m_table->header()->setSectionResizeMode(0, QHeaderView::Stretch);
}

QString AccuracyPanel::valueText(double value) const
{
    switch (m_page.unit) {
    case AxisUnit::seconds:
        return secondsText(value);
    case AxisUnit::bytes:
        return bytesText(value);
    case AxisUnit::share:
        return percentText(value);
    case AxisUnit::count:
    case AxisUnit::doublings:
        break;
    }
    return countText(value);
}

QString AccuracyPanel::tipOf(int index) const
{
    const AccuracyPoint& point = m_page.points[m_shown[static_cast<std::size_t>(index)]];
    const QString figures = tr("measured %1, predicted %2 (%3)")
                                .arg(valueText(point.measured), valueText(predicted(point)),
                                     signedPercentText(predicted(point) / point.measured - 1.0));
    QStringList lines{QString{"<b>%1</b>"}.arg(point.name.toHtmlEscaped()),
                      QString{"<span style='white-space:nowrap'>%1</span>"}.arg(figures)};
    for (const QString& line : point.about)
        lines.push_back(line.toHtmlEscaped());
    return lines.join("<br>");
}

} // namespace shardscope
