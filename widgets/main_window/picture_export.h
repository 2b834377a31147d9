#pragma once

#include "core/base/result.h"

#include <QImage>
#include <QSize>
#include <QString>

namespace shardscope
{

class PicturePanel;
struct PictureCaption;

// The whole picture below its caption, for a slide or a paper, with `scale` pixels for each of the screen's.
QImage pictureImage(PicturePanel& panel, const PictureCaption& caption, double scale);

// Writes the same as PNG, SVG or PDF, by the file's ending. Error: another ending, or the file cannot be
// written.
Result<bool> exportPicture(PicturePanel& panel, const PictureCaption& caption, const QString& file);

// Writes what the picture shows as comma-separated values.
Result<bool> exportData(const PicturePanel& panel, const QString& file);

} // namespace shardscope
