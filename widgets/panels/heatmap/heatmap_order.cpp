#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/heatmap/rank_order_strip.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/plots/bars/legend_chips.h"

#include "core/scenario/rank_order.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSpinBox>
#include <QVBoxLayout>

// The order of ranks above the heatmap: the dimensions to drag, and the two mappings of Li et al.

namespace shardscope
{

namespace
{

constexpr int least_height_with_order = 270;
// Where the row takes the place of the legend's other lines.
constexpr int least_height_without_legend_lines = 190;
constexpr int own_order = -1;

struct Mapping {
    const char* name;
    RankOrder order;
};
// Li et al. 2024: data peers near each other, or stages near each other.
constexpr std::array<Mapping, 2> mappings{{
    {"default: tp-dp-pp", megatron_rank_order},
    {"custom: tp-pp-dp", {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp, Dimension::dp}},
}};

// The order of the dimensions of more than one place: what can be told apart.
std::vector<Dimension> ofSeveral(const Parallel& parallel, const RankOrder& order)
{
    std::vector<Dimension> several;
    for (const Dimension dimension : order)
        if (sizeOf(parallel, dimension) > 1)
            several.push_back(dimension);
    return several;
}

} // namespace

QWidget* HeatmapPanel::makeOrderRow()
{
    m_order_row = new QWidget{this};
    m_order_row->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_order = new RankOrderStrip{m_order_row};
    m_mapping_box = new QComboBox{m_order_row};
    m_mapping_box->setToolTip(
        QStringLiteral("Mapping of ranks to nodes: default and custom of Li et al. 2024"));
    m_mapping_box->setAccessibleName(QStringLiteral("Mapping of ranks"));
    for (std::size_t i = 0; i < mappings.size(); ++i)
        m_mapping_box->addItem(QString::fromUtf8(mappings[i].name), static_cast<int>(i));
    auto* line = new QHBoxLayout{m_order_row};
    line->setContentsMargins(6, 0, 6, 0);
    line->setSpacing(8);
    line->addWidget(m_order);
    line->addStretch(1);
    line->addWidget(m_pod_box);
    line->addWidget(m_mapping_box);
    connect(m_order, &RankOrderStrip::orderWished, this,
            [this](const RankOrder& order) { wishOrder(order, QStringLiteral("Order of ranks")); });
    connect(m_mapping_box, &QComboBox::activated, this, [this](int row) {
        const int chosen = m_mapping_box->itemData(row).toInt();
        if (chosen != own_order)
            wishOrder(mappings[static_cast<std::size_t>(chosen)].order, QStringLiteral("Mapping"));
    });
    return m_order_row;
}

// With fewer than two dimensions there is no order; nodes have pods all the same.
void HeatmapPanel::showOrder()
{
    if (!m_content.predicted) {
        m_order_row->hide();
        return;
    }
    const Parallel& parallel = m_content.predicted->scenario.parallel;
    m_order->setParallel(parallel);
    const std::vector<Dimension> order = ofSeveral(parallel, parallel.rank_order);
    int mapping = own_order;
    for (std::size_t i = mappings.size(); i-- > 0;)
        if (ofSeveral(parallel, mappings[i].order) == order)
            mapping = static_cast<int>(i);
    const int own_row = m_mapping_box->findData(own_order);
    if (mapping == own_order && own_row < 0)
        m_mapping_box->addItem(QStringLiteral("own order"), own_order);
    else if (mapping != own_order && own_row >= 0)
        m_mapping_box->removeItem(own_row);
    m_mapping_box->setCurrentIndex(m_mapping_box->findData(mapping));
    m_has_mappings = parallel.data > 1 && parallel.pipeline > 1;
    m_order->setVisible(order.size() > 1);
    placeOrderRow();
}

// In a low picture the row of the order, whose dimensions can be dragged, is worth more than kinds beyond the
// first line, which are counted then.
bool HeatmapPanel::orderTakesLegendLines() const
{
    int room = width() - 24;
    for (const QWidget* tool : tools())
        if (!tool->isHidden())
            room -= tool->sizeHint().width() + 6;
    return height() >= least_height_without_legend_lines && height() < least_height_with_order
           && m_legend->linesFor(room) > 1;
}

void HeatmapPanel::fitHead()
{
    placeOrderRow();
    auto* column = qobject_cast<QVBoxLayout*>(layout());
    const bool has_row_of_its_own = column->indexOf(m_order_row) >= 0 && !m_order_row->isHidden();
    fitLegend(*this, *m_legend, tools(),
              has_row_of_its_own && orderTakesLegendLines() ? 1 : most_legend_lines);
}

// Beside the legend where both fit, the legend on two lines if need be; else in a row of its own where the
// picture stays large enough. The nodes of a pod come last, and alone where there is no order.
void HeatmapPanel::placeOrderRow()
{
    const bool has_order = m_order->chips().size() > 1;
    const bool has_pods = m_predicted.of() && m_predicted.of()->prediction.world_size > gpusPerNode();
    if (!m_content.predicted || !(has_order || has_pods)) {
        m_order_row->hide();
        return;
    }
    int room = width() - m_legend->sizeHint().width() * 3 / 5 - 24;
    for (const QWidget* tool : tools())
        if (!tool->isHidden())
            room -= tool->sizeHint().width() + 6;
    const int strip = has_order ? m_order->sizeHint().width() + 12 : 0;
    const int mapping = m_mapping_box->sizeHint().width() + 8;
    const int pods = m_pod_box->sizeHint().width() + 8;
    const bool beside = (has_order ? strip : pods) <= room;
    auto* column = qobject_cast<QVBoxLayout*>(layout());
    auto* head = qobject_cast<QHBoxLayout*>(column->itemAt(0)->layout());
    if (beside && head->indexOf(m_order_row) < 0)
        head->insertWidget(1, m_order_row, 0, Qt::AlignTop);
    else if (!beside && head->indexOf(m_order_row) >= 0)
        column->insertWidget(1, m_order_row);
    const bool is_high = height() >= least_height_with_order || orderTakesLegendLines();
    m_order_row->setVisible(beside || (is_high && strip <= width()));
    const int rest = (beside ? room : width()) - strip;
    m_mapping_box->setVisible(m_has_mappings && mapping <= rest);
    m_pod_box->setVisible(has_pods && pods <= rest - (m_has_mappings ? mapping : 0));
    if (!beside)
        return;
    // By pixels: the row what it shows, the legend what is left.
    const int shown = strip + (m_mapping_box->isHidden() ? 0 : mapping) + (m_pod_box->isHidden() ? 0 : pods);
    const auto give = [head](QWidget* part, int stretch) { // Qt lays all out anew even where it is as before
        if (head->stretch(head->indexOf(part)) != stretch)
            head->setStretchFactor(part, stretch);
    };
    give(m_order_row, shown);
    give(m_legend, std::max(1, room + m_legend->sizeHint().width() * 3 / 5 - shown));
}

void HeatmapPanel::wishOrder(const RankOrder& order, const QString& gesture)
{
    if (!m_content.predicted || order == m_content.predicted->scenario.parallel.rank_order)
        return;
    Scenario scenario = m_content.predicted->scenario;
    scenario.parallel.rank_order = order;
    emit scenarioWished(scenario, gesture);
}

} // namespace shardscope
