#pragma once

#include "core/collectives/collective.h"

#include <QColor>
#include <QPalette>

namespace shardscope {

// What a colour stands for. One fixed, colour-blind-safe colour each, the same in every picture.
enum class Hue : unsigned char {
    compute,
    tp,
    cp,
    pp,
    dp,
    emb,
    ep,
    edp,
    mp,
    bubble,
    idle,
    memory_copy,
    unknown,
    weights,
    gradients,
    optimizer,
    activations,
    measured,
    limit
};

// Colours for the light or dark system palette.
class Theme
{
public:
    explicit Theme(const QPalette& palette);

    QColor colour(Hue hue) const;
    QColor colour(Kind kind) const;
    QColor background() const; // of plots
    QColor text() const;
    QColor faintText() const;
    QColor grid() const;
    bool isDark() const { return m_dark; }

private:
    bool m_dark = false;
};

} // namespace shardscope
