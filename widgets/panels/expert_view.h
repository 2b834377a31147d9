#pragma once

#include "widgets/plots/bar_scene.h"
#include "widgets/plots/curve_scene.h"
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

    // The scenario has experts.
    void setPredicted(std::shared_ptr<const PredictedScenario> predicted);
    const BarChart& loads() const { return *m_loads; }
    const CurveView& volumes() const { return *m_volumes; }
    void paintTo(QPainter& painter, const QRectF& rectangle);

signals:
    void hinted(const QString& sentence);

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();

    std::shared_ptr<const PredictedScenario> m_predicted;
    BarChart* m_loads;
    CurveView* m_volumes;
};

// Of every expert (of neighbouring ones where there are very many), over an even share; the line is what the
// capacity lets through.
BarScene expertLoadScene(const Scenario& scenario, const Theme& theme);
// Bytes to experts in an iteration, all ranks together, against top-k; a line for each capacity factor, that
// of the scenario among them.
CurveScene expertVolumeScene(const Scenario& scenario, const Theme& theme);
// 0 where the scenario cannot be predicted.
double expertBytes(const Scenario& scenario);

} // namespace shardscope
