#include "widgets/panels/measurement/accuracy_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/plots/curves/scatter_view.h"
#include "widgets/session/shown_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>

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
    double nineOfTen() const
    {
        std::vector<double> sorted = all;
        std::ranges::sort(sorted);
        return sorted[static_cast<std::size_t>(std::ceil(0.9 * count)) - 1];
    }
};

QString scaleName(int gpus)
{
    return gpus <= 8     ? QObject::tr("up to 8 GPUs")
           : gpus <= 64  ? QObject::tr("to 64 GPUs")
           : gpus <= 512 ? QObject::tr("to 512 GPUs")
                         : QObject::tr("more than 512 GPUs");
}

QString sizeName(double parameters)
{
    return parameters < 1e9     ? QObject::tr("below 1 billion")
           : parameters < 10e9  ? QObject::tr("1 to 10 billion")
           : parameters < 100e9 ? QObject::tr("10 to 100 billion")
                                : QObject::tr("100 billion and more");
}

// Groups stand by this, then by name.
int groupOrder(const MeasuredCase& entry, int by)
{
    if (by == 2)
        return entry.gpus <= 8 ? 0 : entry.gpus <= 64 ? 1 : entry.gpus <= 512 ? 2 : 3;
    if (by == 3)
        return entry.parameters < 1e9 ? 0 : entry.parameters < 10e9 ? 1 : entry.parameters < 100e9 ? 2 : 3;
    return 0;
}

QString groupName(const MeasuredCase& entry, int by)
{
    switch (by) {
    case 0:
        return toQString(entry.source);
    case 1:
        return toQString(entry.gpu);
    case 2:
        return scaleName(entry.gpus);
    default:
        return sizeName(entry.parameters);
    }
}

} // namespace

AccuracyPanel::AccuracyPanel(std::vector<MeasuredCase> cases, QWidget* parent)
    : QWidget{parent},
      m_cases{std::move(cases)},
      m_by{new QComboBox},
      m_unseen{new QCheckBox{tr("By constants that never saw the &source")}},
      m_table{new QTreeWidget},
      m_view{new ScatterView},
      m_model{new QLabel}
{
    m_model->setWordWrap(true);
    tellShownModel(TimeModel::detailed);
    m_view->setAxisNames(tr("measured"), tr("predicted"));
    m_view->setAccessibleName(tr("Predicted over measured iteration times"));
    m_view->setTip([this](int point) { return tipOf(point); });
    prepareTable();
    auto* column = new QVBoxLayout{this};
    column->addWidget(m_model);
    column->addLayout(makeControls());
    column->addWidget(makePictures(), 1);
    auto* hint = new QLabel{tr("Each point is a published training step; dashed: 10 % off. A double click "
                               "opens its configuration as the scenario. docs/accuracy.md tells how it "
                               "was measured.")};
    hint->setWordWrap(true);
    column->addWidget(hint);
    connectParts();
    regroup();
}

QLayout* AccuracyPanel::makeControls()
{
    m_unseen->setToolTip(
        tr("Predicted by constants that were found without any step of the same source: what to "
           "expect of a run that nobody has measured. Off: by the constants that ship, which "
           "have seen every step."));
    m_unseen->setChecked(true);
    m_by->addItems({tr("Source"), tr("GPU"), tr("Number of GPUs"), tr("Size of the model")});
    auto* label = new QLabel{tr("&Group by")};
    label->setBuddy(m_by);
    auto* controls = new QHBoxLayout;
    controls->addWidget(label);
    controls->addWidget(m_by);
    controls->addWidget(m_unseen);
    controls->addStretch();
    return controls;
}

