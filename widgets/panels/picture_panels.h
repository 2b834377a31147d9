#pragma once

#include "widgets/panels/picture/picture_panel.h"

#include <vector>

namespace shardscope
{

// Every picture of the window, in the order in which they are laid out and listed. To add one, add a line.
std::vector<PicturePanel*> createPicturePanels(QWidget* parent);

} // namespace shardscope
