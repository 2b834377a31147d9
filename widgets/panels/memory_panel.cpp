#include "widgets/panels/memory_panel.h"

#include "widgets/models/message_counts.h"
#include "widgets/models/table_text.h"
#include "widgets/panels/chart_frame.h"
#include "widgets/panels/explanation_html.h"
#include "widgets/panels/selection_steps.h"
#include "widgets/plots/bar_chart.h"
#include "widgets/plots/legend_chips.h"
#include "widgets/plots/theme.h"

#include "core/base/format.h"
#include "core/prediction/rank_layout.h"

#include <QEvent>

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

struct MemoryPart {
    const char* name;
    Hue hue;
    Figure figure;
    std::int64_t StageMemory::*bytes;
    BarTexture texture = BarTexture::solid;
};

// From the ground up.
constexpr std::array<MemoryPart, 8> memory_parts{{
    {"weights", Hue::weights, Figure::weights_memory, &StageMemory::weights_bytes},
    {"gradients", Hue::gradients, Figure::gradients_memory, &StageMemory::gradients_bytes},
    {"optimizer", Hue::optimizer, Figure::optimizer_memory, &StageMemory::optimizer_bytes},
    {"activations", Hue::activations, Figure::activations_memory, &StageMemory::activations_bytes},
    {"temporaries", Hue::activations, Figure::temporaries_memory, &StageMemory::temporaries_bytes,
     BarTexture::striped},
    {"buffers", Hue::memory_copy, Figure::buffers_memory, &StageMemory::buffers_bytes},
    {"cached", Hue::idle, Figure::cached_memory, &StageMemory::cached_bytes},
    {"context", Hue::unknown, Figure::context_memory, &StageMemory::context_bytes},
}};

QString bytesText(double bytes)
{
    return QString::fromStdString(formatBytes(bytes));
}

QString groupedText(std::int64_t value)
{
    return QString::fromStdString(formatGrouped(value));
}

double capacityBytes(const PredictedScenario& predicted)
{
    return static_cast<double>(predicted.prediction.memory.capacity_bytes);
}

double peakOf(const PredictedScenario& predicted)
{
    double peak = 0.0;
    for (const StageMemory& stage : predicted.prediction.memory.stages)
        peak = std::max(peak, static_cast<double>(stage.deviceBytes()));
    return peak;
}

} // namespace

MemoryPanel::MemoryPanel(QWidget* parent)
    : PicturePanel{parent},
      m_legend{new LegendChips{LegendChips::Use::legend, this}},
      m_chart{new BarChart{Qt::Vertical, this}}
{
    layOutChart(this, m_legend, m_chart);
    m_chart->setAccessibleName(title());
    m_chart->setTip([this](int bar, int segment) { return tip(bar, segment); });
    connect(m_chart, &BarChart::activated, this, &MemoryPanel::onActivated);
    connect(m_chart, &BarChart::hovered, this, [this](int bar, int segment) {
        emit statusWished(bar < 0 ? QString{} : sentence(bar, segment));
    });
    refresh();
}

void MemoryPanel::setContent(const Content& content)
{
    m_content = content;
    refresh();
}

void MemoryPanel::setSelection(const Selection& selection)
{
    const bool is_other_rank = selection.rank != m_selection.rank;
    m_selection = selection;
    if (is_other_rank)
        refresh();
}

void MemoryPanel::changeEvent(QEvent* event)
{
    PicturePanel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        refresh();
}

void MemoryPanel::refresh()
{
    const Theme theme{palette()};
    std::vector<LegendChip> chips;
    for (const MemoryPart& part : memory_parts)
        chips.push_back({.id = -1, .text = QString::fromUtf8(part.name), .colour = theme.colour(part.hue)});
    m_legend->setChips(std::move(chips));
    m_ghosts = m_content.pinned && m_content.predicted
                   ? static_cast<int>(m_content.pinned->prediction.memory.stages.size())
                   : 0;
    m_chart->setScene(scene());
}

BarScene MemoryPanel::scene() const
{
    BarScene scene;
    scene.unit = AxisUnit::bytes;
    if (!m_content.predicted) {
        scene.hint = QStringLiteral("Set a valid scenario to see what each stage holds");
        return scene;
    }
    const std::vector<StageMemory>& stages = m_content.predicted->prediction.memory.stages;
    const double capacity = capacityBytes(*m_content.predicted);
    double highest = peakOf(*m_content.predicted);
    std::size_t places = stages.size();
    if (m_ghosts > 0) {
        appendGhosts(scene);
        highest = std::max(highest, peakOf(*m_content.pinned));
        places = std::max(places, m_content.pinned->prediction.memory.stages.size());
    }
    const int marked = m_selection.rank ? stageOf(m_content.predicted->scenario, *m_selection.rank) : -1;
    for (const StageMemory& stage : stages)
        scene.bars.push_back(stageBar(stage, capacity, marked));
    for (std::size_t i = 0; i < places; ++i)
        scene.category_labels.push_back({static_cast<double>(i), QString::number(i)});
    scene.category_title = QStringLiteral("stage");
    scene.category_low = -0.5;
    scene.category_high = static_cast<double>(places) - 0.5;
    scene.limit = BarLimit{capacity, QStringLiteral("capacity %1").arg(bytesText(capacity))};
    // A capacity far above everything would press the bars flat: then its figure stands at the top edge
    // instead.
    const double top = highest > capacity / 8.0 ? std::max(capacity, highest) : highest * 1.1;
    scene.value_high = std::max(1.0, ceilingTick(top * 1.1, AxisUnit::bytes));
    if (capacity > scene.value_high)
        scene.limit->text += QStringLiteral(" ↑");
    return scene;
}

