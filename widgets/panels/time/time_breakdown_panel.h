#pragma once

#include "widgets/models/time_parts.h"
#include "widgets/panels/picture/picture_panel.h"

#include <array>
#include <vector>

namespace shardscope
{

class BarChart;
class LegendChips;
struct Bar;
struct BarScene;

// Where the time of an iteration goes: predicted, pinned, measured, and of the run that it is compared with,
// one bar each on one axis of time.
class TimeBreakdownPanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit TimeBreakdownPanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("time"); }
    QString title() const override { return QStringLiteral("Time of an iteration"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    Sources sources() const override { return {.pinned_run = true}; }
    QString csv() const override;
    void paintTo(QPainter& painter, const QRectF& rectangle) override;
    QSize wholeSize(const QSize& usual) const override;

    const BarChart& chart() const { return *m_chart; }
    const LegendChips& legend() const { return *m_legend; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paletteChanged() override { refresh(); }

private:
    // One bar: whose time it is and how it divides.
    struct Row {
        enum class Of { predicted, pinned, measured, pinned_run } of = Of::predicted;
        TimeParts parts;
        std::array<double, 2> band{0.0, 0.0}; // relative
    };

    Row predictedRow(Row::Of of, const PredictedScenario& predicted) const;
    bool isForwardOnly() const { return m_content.measured && m_content.measured->is_forward_only; }
    void readMeasured();
    TimeParts partsOf(const MeasuredCalls& calls, const RunPlaces& places) const;
    std::size_t keptRows() const; // of a picture that leaves the window
    void refresh();
    void updateLegend();
    bool showsShares() const;
    QString note() const;                   // why the bars are not to be compared; empty: they are
    BarScene scene(std::size_t rows) const; // of the first ones
    Bar barOf(const Row& row, double scale) const;
    QString remark(const Row& row) const;
    QString measuredRemark(const Row& row) const;
    QString sentence(int bar, int segment) const; // for the status bar
    QString tip(int bar, int segment) const;
    void onActivated(int bar, int segment);

    Content m_content;
    Selection m_selection;
    MeasuredCalls m_calls;
    MeasuredCalls m_pinned_calls; // of the run that it is compared with
    TimeParts m_measured;         // no ranks: nothing was measured
    TimeParts m_pinned_run;       // likewise
    std::vector<Row> m_rows;
    LegendChips* m_legend;
    BarChart* m_chart;
};

} // namespace shardscope
