#pragma once

#include <QPalette>
#include <QString>

namespace shardscope
{

enum class Appearance : unsigned char { system, light, dark };

// The words of settings and of --theme.
QString word(Appearance appearance);
Appearance appearanceFromWord(const QString& word); // system where it is none of them

QPalette paletteFor(bool dark);

// Gives the application its style and palette. `system` follows the palette that the platform started the
// program with.
void applyAppearance(Appearance appearance);

} // namespace shardscope
