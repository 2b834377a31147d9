#pragma once

#include <QIcon>

namespace shardscope
{

// The small drawings of buttons. They take the colour of the palette's text when they are painted, so they
// are right on light and dark grounds.
enum class Glyph : unsigned char {
    locked,
    unlocked,
    enlarge,
    restore,
    menu,
    detach,
    close,
    previous,
    next,
    pin,
    play,
    pause
};

QIcon glyphIcon(Glyph glyph);

} // namespace shardscope
