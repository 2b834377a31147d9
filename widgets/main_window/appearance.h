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

// Gives the application its style and palette. The choice is the application's, as its palette is.
void applyAppearance(Appearance appearance);
Appearance currentAppearance();
// What the desktop says; until it does, `system` follows the palette that the platform started the program
// with.
void setSystemIsDark(bool dark);

} // namespace shardscope
