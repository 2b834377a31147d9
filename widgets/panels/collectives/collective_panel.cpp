#include "widgets/panels/collectives/collective_panel.h"

#include "widgets/models/table_text.h"
#include "widgets/panels/collectives/fit_bar.h"
#include "widgets/panels/controls/segment_button.h"
#include "widgets/panels/controls/short_choice_box.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/curves/curve_view.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"
#include "widgets/session/trace_loader.h"

#include "core/collectives/collective_time.h"

#include <QPainter>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

constexpr std::array shown_ops{Op::all_reduce, Op::all_gather, Op::reduce_scatter,
                               Op::all_to_all, Op::broadcast,  Op::reduce};
constexpr int bandwidth_handle = 0;
constexpr int latency_handle = 1;

} // namespace

CollectivePanel::CollectivePanel(QWidget* parent)
    : PicturePanel{parent},
      m_legend{new LegendChips{LegendChips::Use::legend, this}},
      m_op_box{new ShortChoiceBox{this}},
      m_group_box{new ShortChoiceBox{this}},
      m_size_box{new ShortChoiceBox{this}},
      m_systems_button{new QToolButton{this}},
      m_nodes_button{
          toggleButton(tr("nodes"),
                       tr("Along: the number of nodes, a line for each size; of several systems the GPUs of "
                          "their whole nodes"),
                       this)},
      m_time_button{toggleButton(tr("time"), tr("Heights are times instead of bus bandwidths"), this)},
      m_fit_button{new QToolButton{this}},
      m_fit_bar{new FitBar{this}},
      m_view{new CurveView{this}},
      m_fit{[this](CalibrationAnswer answer) { fitted(std::move(answer)); }}
{
    for (const Op op : shown_ops)
        m_op_box->addItem(toQString(word(op)), static_cast<int>(op));
    m_op_box->setToolTip(tr("The collective"));
    m_op_box->setAccessibleName(m_op_box->toolTip());
    m_group_box->setToolTip(tr("Which ranks take part: a group of the scenario, or whole nodes"));
    m_group_box->setAccessibleName(m_group_box->toolTip());
    m_fit_button->setText(tr("fit"));
    m_view->setAccessibleName(title());
    fillSystems();
    layOutPicture(this, m_legend, tools(), m_view);
    static_cast<QVBoxLayout*>(layout())->insertWidget(1, m_fit_bar);
    connectControls();
    refresh();
}

void CollectivePanel::connectControls()
{
    const auto again = [this] {
        readContent();
        refresh();
    };
    connect(m_op_box, &QComboBox::currentIndexChanged, this, again);
    connect(m_group_box, &QComboBox::currentIndexChanged, this, again);
    connect(m_size_box, &QComboBox::currentIndexChanged, this, again);
    connect(m_group_box, &QComboBox::activated, this, [this] { m_is_chosen = true; });
    for (QComboBox* box : {m_op_box, m_group_box})
        connect(box, &QComboBox::activated, this, [this] { m_seeks_measured = false; });
    connect(m_nodes_button, &SegmentButton::toggled, this,
            [this](bool on) { setAlong(on ? Along::nodes : Along::sizes); });
    connect(m_time_button, &SegmentButton::toggled, this,
            [this](bool on) { setUp(on ? Up::time : Up::bandwidth); });
    connect(m_fit_button, &QToolButton::clicked, this, &CollectivePanel::fitToMeasured);
    connect(m_fit_bar, &FitBar::takeWished, this, &CollectivePanel::takeFit);
    connect(m_fit_bar, &FitBar::closed, this, &CollectivePanel::leaveFit);
    connect(m_view, &CurveView::hovered, this, &CollectivePanel::onHovered);
    m_view->setTip([this](double x) { return tipAt(x); });
    connect(m_view, &CurveView::handleMoved, this, &CollectivePanel::onHandleMoved);
}

std::vector<QWidget*> CollectivePanel::tools() const
{
    return {m_op_box, m_group_box, m_size_box, m_systems_button, m_nodes_button, m_time_button, m_fit_button};
}

Op CollectivePanel::op() const
{
    return static_cast<Op>(m_op_box->currentData().toInt());
}

const CollectiveGroup* CollectivePanel::group() const
{
    const int place = m_group_box->currentIndex();
    return place >= 0 && place < static_cast<int>(m_groups.size())
               ? &m_groups[static_cast<std::size_t>(place)]
               : nullptr;
}

void CollectivePanel::setContent(const Content& content)
{
    const bool is_other_run =
        content.measured
        && (!m_content.measured || !areOfSameFiles(content.measured->traces, m_content.measured->traces));
    if (is_other_run || content.document != m_content.document)
        m_seeks_measured = true;
    m_content = content;
    if (content.predicted)
        setGroups();
    chooseMeasured();
    readContent();
    refresh();
    withdrawTold();
    if (m_hovered_at > 0.0 && !m_told)
        emit statusWished(statusAt(m_hovered_at));
    followFit();
}

