#include "widgets/panels/memory/memory_panel.h"

#include "widgets/models/message_counts.h"
#include "widgets/models/table_text.h"
#include "widgets/panels/memory/memory_parts.h"
#include "widgets/panels/memory/memory_sweep_view.h"
#include "widgets/panels/picture/explanation_html.h"
#include "widgets/panels/picture/legend_frame.h"
#include "widgets/panels/picture/picture_head.h"
#include "widgets/panels/picture/selection_steps.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include "core/prediction/ranks/rank_layout.h"
#include "core/report/memory_advice_text.h"
#include "core/scenario/words.h"

#include <QButtonGroup>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace shardscope
{

namespace
{

double capacityBytes(const PredictedScenario& predicted)
{
    return static_cast<double>(predicted.prediction.memory.capacity_bytes);
}

double highestOf(const PredictedScenario& predicted)
{
    return static_cast<double>(predicted.prediction.memory.device_bytes);
}

MemoryAxis axisOf(MemoryView view)
{
    return view == MemoryView::sequence ? MemoryAxis::sequence_length : MemoryAxis::micro_batch_size;
}

QString pinnedText(const StageMemory& pinned, const MemoryPart& part)
{
    return QStringLiteral("<br>Pinned: %1, %2 in all")
        .arg(bytesText(static_cast<double>(pinned.*part.bytes)),
             bytesText(static_cast<double>(pinned.deviceBytes())));
}

} // namespace

MemoryPanel::MemoryPanel(QWidget* parent)
    : PicturePanel{parent},
      m_make_fit{new QPushButton{tr("Make it fit"), this}},
      m_legend{new LegendChips{LegendChips::Use::legend, this}},
      m_chart{new BarChart{Qt::Vertical, this}},
      m_views{new QButtonGroup{this}}
{
    layOutPicture(this, m_legend, {}, m_chart);
    // A line of their own: beside the legend they would leave it too little room in a narrow panel.
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->insertWidget(0, makeViewButtons(), 0, Qt::AlignRight);
    m_chart->setAccessibleName(title());
    m_chart->setTip([this](int bar, int segment) { return tip(bar, segment); });
    connect(m_chart, &BarChart::activated, this, &MemoryPanel::onActivated);
    connect(m_chart, &BarChart::hovered, this, [this](int bar, int segment) {
        emit statusWished(bar < 0 ? QString{} : sentence(bar, segment));
    });
    connect(m_make_fit, &QPushButton::clicked, this, [this] {
        if (m_advice)
            emit scenarioWished(m_advice->scenario, tr("Make it fit"));
    });
    m_make_fit->hide();
    refresh();
}

PicturePanel::Sources MemoryPanel::sources() const
{
    const bool has_stages = m_view == MemoryView::stages;
    return {true, has_stages, has_stages && !m_marks.empty()};
}

void MemoryPanel::showView(MemoryView view)
{
    m_view = view;
    m_views->button(static_cast<int>(view))->setChecked(true);
    refresh();
}

void MemoryPanel::setContent(const Content& content)
{
    const bool is_same = m_content.predicted == content.predicted;
    const bool is_same_run = m_content.measured == content.measured;
    m_content = content;
    if (!is_same)
        readAdvice();
    if (!is_same || !is_same_run)
        m_marks = content.predicted && content.measured ? MemoryMarks{*content.predicted, *content.measured}
                                                        : MemoryMarks{};
    refresh();
}

void MemoryPanel::setSelection(const Selection& selection)
{
    const bool is_other_rank = selection.rank != m_selection.rank;
    m_selection = selection;
    if (is_other_rank)
        refresh();
}

// A part that no stage has would only take room from the picture.
bool MemoryPanel::isShown(const MemoryPart& part) const
{
    const auto has = [&](const auto& shown) {
        if (!shown)
            return false;
        const std::vector<StageMemory>& stages = shown->prediction.memory.stages;
        return std::any_of(stages.begin(), stages.end(),
                           [&](const StageMemory& stage) { return stage.*part.bytes > 0; });
    };
    return m_view != MemoryView::stages || has(m_content.predicted) || has(m_content.pinned);
}

void MemoryPanel::refresh()
{
    const Theme theme{palette()};
    std::vector<LegendChip> chips;
    if (m_view == MemoryView::years) {
        chips.push_back({.id = -1, .text = tr("h × s of models"), .colour = theme.colour(Hue::activations)});
        chips.push_back({.id = -1, .text = tr("memory of devices"), .colour = theme.colour(Hue::limit)});
    } else {
        for (const MemoryPart& part : memory_parts)
            if (isShown(part))
                chips.push_back({.id = -1,
                                 .text = QString::fromUtf8(part.name),
                                 .colour = theme.colour(part.hue),
                                 .is_striped = part.texture == BarTexture::striped});
        if (m_view == MemoryView::stages)
            std::ranges::move(m_marks.chips(theme), std::back_inserter(chips));
    }
    m_legend->setChips(std::move(chips));
    const bool has_ghosts = m_view == MemoryView::stages && m_content.pinned && m_content.predicted;
    m_ghosts = has_ghosts ? static_cast<int>(m_content.pinned->prediction.memory.stages.size()) : 0;
    m_sweep = m_content.predicted && (m_view == MemoryView::sequence || m_view == MemoryView::micro_batch)
                  ? sweepMemory(m_content.predicted->scenario, axisOf(m_view))
                  : MemorySweep{};
    m_chart->setScene(scene());
}

MemoryMeasure MemoryPanel::memoryMeasure() const
{
    return m_content.predicted ? m_content.predicted->scenario.conventions.memory_measure
                               : MemoryMeasure::device;
}

const Scenario* MemoryPanel::shownScenario() const
{
    return m_content.predicted ? &m_content.predicted->scenario : nullptr;
}

BarScene MemoryPanel::scene() const
{
    const Theme theme{palette()};
    if (m_view == MemoryView::years)
        return yearsScene(shownScenario(), theme);
    if (!m_content.predicted) {
        BarScene scene;
        scene.hint = QStringLiteral("Set a valid scenario to see what each stage holds");
        return scene;
    }
    const Scenario& scenario = m_content.predicted->scenario;
    switch (m_view) {
    case MemoryView::sequence:
        return sweepScene(m_sweep, axisOf(m_view), scenario.model.sequence_length, theme);
    case MemoryView::micro_batch:
        return sweepScene(m_sweep, axisOf(m_view), scenario.training.micro_batch_size, theme);
    case MemoryView::stages:
    case MemoryView::years:
        break;
    }
    return stagesScene();
}

BarScene MemoryPanel::stagesScene() const
{
    BarScene scene;
    const std::vector<StageMemory>& stages = m_content.predicted->prediction.memory.stages;
    double highest = std::max(highestOf(*m_content.predicted), m_marks.highest_bytes());
    std::size_t places = stages.size();
    if (m_ghosts > 0) {
        appendGhosts(scene);
        highest = std::max(highest, highestOf(*m_content.pinned));
        places = std::max(places, m_content.pinned->prediction.memory.stages.size());
    }
    const int marked =
        m_selection.rank ? stageOf(m_content.predicted->scenario, *m_selection.rank).value_or(-1) : -1;
    for (const StageMemory& stage : stages)
        scene.bars.push_back(stageBar(stage, marked));
    for (std::size_t i = 0; i < places; ++i)
        scene.category_labels.push_back({static_cast<double>(i), QString::number(i)});
    scene.category_title = stageAxisTitle(memoryMeasure());
    scene.category_low = -0.5;
    scene.category_high = static_cast<double>(places) - 0.5;
    setCapacity(scene, highest, m_content.predicted->prediction.memory.capacity_bytes);
    QStringList notes{m_marks.note(),
                      m_advice ? toQString(memoryAdviceText(*m_advice, m_content.predicted->prediction))
                               : QString{}};
    notes.removeAll({});
    scene.note = notes.join(QStringLiteral("; "));
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
        ghost.caption = tr("pinned %1").arg(bytesText(static_cast<double>(stage.deviceBytes())));
        ghost.segments.push_back({static_cast<double>(stage.deviceBytes()), theme.faintText(),
                                  BarTexture::outline, false, QString{}, QString{}});
        scene.bars.push_back(std::move(ghost));
    }
}

