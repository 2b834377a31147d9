#pragma once

#include "widgets/models/study_answer.h"
#include "widgets/models/table_text.h"
#include "widgets/plots/maps/map_scene.h"

namespace shardscope
{

// What the colours of a map stand for.
enum class MapFigure : std::uint8_t { iteration, tokens_per_s, mfu, communication, bubble, memory };
inline constexpr int map_figure_count = 6;
QString figureName(MapFigure figure);

MapScene timeMapScene(const StudyAnswer& answer, MapFigure figure);
QString timeMapSentence(const StudyAnswer& answer, MapFigure figure, MapCellPlace place);
QString timeMapTip(const StudyAnswer& answer, MapCellPlace place);
// Scenarios of the map: between them all that its axes set differs.
std::vector<Scenario> endsOfRows(const StudyAnswer& answer);
TableRows timeMapTable(const StudyAnswer& answer);

// Where a value stands among rising ones, between two of them too, by ratio; 0 is the first.
double placeAmong(const std::vector<double>& values, double value);

} // namespace shardscope
