#pragma once

#include "widgets/plots/changes/change_scene.h"
#include "widgets/plots/theme.h"

#include <QFont>
#include <QRectF>

#include <vector>

class QPainter;

namespace shardscope
{

// Where the columns of a ChangeScene lie in a picture of some width: names, bars, cells.
struct ChangeLayout {
    double row_height = 0.0; // of the headings too, which stand above the rows
    double name_right = 0.0;
    double bars_left = 0.0;
    double bars_right = 0.0;
    std::vector<double> cell_rights; // of as many cells as find room
    double low = 0.0;                // values at the ends of the bars' column
    double high = 1.0;

    double x(double value) const;
    double height(const ChangeScene& scene) const; // of headings and all rows
};
ChangeLayout layOutChanges(const ChangeScene& scene, double width, const QFont& font);

struct ChangeStyle {
    Theme theme;
    QFont font;
    int current = -1;            // the row that is pointed at
    bool answers_clicks = false; // a picture that leaves the window does not
};

// The headings, at the top of `area`.
void paintChangeHead(QPainter& painter, const ChangeScene& scene, const ChangeLayout& layout,
                     const QRectF& area, const ChangeStyle& style);
// A row within its rectangle.
void paintChangeRow(QPainter& painter, const ChangeScene& scene, const ChangeLayout& layout, int row,
                    const QRectF& area, const ChangeStyle& style);

} // namespace shardscope
