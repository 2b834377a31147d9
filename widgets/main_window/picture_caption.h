#pragma once

#include "widgets/session/content.h"

#include <QString>
#include <QStringList>

namespace shardscope
{

class PicturePanel;

// What stands above a picture that leaves the window, where nothing else tells what it is of.
struct PictureCaption {
    QString title;     // "Messages: stage 0, each rank"
    QStringList lines; // the scenario, the pinned one, the measured run
};

PictureCaption captionOf(const PicturePanel& panel, const Content& content);

} // namespace shardscope
