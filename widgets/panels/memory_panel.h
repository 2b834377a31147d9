#pragma once

#include "widgets/panels/picture_panel.h"

namespace shardscope
{

class BarChart;
class LegendChips;
struct Bar;
struct BarScene;

// What one GPU of each pipeline stage holds, against the memory that it has.
class MemoryPanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit MemoryPanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("memory"); }
    QString title() const override { return QStringLiteral("Memory of a GPU by stage"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    QString csv() const override;
    void paintTo(QPainter& painter, const QRectF& rectangle) override;

    const BarChart& chart() const { return *m_chart; }

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    BarScene scene() const;
    void appendGhosts(BarScene& scene) const;
    Bar stageBar(const StageMemory& memory, double capacity_bytes, int marked_stage) const;
    int stageOfBar(int bar) const;
    QString sentence(int bar, int segment) const;
    QString tip(int bar, int segment) const;
    void onActivated(int bar);

    Content m_content;
    Selection m_selection;
    int m_ghosts = 0; // the scene's first bars, before those of the stages
    LegendChips* m_legend;
    BarChart* m_chart;
};

} // namespace shardscope
