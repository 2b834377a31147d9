#include "widgets/panels/picture_panels.h"

#include "widgets/panels/analysis_panel.h"
#include "widgets/panels/collective_panel.h"
#include "widgets/panels/heatmap_panel.h"
#include "widgets/panels/memory_panel.h"
#include "widgets/panels/message_histogram_panel.h"
#include "widgets/panels/message_table_panel.h"
#include "widgets/panels/sweep_panel.h"
#include "widgets/panels/time_breakdown_panel.h"
#include "widgets/panels/timeline_panel.h"

namespace shardscope
{

std::vector<PicturePanel*> createPicturePanels(QWidget* parent)
{
    return {
        new TimeBreakdownPanel{parent},    new MemoryPanel{parent},   new MessageTablePanel{parent},
        new MessageHistogramPanel{parent}, new HeatmapPanel{parent},  new TimelinePanel{parent},
        new CollectivePanel{parent},       new AnalysisPanel{parent}, new SweepPanel{parent},
    };
}

} // namespace shardscope