Bar MemoryPanel::stageBar(const StageMemory& memory, int marked_stage) const
{
    const bool is_marked = memory.stage == marked_stage;
    Bar bar = memoryBar(memory, m_content.predicted->prediction.memory.capacity_bytes, Theme{palette()},
                        marked_stage >= 0 && !is_marked);
    bar.centre = memory.stage;
    bar.is_marked = is_marked;
    bar.marks = m_marks.of(memory.stage, Theme{palette()});
    return bar;
}

int MemoryPanel::stageOfBar(int bar) const
{
    return bar - m_ghosts;
}

QString MemoryPanel::sentence(int bar, int segment) const
{
    if (m_view == MemoryView::years)
        return yearsSentence(shownScenario(), bar);
    if (m_view != MemoryView::stages)
        return sweepSentence(m_sweep, axisOf(m_view), bar, segment);
    const StageMemory& memory =
        m_content.predicted->prediction.memory.stages[static_cast<std::size_t>(stageOfBar(bar))];
    const MemoryPart& part = memory_parts[static_cast<std::size_t>(segment)];
    const double total = static_cast<double>(memory.deviceBytes());
    const double bytes = static_cast<double>(memory.*part.bytes);
    return QStringLiteral("Stage %1, %2: %3, %4 of %5")
        .arg(memory.stage)
        .arg(QString::fromUtf8(part.name), bytesText(bytes), ratioText(bytes / total), bytesText(total));
}