void MemoryPanel::appendGhosts(BarScene& scene) const
{
    const Theme theme{palette()};
    for (const StageMemory& stage : m_content.pinned->prediction.memory.stages) {
        Bar ghost;
        ghost.centre = stage.stage;
        ghost.thickness = 0.94;
        ghost.is_ghost = true;
        ghost.segments.push_back({static_cast<double>(stage.deviceBytes()), theme.faintText(),
                                  BarTexture::outline, false, QString{}, QString{}});
        scene.bars.push_back(std::move(ghost));
    }
}

Bar MemoryPanel::stageBar(const StageMemory& memory, double capacity_bytes, int marked_stage) const
{
    const Theme theme{palette()};
    const double total = static_cast<double>(memory.deviceBytes());
    Bar bar;
    bar.centre = memory.stage;
    bar.thickness = 0.74;
    bar.most_pixels = 160.0;
    bar.is_marked = memory.stage == marked_stage;
    bar.caption = bytesText(total);
    if (total > capacity_bytes)
        bar.remark = QStringLiteral("%1 too much").arg(bytesText(total - capacity_bytes));
    const bool is_faded = marked_stage >= 0 && !bar.is_marked;
    for (const MemoryPart& part : memory_parts) {
        const double bytes = static_cast<double>(memory.*part.bytes);
        bar.segments.push_back({bytes, theme.colour(part.hue), part.texture, is_faded,
                                QString::fromUtf8(part.name), bytesText(bytes)});
    }
    return bar;
}

int MemoryPanel::stageOfBar(int bar) const
{
    return bar - m_ghosts;
}

QString MemoryPanel::sentence(int bar, int segment) const
{
    const StageMemory& memory =
        m_content.predicted->prediction.memory.stages[static_cast<std::size_t>(stageOfBar(bar))];
    const MemoryPart& part = memory_parts[static_cast<std::size_t>(segment)];
    const double total = static_cast<double>(memory.deviceBytes());
    const double bytes = static_cast<double>(memory.*part.bytes);
    return QStringLiteral("Stage %1, %2: %3, %4 of %5")
        .arg(memory.stage)
        .arg(QString::fromUtf8(part.name), bytesText(bytes),
             QString::fromStdString(formatRatio(bytes / total)), bytesText(total));
}

QString MemoryPanel::tip(int bar, int segment) const
{
    const auto stage = static_cast<std::size_t>(stageOfBar(bar));
    const StageMemory& memory = m_content.predicted->prediction.memory.stages[stage];
    QString text = QStringLiteral("<b>%1</b><br>%2 bytes, %3 in all")
                       .arg(sentence(bar, segment),
                            groupedText(memory.*memory_parts[static_cast<std::size_t>(segment)].bytes),
                            groupedText(memory.deviceBytes()));
    const double over = static_cast<double>(memory.deviceBytes()) - capacityBytes(*m_content.predicted);
    text += over > 0.0 ? QStringLiteral("<br>%1 more than the GPU has").arg(bytesText(over))
                       : QStringLiteral("<br>%1 of the GPU stay free").arg(bytesText(-over));
    if (m_content.pinned && stage < m_content.pinned->prediction.memory.stages.size())
        text += QStringLiteral("<br>Pinned: %1")
                    .arg(bytesText(static_cast<double>(
                        m_content.pinned->prediction.memory.stages[stage].deviceBytes())));
    return text
           + explanationHtml(explain(memory_parts[static_cast<std::size_t>(segment)].figure,
                                     m_content.predicted->scenario, m_content.predicted->prediction,
                                     memory.stage));
}

void MemoryPanel::onActivated(int bar)
{
    if (bar < 0 || !m_content.predicted) {
        emit selectionWished({});
        return;
    }
    RankCoordinates place;
    place.pp = stageOfBar(bar);
    const std::int64_t rank = RankLayout{m_content.predicted->scenario.parallel}.rank(place);
    const bool is_marked =
        m_selection.rank && stageOf(m_content.predicted->scenario, *m_selection.rank) == place.pp;
    emit selectionWished(withRankToggled(m_selection, is_marked ? *m_selection.rank : rank));
}

QString MemoryPanel::csv() const
{
    TextTable table{{"scenario", "stage", "weights_bytes", "gradients_bytes", "optimizer_bytes",
                     "activations_bytes", "temporaries_bytes", "buffers_bytes", "cached_bytes",
                     "context_bytes", "device_bytes", "capacity_bytes"}};
    const auto append = [&](const QString& name, const PredictedScenario& predicted) {
        for (const StageMemory& stage : predicted.prediction.memory.stages) {
            QStringList row{name, QString::number(stage.stage)};
            for (const MemoryPart& part : memory_parts)
                row << QString::number(stage.*part.bytes);
            row << QString::number(stage.deviceBytes()) << QString::number(capacityBytes(predicted), 'f', 0);
            table.push_back(row);
        }
    };
    if (m_content.predicted)
        append(QStringLiteral("predicted"), *m_content.predicted);
    if (m_content.pinned)
        append(QStringLiteral("pinned"), *m_content.pinned);
    return csvText(table);
}

void MemoryPanel::paintTo(QPainter& painter, const QRectF& rectangle)
{
    paintChart(painter, rectangle, *m_legend, *m_chart);
}

} // namespace shardscope
