#pragma once

#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/theme.h"
#include "widgets/session/content.h"

#include "core/analysis/memory_comparison.h"

#include <QStringList>

#include <vector>

namespace shardscope
{

// What the open run measured of the memory that each stage is predicted to need, as marks over the stages'
// bars, and the words for it. Empty where there is nothing to lay over.
class MemoryMarks
{
public:
    MemoryMarks() = default;
    MemoryMarks(const PredictedScenario& predicted, const MeasuredRun& run);

    bool empty() const { return m_stages.empty(); }
    double highest_bytes() const;
    // Allocated, and dashed what was reserved: of the stage's fullest rank each.
    std::vector<BarMark> of(int stage, const Theme& theme) const;
    // What the marks are, with the fullest rank of all.
    std::vector<LegendChip> chips(const Theme& theme) const;
    // Predicted and measured of the fullest stage in few words; or why nothing is laid over.
    QString note() const;
    // Lines of a tip about the stage, each behind a break.
    QString tip(int stage) const;
    // Allocated and reserved bytes; empty where they are not known.
    QStringList cells(int stage) const;

private:
    const StagePeaks* find(int stage) const;

    std::vector<StagePeaks> m_stages;
    QString m_problem;
};

} // namespace shardscope