void AccuracyPanel::prepareTable()
{
    m_table->setHeaderLabels(
        {tr("Group"), tr("Cases"), tr("Mean error"), tr("Bias"), tr("Nine of ten within")});
    m_table->headerItem()->setToolTip(
        2, tr("How far predictions are off, whether above or below: the mean of the "
              "sizes"));
    m_table->headerItem()->setToolTip(3, tr("The mean with its sign: above 0, predictions are too slow"));
    m_table->headerItem()->setToolTip(4,
                                      tr("Nine of ten steps are predicted within this error; one of ten is "
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
    connect(m_unseen, &QCheckBox::toggled, this, &AccuracyPanel::showTimes);
    connect(m_table, &QTreeWidget::itemSelectionChanged, this, [this] {
        const QList<QTreeWidgetItem*> chosen = m_table->selectedItems();
        m_view->setHighlightedGroup(chosen.isEmpty() ? -1 : chosen.front()->data(0, Qt::UserRole).toInt());
    });
    connect(m_view, &ScatterView::activated, this, [this](int point) {
        const MeasuredCase& entry = m_cases[static_cast<std::size_t>(point)];
        emit opened(entry.scenario, toQString(entry.id));
    });
}

void AccuracyPanel::tellShownModel(TimeModel shown)
{
    QString text = tr("Every time here is predicted by the <b>detailed</b> time model.");
    if (shown == TimeModel::li)
        text += tr(" The scenario on screen has <b>Li et al.'s formula</b>, of whose times these errors say "
                   "nothing: choose the detailed model under Time model to have them.");
    m_model->setText(text);
}

double AccuracyPanel::predicted(const MeasuredCase& entry) const
{
    return m_unseen->isChecked() ? entry.source_left_out_s : entry.predicted_s;
}

void AccuracyPanel::regroup()
{
    const auto keyOf = [by = m_by->currentIndex()](const MeasuredCase& entry) {
        return std::pair{groupOrder(entry, by), groupName(entry, by)};
    };
    std::map<std::pair<int, QString>, int> groups;
    for (const MeasuredCase& entry : m_cases)
        groups.insert({keyOf(entry), 0});
    int group = 0;
    for (auto& [key, index] : groups)
        index = group++;
    m_groups.clear();
    for (const MeasuredCase& entry : m_cases)
        m_groups.push_back(groups.at(keyOf(entry)));
    showTimes();
}

void AccuracyPanel::showTimes()
{
    std::vector<ScatterPoint> points;
    std::map<int, std::pair<QString, Errors>> groups;
    Errors all;
    for (std::size_t i = 0; i < m_cases.size(); ++i) {
        const MeasuredCase& entry = m_cases[i];
        points.push_back({entry.measured_s, predicted(entry), m_groups[i]});
        auto& [name, errors] = groups[m_groups[i]];
        name = groupName(entry, m_by->currentIndex());
        errors.add(predicted(entry) / entry.measured_s - 1.0);
        all.add(predicted(entry) / entry.measured_s - 1.0);
    }
    m_view->setPoints(std::move(points));
    m_view->setHighlightedGroup(-1);
    m_table->clear();
    const auto addRow = [this](const QString& name, const Errors& errors, int group) {
        auto* row = new QTreeWidgetItem{m_table,
                                        {name, QString::number(errors.count), percentText(errors.mean()),
                                         signedPercentText(errors.bias()), percentText(errors.nineOfTen())}};
        row->setData(0, Qt::UserRole, group);
        row->setToolTip(0, name);
        for (int column = 1; column < m_table->columnCount(); ++column)
            row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
        if (group < 0)
            return;
        QPixmap colour{10, 10};
        colour.fill(m_view->groupColour(group));
        row->setIcon(0, colour);
    };
    if (all.count > 0)
        addRow(tr("All"), all, -1);
    for (const auto& [group, named] : groups)
        addRow(named.first, named.second, group);
    for (int column = 1; column < m_table->columnCount(); ++column)
        m_table->resizeColumnToContents(column);
    m_table->header()->setSectionResizeMode(0, QHeaderView::Stretch);
}

QString AccuracyPanel::tipOf(int point) const
{
    const MeasuredCase& entry = m_cases[static_cast<std::size_t>(point)];
    return QString{"<b>%1</b><br>%2<br>%3<br>%4"}.arg(
        toQString(entry.id).toHtmlEscaped(),
        tr("measured %1, predicted %2 (%3)")
            .arg(secondsText(entry.measured_s), secondsText(predicted(entry)),
                 signedPercentText(predicted(entry) / entry.measured_s - 1.0)),
        toQString(entry.source).toHtmlEscaped(), toQString(entry.reference).toHtmlEscaped());
}

} // namespace shardscope
