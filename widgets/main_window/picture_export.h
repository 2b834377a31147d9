#pragma once

#include "core/base/result.h"

#include <QImage>
#include <QSize>
#include <QString>

namespace shardscope
{

class PicturePanel;

// The picture as it is on screen, drawn anew with `scale` pixels for each of the screen's.
QImage pictureImage(PicturePanel& panel, double scale);

// Writes the picture as PNG, SVG or PDF, by the file's ending. Error: another ending, or the file cannot be
// written.
Result<bool> exportPicture(PicturePanel& panel, const QString& file);

// Writes what the picture shows as comma-separated values.
Result<bool> exportData(const PicturePanel& panel, const QString& file);

} // namespace shardscope