// The group that was chosen stays chosen while the scenario has one like it: the same kind, or as many nodes.
void CollectivePanel::setGroups()
{
    const Scenario& scenario = m_content.predicted->scenario;
    std::vector<CollectiveGroup> groups = collectiveGroups(scenario);
    if (m_content.measured)
        for (CollectiveGroup& group : measuredGroups(m_content.measured->measurement, scenario, groups))
            groups.push_back(std::move(group));
    if (groups == m_groups)
        return;
    const CollectiveGroup before = group() != nullptr ? *group() : CollectiveGroup{};
    m_groups = std::move(groups);
    const auto alike = std::ranges::find_if(m_groups, [&](const CollectiveGroup& now) {
        return before.kind == Kind::unknown ? now.name == before.name : now.kind == before.kind;
    });
    const bool stays = m_is_chosen && alike != m_groups.end();
    const QSignalBlocker quiet{m_group_box};
    m_group_box->clear();
    for (const CollectiveGroup& each : m_groups)
        m_group_box->addItem(each.name);
    m_group_box->setCurrentIndex(stays ? static_cast<int>(alike - m_groups.begin()) : 0);
    m_group_box->updateGeometry(); // it told nobody of its new text
}

// What was told of a handle holds no longer once its move is undone.
void CollectivePanel::withdrawTold()
{
    constexpr double of_rounding = 0.01;
    if (!m_told)
        return;
    const std::vector<CurveHandle>& handles = m_view->scene().handles;
    const auto handle = static_cast<std::size_t>(m_told->handle);
    const double now = handle < handles.size() ? handles[handle].at.y() : 0.0;
    if (std::fabs(now / m_told->y - 1.0) < of_rounding)
        return;
    m_told.reset();
    emit statusWished({});
}

// A kind that is chosen elsewhere is shown here too.
void CollectivePanel::setSelection(const Selection& selection)
{
    const std::optional<Kind> kind =
        selection.message ? std::optional{selection.message->kind} : selection.kind;
    if (!kind)
        return;
    const auto found = std::ranges::find(m_groups, *kind, &CollectiveGroup::kind);
    if (found == m_groups.end() || *kind == Kind::unknown)
        return;
    m_group_box->setCurrentIndex(static_cast<int>(found - m_groups.begin()));
    m_is_chosen = true;
    if (selection.message)
        if (const int place = m_op_box->findData(static_cast<int>(selection.message->op)); place >= 0)
            m_op_box->setCurrentIndex(place);
}

void CollectivePanel::show(Op op, const QString& group)
{
    m_op_box->setCurrentIndex(m_op_box->findData(static_cast<int>(op)));
    m_group_box->setCurrentIndex(m_group_box->findText(group, Qt::MatchStartsWith));
    m_is_chosen = true;
}

void CollectivePanel::setAlong(Along along)
{
    m_along = along;
    m_nodes_button->setChecked(along == Along::nodes);
    readContent();
    refresh();
}

void CollectivePanel::setUp(Up up)
{
    m_up = up;
    m_time_button->setChecked(up == Up::time);
    refresh();
}

void CollectivePanel::resizeEvent(QResizeEvent* event)
{
    PicturePanel::resizeEvent(event);
    fitTools();
    // The verdict takes what the curves can spare, and two lines beside its button.
    constexpr int least_curves = 150;
    m_fit_bar->setMostLines(
        std::clamp((QWidget::height() - least_curves) / fontMetrics().lineSpacing(), 2, 6));
}

void CollectivePanel::readContent()
{
    m_series.clear();
    m_measured.clear();
    if (!m_content.predicted || group() == nullptr)
        return;
    m_series = m_along == Along::sizes ? seriesOverSizes() : seriesOverNodes();
    if (m_content.measured && m_along == Along::sizes)
        m_measured = measuredCollectives(m_content.measured->measurement, m_content.predicted->scenario, op(),
                                         *group());
}

void CollectivePanel::refresh()
{
    const bool over_nodes = m_along == Along::nodes;
    m_group_box->setVisible(!over_nodes);
    m_size_box->setVisible(over_nodes && !m_compared.isEmpty());
    updateLegend();
    fitTools();
    m_view->setScene(scene());
}

// Where there is room for one of two buttons, the menu of other systems is reached from the other's arrow.
void CollectivePanel::fitTools()
{
    m_fit_button->setVisible(!m_measured.empty());
    m_systems_button->setVisible(!m_systems.empty());
    m_systems_button->setText(tr("compare"));
    if (leastWidth() > width())
        m_systems_button->setText(tr("vs"));
    const bool is_on_arrow = !m_systems.empty() && !m_measured.empty() && leastWidth() > width();
    m_systems_button->setVisible(!m_systems.empty() && !is_on_arrow);
    m_fit_button->setMenu(is_on_arrow ? m_systems_button->menu() : nullptr);
    m_fit_button->setPopupMode(is_on_arrow ? QToolButton::MenuButtonPopup : QToolButton::DelayedPopup);
    m_fit_button->setToolTip(
        tr("Fit the cluster's constants to the measured points")
        + (is_on_arrow ? tr("; the arrow: %1").arg(m_systems_button->toolTip()) : QString{}));
    fitLegend(*this, *m_legend, tools());
    // That rings are measured is seen without a word; which operation is shown is not.
    if (m_compared.isEmpty() && m_legend->isVisibleTo(this) && width() < wholeWidth())
        m_legend->hide();
}

