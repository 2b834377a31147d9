#pragma once

#include "core/analysis/calls/expert_traffic.h"
#include "widgets/models/table_text.h"
#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/theme.h"
#include "widgets/session/content.h"

#include <QWidget>

namespace shardscope
{

class BarChart;
class CurveView;

// What the routing of a mixture of experts does: how many tokens each expert receives, and what all GPUs send
// to experts against the experts that a token picks.
class ExpertView : public QWidget
{
    Q_OBJECT
public:
    explicit ExpertView(QWidget* parent = nullptr);

    void setPredicted(std::shared_ptr<const PredictedScenario> predicted);
    // Of the shown step of a run; empty: nothing was measured.
    void setMeasured(std::vector<MeasuredExpertLoad> loads);
    // There is something to show.
    static bool hasExperts(const std::shared_ptr<const PredictedScenario>& predicted);
    const BarChart& loads() const { return *m_loads; }
    void paintTo(QPainter& painter, const QRectF& rectangle);
    // What is drawn: loads of experts and of ranks, and bytes against top-k.
    TableRows table() const;

signals:
    void hinted(const QString& sentence);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    std::shared_ptr<const PredictedScenario> m_predicted;
    std::vector<MeasuredExpertLoad> m_measured;
    BarChart* m_loads;
    BarChart* m_measured_loads;
    CurveView* m_volumes;
};

// Of every expert (of neighbouring ones where there are very many), over an even share; the line is what the
// capacity lets through.
BarScene expertLoadScene(const Scenario& scenario, const Theme& theme);
// 0 where the scenario cannot be predicted.
double expertBytes(const Scenario& scenario);

} // namespace shardscope
