#include "widgets/panels/picture_panels.h"

namespace shardscope
{

std::vector<PicturePanel*> createPicturePanels([[maybe_unused]] QWidget* parent)
{
    return {};
}

} // namespace shardscope
