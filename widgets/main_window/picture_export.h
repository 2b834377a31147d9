#pragma once

#include "core/base/result.h"

#include <QImage>
#include <QSize>
#include <QString>

namespace shardscope
{

class PicturePanel;
struct PictureCaption;

// Paper and most slides are white, whatever the window is.
enum class PictureColours : unsigned char { light, of_window };

// The picture below its caption, for a slide or a paper, with `scale` pixels for each of the screen's. Where
// it is higher than a viewer opens it ends with a line that says so.
QImage pictureImage(PicturePanel& panel, const PictureCaption& caption, double scale,
                    PictureColours colours = PictureColours::light);

// Writes the same as PNG, SVG or PDF, by the file's ending; false: not all of it had room. Error: another
// ending, or the file cannot be written.
Result<bool> exportPicture(PicturePanel& panel, const PictureCaption& caption, const QString& file,
                           PictureColours colours = PictureColours::light);

// Writes what the picture shows as comma-separated values.
Result<bool> exportData(const PicturePanel& panel, const QString& file);

} // namespace shardscope
