#pragma once

#include "widgets/panels/memory/memory_marks.h"
#include "widgets/panels/picture/picture_panel.h"

#include "core/sweep/memory_advice.h"
#include "core/sweep/memory_sweep.h"

#include <optional>

class QButtonGroup;
class QPushButton;

namespace shardscope
{

class BarChart;
class LegendChips;
struct MemoryPart;
struct Bar;
struct BarScene;

// What the bars stand for.
enum class MemoryView : unsigned char { stages, sequence, micro_batch, years };

// What one GPU of each pipeline stage holds, against the memory that it has and what the open run measured;
// or the fullest stage over the sequence or the micro-batch; or what models and devices came to over the
// years.
class MemoryPanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit MemoryPanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("memory"); }
    QString title() const override { return QStringLiteral("Memory of a GPU"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    QString heading() const override;
    Sources sources() const override;
    QString csv() const override;
    void paintTo(QPainter& painter, const QRectF& rectangle) override;

    void showView(MemoryView view);
    const BarChart& chart() const { return *m_chart; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paletteChanged() override { refresh(); }

private:
    // memory_panel_controls.cpp
    QWidget* makeViewButtons();
    void readAdvice();
    MemoryMeasure memoryMeasure() const;
    bool isShown(const MemoryPart& part) const;
    void refresh();
    const Scenario* shownScenario() const;
    BarScene scene() const;
    BarScene stagesScene() const;
    void appendGhosts(BarScene& scene) const;
    Bar stageBar(const StageMemory& memory, int marked_stage) const;
    int stageOfBar(int bar) const;
    QString sentence(int bar, int segment) const;
    QString tip(int bar, int segment) const;
    void onActivated(int bar);

    Content m_content;
    Selection m_selection;
    MemoryView m_view = MemoryView::stages;
    MemoryMarks m_marks;
    MemorySweep m_sweep;                  // of the views over an axis
    int m_ghosts = 0;                     // the scene's first bars, before those of the stages
    std::optional<MemoryAdvice> m_advice; // where the scenario does not fit
    QPushButton* m_make_fit;
    LegendChips* m_legend;
    BarChart* m_chart;
    QButtonGroup* m_views;
};

} // namespace shardscope