// Of all tools that are shown, each as short as it can be.
int CollectivePanel::leastWidth() const
{
    constexpr int between = 6;
    int sum = 3 * between; // at both ends, and where the legend begins
    for (const QWidget* tool : tools())
        if (!tool->isHidden())
            sum += tool->minimumSizeHint().width() + between;
    return sum;
}

// Of the legend and of all tools that are shown, with all of their texts.
int CollectivePanel::wholeWidth() const
{
    constexpr int between = 8;
    int sum = m_legend->sizeHint().width() + between;
    for (const QWidget* tool : tools())
        if (!tool->isHidden())
            sum += tool->sizeHint().width() + between;
    return sum;
}

void CollectivePanel::updateLegend()
{
    const Theme theme{palette()};
    std::vector<LegendChip> chips;
    const bool is_compared = !m_compared.isEmpty() && !m_series.empty();
    if (is_compared)
        chips.push_back({.id = -1, .text = ownName(), .colour = mainColour()});
    QColor shade = mainColour();
    shade.setAlphaF(0.3);
    if (!m_series.empty() && m_content.predicted->scenario.cluster.calibrated)
        chips.push_back({.id = -1, .text = tr("error"), .colour = shade});
    int other = 0;
    for (const System* system : is_compared ? compared() : std::vector<const System*>{})
        chips.push_back({.id = -1, .text = system->title, .colour = otherColour(other++)});
    if (!m_measured.empty())
        chips.push_back(
            {.id = -1, .text = tr("measured"), .colour = theme.colour(Hue::measured), .is_off = true});
    m_legend->setChips(std::move(chips));
}

void CollectivePanel::onHovered(double x)
{
    m_told.reset();
    m_hovered_at = x;
    emit statusWished(statusAt(x));
}

void CollectivePanel::onHandleMoved(int handle, double y, int drag)
{
    if (!m_content.predicted || group() == nullptr)
        return;
    Scenario wished = m_content.predicted->scenario;
    if (handle == latency_handle) {
        const std::int64_t bytes = latencySize();
        const double busbw_of_1_s =
            busBandwidthGBps(op(), group()->ranks, Bytes{static_cast<double>(bytes)}, Seconds{1.0});
        const double time_s = m_up == Up::time ? y : busbw_of_1_s / y;
        wished.cluster = withLatency(wished.cluster, op(), *group(), bytes, time_s);
        emit scenarioWished(wished, tr("Latency of collectives"), drag);
        emit statusWished(
            tr("latency: %1 for %2").arg(secondsText(time_s), bytesText(static_cast<double>(bytes))));
        m_told = Told{handle, y};
        return;
    }
    Q_ASSERT(handle == bandwidth_handle);
    const double ranks = group()->ranks;
    const CollectivePoint end = m_series.back().places.back().point;
    const double busbw = m_up == Up::bandwidth ? y : end.busbw_GBps * end.time_s / y;
    if (ranks > 1 && busbw > 0.0)
        wished.cluster = withBusBandwidth(wished.cluster, op(), *group(), busbw);
    emit scenarioWished(wished, tr("Bandwidth of collectives"), drag);
    emit statusWished(tr("bus bandwidth of large messages: %1 GB/s").arg(QString::number(busbw, 'g', 4)));
    m_told = Told{handle, y};
}

QString CollectivePanel::csv() const
{
    const QString along = m_along == Along::sizes ? QStringLiteral("message_bytes")
                          : hasGpusAlong()        ? QStringLiteral("gpus")
                                                  : QStringLiteral("nodes");
    TableRows table{{"series", "op", along, "time_s", "busbw_GBps", "error_low", "error_high"}};
    const QString name = toQString(word(op()));
    for (const Series& series : m_series)
        for (const Place& place : series.places)
            table.push_back({series.label, name, QString::number(place.along, 'f', 0),
                             QString::number(place.point.time_s, 'g', 9),
                             QString::number(place.point.busbw_GBps, 'g', 9),
                             QString::number(place.point.error_band[0], 'g', 9),
                             QString::number(place.point.error_band[1], 'g', 9)});
    for (const CalibrationPoint& point : m_measured) {
        const std::int64_t bytes = point.collective->message_bytes.front();
        table.push_back(
            {QStringLiteral("measured"),
             name,
             QString::number(bytes),
             QString::number(point.measured_s, 'g', 9),
             QString::number(busBandwidthGBps(op(), group()->ranks, Bytes{static_cast<double>(bytes)},
                                              Seconds{point.measured_s}),
                             'g', 9),
             {},
             {}});
    }
    return csvText(table);
}

void CollectivePanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    const double head = m_legend->paintTo(painter, rectangle);
    m_view->paintTo(painter, rectangle.adjusted(0, head, 0, 0));
}

} // namespace shardscope
