#pragma once

#include "widgets/session/content.h"

#include <QString>
#include <QStringList>

namespace shardscope
{

class PicturePanel;
class Presets;

// What stands above a picture that leaves the window, where nothing else tells what it is of.
struct PictureCaption {
    QString title;     // "Messages: stage 0, each rank"
    QStringList lines; // the scenario, the pinned one, the measured run and the one it is compared with
};

// `presets` may be null: models then bear the names that files know them by.
PictureCaption captionOf(const PicturePanel& panel, const Content& content, const Presets* presets = nullptr);

// What a file of the picture is called, after its title: "messages-stage-0-each-rank".
QString fileNameOf(const PictureCaption& caption);

} // namespace shardscope
