#include "widgets/plots/bars/texts_above.h"

#include "widgets/plots/note_lines.h"

#include <algorithm>

namespace shardscope
{

namespace
{

constexpr double above_margin = 4.0;
constexpr double least_lines_with_long_note = 11.0; // a chart lower than that needs them for its bars
constexpr double lines_for_each_of_note = 7.0;      // of a high chart

} // namespace

double captionHeight(const QFont& font)
{
    return QFontMetricsF{font}.height() + 1.0;
}

CaptionAbove captionAbove(const Bar& bar, const BarMapping& mapping, const QFont& font)
{
    QFont strong = font;
    strong.setBold(true);
    const double thickness = std::min(bar.thickness * mapping.pixelsPerCategory(), bar.most_pixels);
    const double height = captionHeight(font);
    const double top = mapping.categoryPixel(bar.centre) - thickness / 2.0 - height;
    const double left = mapping.area.left() + 1.0;
    CaptionAbove above;
    above.rectangle = {left, top, std::max(0.0, mapping.area.right() - left), height};
    above.remark_left = left + QFontMetricsF{strong}.horizontalAdvance(bar.caption + ' ') + above_margin;
    above.remark = QFontMetricsF{font}.elidedText(bar.remark, Qt::ElideRight,
                                                  std::max(0.0, mapping.area.right() - above.remark_left));
    above.is_cut = above.remark != bar.remark;
    return above;
}

int linesOfNote(const BarScene& scene, const QFontMetricsF& metrics, double area_width, double height)
{
    if (scene.note.isEmpty() || scene.leaves_out_note)
        return 0;
    double taken = 2.0 * above_margin;
    // Within the range the limit's text seldom comes to stand there in a chart that is high enough.
    const bool is_beyond = scene.limit && scene.limit->value > scene.value_high;
    for (const QString& text : {scene.value_title, is_beyond ? scene.limit->text : QString{}})
        if (!text.isEmpty())
            taken += metrics.horizontalAdvance(text) + 2.0 * above_margin;
    const double lines = height / metrics.height();
    const int most = lines < least_lines_with_long_note
                         ? 1
                         : std::max(2, static_cast<int>(lines / lines_for_each_of_note));
    return static_cast<int>(noteWithin(scene.note, metrics, area_width, area_width - taken, most).size());
}

} // namespace shardscope