QString MemoryPanel::tip(int bar, int segment) const
{
    if (m_view != MemoryView::stages)
        return sentence(bar, segment).toHtmlEscaped();
    const auto stage = static_cast<std::size_t>(stageOfBar(bar));
    const StageMemory& memory = m_content.predicted->prediction.memory.stages[stage];
    QString text = QStringLiteral("<b>%1</b><br>%2 bytes, %3 in all")
                       .arg(sentence(bar, segment),
                            groupedText(memory.*memory_parts[static_cast<std::size_t>(segment)].bytes),
                            groupedText(memory.deviceBytes()));
    const double over = static_cast<double>(memory.deviceBytes()) - capacityBytes(*m_content.predicted);
    text += over > 0.0   ? QStringLiteral("<br>%1 more than the GPU has").arg(bytesText(over))
            : over < 0.0 ? QStringLiteral("<br>%1 of the GPU stay free").arg(bytesText(-over))
                         : QStringLiteral("<br>nothing of the GPU stays free");
    if (memoryMeasure() != MemoryMeasure::device)
        text +=
            QStringLiteral("<br>%1 of it are %2")
                .arg(bytesText(static_cast<double>(memory.total_bytes)), toQString(word(memoryMeasure())));
    text += m_marks.tip(memory.stage);
    if (m_content.pinned && stage < m_content.pinned->prediction.memory.stages.size())
        text += pinnedText(m_content.pinned->prediction.memory.stages[stage],
                           memory_parts[static_cast<std::size_t>(segment)]);
    return text
           + explanationHtml(explain(memory_parts[static_cast<std::size_t>(segment)].figure,
                                     m_content.predicted->scenario, m_content.predicted->prediction,
                                     memory.stage));
}

void MemoryPanel::onActivated(int bar)
{
    if (m_view != MemoryView::stages)
        return;
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
    if (m_view == MemoryView::years)
        return csvText(yearsTable(shownScenario()));
    if (m_view != MemoryView::stages)
        return csvText(sweepTable(m_sweep, axisOf(m_view)));
    TableRows table{{"scenario", "stage", "weights_bytes", "gradients_bytes", "optimizer_bytes",
                     "activations_bytes", "temporaries_bytes", "buffers_bytes", "cached_bytes",
                     "context_bytes", "device_bytes", "capacity_bytes"}};
    if (!m_marks.empty())
        table.front() << "measured_allocated_bytes"
                      << "measured_reserved_bytes";
    const auto append = [&](const QString& name, const PredictedScenario& predicted) {
        for (const StageMemory& stage : predicted.prediction.memory.stages) {
            QStringList row{name, QString::number(stage.stage)};
            for (const MemoryPart& part : memory_parts)
                row << QString::number(stage.*part.bytes);
            row << QString::number(stage.deviceBytes()) << QString::number(capacityBytes(predicted), 'f', 0);
            if (!m_marks.empty())
                row << (&predicted == m_content.predicted.get() ? m_marks.cells(stage.stage)
                                                                : QStringList{{}, {}});
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
    m_chart->paintTo(painter, paintLegendFrame(painter, rectangle, *m_legend));
}

} // namespace shardscope
