#pragma once

#include "widgets/models/measured_calls.h"
#include "widgets/models/size_histogram.h"
#include "widgets/panels/picture/picture_panel.h"

#include <vector>

namespace shardscope
{

class BarChart;
class LegendChips;
class SegmentButton;
struct BarScene;
struct BarSegment;

// How large the messages are: powers of two along, calls or bytes upwards, by kind; predicted and measured
// side by side.
class MessageHistogramPanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit MessageHistogramPanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("histogram"); }
    QString title() const override { return QStringLiteral("Message sizes"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    QString csv() const override;
    void paintTo(QPainter& painter, const QRectF& rectangle) override;

    void setHeight(HistogramHeight height);
    void setLogarithmic(bool is_logarithmic);
    const BarChart& chart() const { return *m_chart; }
    const LegendChips& legend() const { return *m_legend; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paletteChanged() override { refresh(); }

private:
    // What a bar of the scene stands for.
    struct BarSource {
        bool is_measured = false;
        std::size_t bin = 0;
        std::vector<Kind> kinds; // by segment
    };

    // Where the bar of a kind stands.
    struct Slot {
        Kind kind = Kind::unknown;
        double centre = 0.0;
        double thickness = 0.0;
    };

    void readContent();
    void refresh();
    void updateLegend();
    // message_histogram_scene.cpp
    BarScene scene();
    std::vector<Slot> slotsOf(const SizeBin& bin, double centre, double thickness) const;
    BarSegment segmentOf(const SizeBin& bin, Kind kind, bool is_measured) const;
    void appendGhosts(BarScene& scene) const;
    void appendBars(BarScene& scene, bool is_measured);
    void setAxes(BarScene& scene) const;
    RankScope scope() const;
    QString note() const;
    QString whose() const; // calls are counted
    std::size_t ranksOfNoPlace() const;
    QString sentence(int bar, int segment) const;
    QString tip(int bar, int segment) const;
    void onActivated(int bar, int segment);

    Content m_content;
    MeasuredCalls m_calls;
    Selection m_selection;
    HistogramHeight m_height = HistogramHeight::count;
    bool m_is_logarithmic = true;
    std::vector<SizeBin> m_predicted;
    std::vector<SizeBin> m_pinned;
    std::vector<SizeBin> m_measured;
    double m_unknown_sizes = 0.0;     // measured calls
    std::vector<BarSource> m_sources; // by bar of the scene; ghosts hold nothing
    LegendChips* m_legend;
    SegmentButton* m_calls_button;
    SegmentButton* m_bytes_button;
    SegmentButton* m_log_button;
    BarChart* m_chart;
};

} // namespace shardscope
