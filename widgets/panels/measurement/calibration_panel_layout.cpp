// How the window of a calibration is laid out.
#include "widgets/panels/measurement/calibration_panel.h"
#include "widgets/session/shown_text.h"

#include "widgets/plots/curves/scatter_view.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <array>

namespace shardscope
{

namespace
{

constexpr std::array table_ops{Op::all_reduce, Op::all_gather, Op::reduce_scatter, Op::all_to_all,
                               Op::broadcast};
constexpr int gesture_ms = 150;

QTreeWidget* table(const QStringList& head, const QString& name)
{
    auto* tree = new QTreeWidget;
    tree->setHeaderLabels(head);
    tree->setRootIsDecorated(false);
    tree->setUniformRowHeights(true);
    tree->setAccessibleName(name);
    tree->header()->setStretchLastSection(false);
    tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 1; column < tree->columnCount(); ++column)
        tree->headerItem()->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    return tree;
}

void markColumn(QTreeWidget& tree, int column, const QColor& colour)
{
    QPixmap mark{10, 10};
    mark.fill(colour);
    tree.headerItem()->setIcon(column, mark);
}

} // namespace

CalibrationPanel::CalibrationPanel(QWidget* parent)
    : QWidget{parent},
      m_files{new QListWidget},
      m_add{new QPushButton{tr("&Add files...")}},
      m_remove{new QPushButton{tr("&Remove")}},
      m_op{new QComboBox},
      m_per_node{new QSpinBox},
      m_summary{new QLabel},
      m_view{new ScatterView},
      m_constants{table({tr("Constant"), tr("Before"), tr("Fitted")}, tr("Constants of the cluster"))},
      m_rows{table({tr("Measurement"), tr("Measured"), tr("Before"), tr("Fitted"), tr("Left out")},
                   tr("Measurements and how far predictions are from them"))},
      m_notes{new QLabel},
      m_name{new QLineEdit},
      m_save{new QPushButton{tr("&Save as own cluster")}},
      m_take{new QPushButton{tr("&Use in the scenario")}},
      m_start{new QTimer{this}},
      m_job{[this](CalibrationAnswer answer) { answered(std::move(answer)); }}
{
    m_start->setSingleShot(true);
    m_start->setInterval(gesture_ms);
    setAcceptDrops(true);
    layOut();
    connectControls();
    showFit();
}

void CalibrationPanel::layOut()
{
    auto* column = new QVBoxLayout{this};
    column->addWidget(sourcesBox());
    m_summary->setWordWrap(true);
    column->addWidget(m_summary);
    column->addWidget(fitBox(), 1);
    m_notes->setWordWrap(true);
    m_notes->setForegroundRole(QPalette::PlaceholderText);
    column->addWidget(m_notes);
    column->addWidget(keepBox());
}

QWidget* CalibrationPanel::sourcesBox()
{
    constexpr int shown_files = 4;
    m_files->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_files->setAccessibleName(tr("Measurements"));
    m_files->setFixedHeight(shown_files * (fontMetrics().height() + 6));
    m_op->addItem(tr("as the table says"));
    for (const Op op : table_ops)
        m_op->addItem(toQString(word(op)), static_cast<int>(op));
    m_op->setToolTip(tr("The operation of nccl-tests tables that do not name theirs"));
    m_per_node->setRange(0, 1024);
    m_per_node->setSpecialValueText(tr("as the cluster's nodes"));
    m_per_node->setToolTip(tr("How many of a table's ranks share a node"));
    auto* box = new QWidget;
    auto* row = new QHBoxLayout{box};
    row->setContentsMargins(0, 0, 0, 0);
    auto* buttons = new QVBoxLayout;
    buttons->addWidget(m_add);
    buttons->addWidget(m_remove);
    buttons->addStretch();
    auto* form = new QFormLayout;
    form->addRow(tr("&Operation"), m_op);
    form->addRow(tr("Ranks on a &node"), m_per_node);
    row->addWidget(m_files, 1);
    row->addLayout(buttons);
    row->addSpacing(12);
    row->addLayout(form);
    return box;
}

QWidget* CalibrationPanel::fitBox()
{
    m_view->setAxisNames(tr("measured"), tr("predicted"));
    m_view->setAccessibleName(tr("Predicted over measured times"));
    m_view->setTip([this](int point) { return tipOf(point); });
    markColumn(*m_rows, 2, m_view->groupColour(0));
    markColumn(*m_rows, 3, m_view->groupColour(1));
    auto* tables = new QSplitter{Qt::Vertical};
    tables->addWidget(m_constants);
    tables->addWidget(m_rows);
    constexpr int shown_constants = 7;
    m_constants->setMaximumHeight(shown_constants * (fontMetrics().height() + 4));
    auto* both = new QSplitter{Qt::Horizontal};
    both->addWidget(pictureBox());
    both->addWidget(tables);
    both->setStretchFactor(0, 1);
    both->setStretchFactor(1, 1);
    m_rows->setMinimumWidth(560); // the measurements' names beside their figures
    return both;
}

QWidget* CalibrationPanel::pictureBox()
{
    auto* legend =
        new QLabel{tr("A point is a measurement, before and fitted; on the line: predicted as it was "
                      "measured; dashed: 10 % off")};
    legend->setWordWrap(true);
    legend->setForegroundRole(QPalette::PlaceholderText);
    auto* box = new QWidget;
    auto* column = new QVBoxLayout{box};
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_view, 1);
    column->addWidget(legend);
    return box;
}

QWidget* CalibrationPanel::keepBox()
{
    m_name->setPlaceholderText(tr("Name: letters, digits, -, _ and ."));
    m_name->setAccessibleName(tr("Name of the cluster"));
    m_take->setToolTip(tr("The scenario's cluster gets the fitted constants; undo takes them back"));
    m_save->setToolTip(tr("Keeps the fitted cluster among your own presets, in the list of clusters"));
    auto* box = new QWidget;
    auto* row = new QHBoxLayout{box};
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_take);
    row->addStretch();
    row->addWidget(m_name, 1);
    row->addWidget(m_save);
    return box;
}

} // namespace shardscope
