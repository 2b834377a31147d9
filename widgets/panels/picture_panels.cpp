#include "widgets/panels/picture_panels.h"

#include "widgets/panels/collectives/collective_panel.h"
#include "widgets/panels/heatmap/heatmap_panel.h"
#include "widgets/panels/measurement/analysis_panel.h"
#include "widgets/panels/memory/memory_panel.h"
#include "widgets/panels/messages/message_histogram_panel.h"
#include "widgets/panels/messages/message_table_panel.h"
#include "widgets/panels/sweep/sweep_panel.h"
#include "widgets/panels/time/time_breakdown_panel.h"
#include "widgets/panels/timeline/timeline_panel.h"

namespace shardscope
{

std::vector<PicturePanel*> createPicturePanels(QWidget* parent)
{
    return {
        new TimeBreakdownPanel{parent}, new MemoryPanel{parent},   new MessageHistogramPanel{parent},
        new MessageTablePanel{parent},  new HeatmapPanel{parent},  new TimelinePanel{parent},
        new CollectivePanel{parent},    new AnalysisPanel{parent}, new SweepPanel{parent},
    };
}

} // namespace shardscope
