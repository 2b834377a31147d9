#pragma once

#include "widgets/models/study_answer.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/panels/sweep/sweep_layer_view.h"
#include "widgets/panels/sweep/sweep_map_view.h"
#include "widgets/panels/sweep/sweep_quantity.h"
#include "widgets/session/latest_job.h"

#include <QTimer>

#include <atomic>
#include <memory>

class QComboBox;
class QLabel;
class QLineEdit;
class QStackedLayout;

namespace shardscope
{

class BarChart;
class ChangeChart;
class CurveView;
class LegendChips;
class MapView;
class MarkedSlider;
class SearchHint;
class SegmentButton;

// Studies around the scenario: a question is chosen, its answer drawn as bars, curves or a map. A click takes
// the scenario of that place. Worked out off this thread; as pictures behind others are given nothing, only
// while it is seen.
class SweepPanel : public PicturePanel
{
    Q_OBJECT
public:
    explicit SweepPanel(QWidget* parent = nullptr);
    ~SweepPanel() override;

    QString key() const override { return QStringLiteral("sweeps"); }
    QString title() const override { return QStringLiteral("Sweeps"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    QString heading() const override;
    Sources sources() const override;
    Variations variations() const override;
    QString csv() const override;
    bool isBusy() const override { return m_job.isRunning(); }
    void paintTo(QPainter& painter, const QRectF& rectangle) override;
    QSize wholeSize(const QSize& usual) const override;

    const StudyAnswer& answer() const { return m_answer; }
    BarChart& chart() const { return *m_chart; }
    ChangeChart& changes() const { return *m_changes; }
    CurveView& curves() const { return *m_curves; }
    MapView& map() const { return *m_map; }
    SearchHint& hint() const { return *m_hint; }
    // Waits for what is being worked out.
    void finish();

protected:
    void paletteChanged() override { refresh(); }
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    // Controls: sweep_panel_controls.cpp
    void fillStudies();
    void fillQuantities();
    void fillAxes();
    void setUpEvolution();
    void setUpGiven();
    void fitGiven();
    void layOutHead();
    void settleEvolution();
    void connectControls();
    void connectPictures();
    void showControls();
    void takeSpeedups();
    void forgetSpeedups();
    std::vector<QWidget*> tools() const;

    const Study& study() const;
    SweepQuantity quantity() const;
    bool showsCurves() const;
    bool showsBars() const; // of a sweep or of layouts
    bool showsChanges() const;
    bool isLogarithmic() const;
    // The part of a bar that texts speak of; -1: the bar as a whole.
    int partOf(int segment) const { return isLogarithmic() ? -1 : segment; }
    // The picture is that of the chosen study, not of the one before.
    bool isAnswered() const;
    StudyQuestion question() const;
    void followTimeModel();
    void ask();
    void answered(StudyAnswer answer);
    bool isSearching() const;
    void showProgress();
    void stopOrSearch();
    void refresh();
    void showThatItIsAsked();
    void refreshBars();
    void refreshMap();
    void onBarHovered(int bar, int segment);
    void onBarActivated(int bar);
    void onChangeActivated(int row);
    QString barTip(int bar, int segment) const;
    void onCellHovered(MapCellPlace place);
    void onCellActivated(MapCellPlace place);
    QString cellTip(MapCellPlace place) const;
    QStringList linesAt(double gpus) const; // of the curves
    void wish(const Scenario& scenario);

    Content m_content;
    Selection m_selection;
    StudyAnswer m_answer; // without a predicted scenario: none yet
    LegendChips* m_legend;
    QComboBox* m_study_box;
    QComboBox* m_quantity_box; // SweepQuantity, MapFigure or LayerFigure, as the study draws
    QComboBox* m_x_box;
    QComboBox* m_y_box;
    SegmentButton* m_log_button;
    SegmentButton* m_detailed_button;
    QLabel* m_evolution_label;
    MarkedSlider* m_evolution_slider; // tenths
    bool m_is_in_future_by_itself = false;
    SegmentButton* m_switches_button;
    QLineEdit* m_given_edit;
    std::vector<GivenSpeedup> m_given; // of the scenario that is open; they count where their field is seen
    BarChart* m_chart;
    BarChart* m_futures_chart;
    ChangeChart* m_changes;
    CurveView* m_curves;
    MapView* m_map;
    SearchHint* m_hint;
    QTimer m_progress; // of a search
    QStackedLayout* m_pages;
    const Study* m_running = nullptr;             // what the work under way answers
    bool m_asks_again = false;                    // the figures have changed since it began
    std::shared_ptr<std::atomic<bool>> m_stop;    // ends it
    std::shared_ptr<std::atomic<double>> m_share; // of a search that is done
    LatestJob<StudyAnswer> m_job;                 // the last member: it ends before what it fills
};

} // namespace shardscope
