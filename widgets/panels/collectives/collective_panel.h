#pragma once

#include "widgets/models/calibration_answer.h"
#include "widgets/models/collective_curves.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/session/latest_job.h"

#include <QStringList>

#include <optional>
#include <vector>

class QMenu;
class QToolButton;

namespace shardscope
{

class CurveView;
class FitBar;
class LegendChips;
class SegmentButton;
class ShortChoiceBox;
struct CurveScene;

// The explorer of collectives: time or bus bandwidth over message size, or over nodes, for the scenario's
// cluster and others beside it; measured calls over the curve; handles that move the cluster's constants.
class CollectivePanel : public PicturePanel
{
    Q_OBJECT
public:
    enum class Along : unsigned char { sizes, nodes };
    enum class Up : unsigned char { time, bandwidth };

    explicit CollectivePanel(QWidget* parent = nullptr);

    QString key() const override { return QStringLiteral("collective"); }
    QString title() const override { return QStringLiteral("Collectives"); }
    void setContent(const Content& content) override;
    void setSelection(const Selection& selection) override;
    void setPresets(const Presets& presets) override;
    bool isBusy() const override { return m_fit.isRunning(); }
    QString csv() const override;
    void paintTo(QPainter& painter, const QRectF& rectangle) override;

    void show(Op op, const QString& group);
    void setAlong(Along along);
    void setUp(Up up);
    // Clusters that stand beside the scenario's, by their presets' names; those that there are not are left
    // out.
    void compare(const QStringList& clusters);
    const CurveView& view() const { return *m_view; }
    // What stands beside the mouse at a value along; empty where there is none.
    QString tipAt(double x) const;

protected:
    void paletteChanged() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;

private:
    // A point of a line: what stands along, and the call.
    struct Place {
        double along = 0.0;
        CollectivePoint point;
    };
    struct Series {
        QString label;
        std::vector<Place> places;
        CollectiveGroup group;            // over sizes
        std::int64_t message_bytes = 0;   // over nodes
        const Cluster* cluster = nullptr; // that of the content or of a system
        bool is_main = false;
        bool is_pinned = false;
        int other = -1;  // its place among the clusters that are compared
        int beside = -1; // its place among the whole nodes that stand beside the group
    };
    // A cluster that can be compared.
    struct System {
        QString name;
        QString title;
        Cluster cluster;
    };

    void connectControls();
    // Comparison: collective_panel_systems.cpp
    void fillSystems();
    void addSystemSets(QMenu& menu);
    std::vector<const System*> compared() const;
    QString ownName() const;
    void addOthersOverSizes(std::vector<Series>& all) const;
    std::vector<Series> othersOverNodes() const;
    std::int64_t comparedSize() const;
    // Clusters' nodes differ in size: over nodes they are held against each other by GPUs.
    bool hasGpusAlong() const { return m_along == Along::nodes && !m_compared.isEmpty(); }
    QColor otherColour(int other) const;
    QStringList comparedLines(double x) const; // the first is of all
    // What is said of a place: collective_panel_texts.cpp
    struct Call {
        CollectiveGroup group;
        std::int64_t message_bytes = 0;
    };
    std::optional<Call> callAt(double x) const;
    QString callText(const Call& call) const;
    QStringList otherLines(double x) const;
    QString statusAt(double x) const;
    QString comparedPart(const QString& name, const Cluster& cluster, int ranks, std::int64_t bytes) const;
    bool eventFilter(QObject* object, QEvent* event) override;
    std::vector<QWidget*> tools() const;

    Op op() const;
    void setGroups();
    const CollectiveGroup* group() const;
    void readContent();
    void refresh();
    void fitTools();
    int leastWidth() const;
    int wholeWidth() const;
    void updateLegend();
    std::vector<Series> seriesOverSizes() const;
    std::vector<Series> seriesOverNodes() const;
    Series curve(const Cluster& cluster, const CollectiveGroup& group) const;
    Series curveOverNodes(const Cluster& cluster, std::int64_t message_bytes) const;
    CurveScene scene() const;
    QString titleOfCalls() const;
    bool hasWholeNodes() const; // curves of them stand beside the group's
    void setAxes(CurveScene& scene) const;
    static void fitGpus(CurveScene& scene);
    void appendBands(CurveScene& scene) const;
    QColor colourOf(std::size_t series) const;
    void appendLines(CurveScene& scene) const;
    void appendHandles(CurveScene& scene) const;
    QColor mainColour() const;
    double height(const CollectivePoint& point) const;
    std::int64_t latencySize() const;
    void onHovered(double x);
    void onHandleMoved(int handle, double y, int drag);
    void withdrawTold();
    // What was measured: collective_panel_measured.cpp
    void chooseMeasured();
    QStringList measuredLines(double x) const;
    QString measuredTip(double x) const;
    void fitToMeasured();
    void fitted(CalibrationAnswer answer);
    QString tipOfFit() const;
    void takeFit();
    void leaveFit();
    void followFit();

    // The move of a handle that the status bar tells of.
    struct Told {
        int handle = 0;
        double y = 0.0;
    };

    enum class FitState : unsigned char { open, wished, taken };

    Content m_content;
    std::optional<Told> m_told;
    double m_hovered_at = 0.0; // 0: nothing is
    std::vector<CollectiveGroup> m_groups;
    std::vector<CalibrationPoint> m_measured;
    std::vector<Series> m_series;
    std::vector<System> m_systems;
    QStringList m_compared;   // names
    bool m_is_chosen = false; // the group; else it is the scenario's first
    // A run or a scenario was opened, and nothing of it that was measured has been found yet.
    bool m_seeks_measured = false;
    std::optional<CalibrationAnswer> m_answer; // the fit that the bar tells of
    FitState m_fit_state = FitState::open;
    Along m_along = Along::sizes;
    Up m_up = Up::bandwidth;
    LegendChips* m_legend;
    ShortChoiceBox* m_op_box;
    ShortChoiceBox* m_group_box;
    ShortChoiceBox* m_size_box; // over nodes, of several clusters
    QToolButton* m_systems_button;
    SegmentButton* m_nodes_button;
    SegmentButton* m_time_button;
    QToolButton* m_fit_button;
    FitBar* m_fit_bar;
    CurveView* m_view;
    LatestJob<CalibrationAnswer> m_fit; // the last member: it ends before what it fills
};

} // namespace shardscope
