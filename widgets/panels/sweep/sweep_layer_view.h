#pragma once

#include "widgets/models/study_answer.h"
#include "widgets/models/table_text.h"
#include "widgets/plots/bars/bar_scene.h"
#include "widgets/plots/bars/legend_chips.h"
#include "widgets/plots/maps/map_scene.h"
#include "widgets/plots/theme.h"

namespace shardscope
{

// What the colours of Pati et al.'s sweep stand for.
enum class LayerFigure : std::uint8_t { serialized, overlapped, amdahl_edge, slack_advantage };
inline constexpr int layer_figure_count = 4;
QString figureName(LayerFigure figure);

// The whole sweep (Pati et al. 2023, Table 2) as one map.
MapScene projectionScene(const StudyAnswer& answer, LayerFigure figure);
QString projectionSentence(const StudyAnswer& answer, LayerFigure figure, MapCellPlace place);
QString projectionTip(const StudyAnswer& answer, LayerFigure figure, MapCellPlace place);
TableRows projectionTable(const StudyAnswer& answer);

// The scenario's layer today, with faster GPUs, and with slow links and interference besides.
BarScene futuresScene(const StudyAnswer& answer, const Theme& theme);
QString futuresSentence(const StudyAnswer& answer, int bar, int segment);
std::vector<LegendChip> futuresLegend(const Theme& theme);
TableRows futuresTable(const StudyAnswer& answer);

} // namespace shardscope
