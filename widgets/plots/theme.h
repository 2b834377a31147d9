#pragma once

#include "core/collectives/collective.h"

#include <QColor>
#include <QFont>
#include <QPalette>

namespace shardscope
{

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
    limit,
    step, // of the optimizer, where time is divided
    // What compute is made of: the hue of compute in steps of lightness, which every eye tells apart.
    matrix,
    attention,
    reduction,
    elementwise,
    // Whose a change is: of the run, of the machine.
    setting,
    machine,
    cached // memory that is kept for later
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
    // What is not selected: the same hue, near the background. Opaque, so that it prints as it looks.
    QColor faded(const QColor& colour) const;
    // Half way to the background: the ground of stripes.
    QColor dimmed(const QColor& colour) const;
    // Text written onto a colour: dark or light, whichever reads better (WCAG relative luminance).
    QColor textOn(const QColor& ground) const;
    bool isDark() const { return m_dark; }

private:
    bool m_dark = false;
};

// `share` of the second colour, the rest of the first.
QColor blend(const QColor& from, const QColor& to, double share);

// The same font with its size in pixels: texts then take the room that they were given on every device, also
// where a point is another number of pixels (SVG, PDF).
QFont pixelFont(const QFont& font);

} // namespace shardscope
