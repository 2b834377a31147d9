#include "widgets/plots/theme.h"

#include <QFontInfo>

#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

// WCAG 2.1, "relative luminance".
double luminance(const QColor& colour)
{
    const auto linear = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF())
           + 0.0722 * linear(colour.blueF());
}

struct Shades {
    QRgb light;
    QRgb dark;
};

// Hues after Okabe and Ito's and Paul Tol's colour-blind-safe sets, lightened a little on dark grounds.
// In the order of Hue.
constexpr std::array<Shades, 27> shades{{
    {0xff8a96a3, 0xff7c8a99}, // compute: neutral, so that communication stands out
    {0xff0072b2, 0xff4aa3df}, // tp
    {0xff117733, 0xff5fbf7a}, // cp
    {0xffe69f00, 0xffffb733}, // pp
    {0xff009e73, 0xff2fc79c}, // dp
    {0xffcc79a7, 0xffe39ac4}, // emb
    {0xffd55e00, 0xffff8438}, // ep
    {0xff882255, 0xffc2608f}, // edp
    {0xff6a51a3, 0xffa891d8}, // mp
    {0xffdcd2b8, 0xff5a5240}, // bubble
    {0xffe1e5ea, 0xff3a4048}, // idle
    {0xff56b4e9, 0xff8fd0f5}, // memory copy
    {0xff7a4b2a, 0xffbf8f6f}, // unknown: not to be taken for compute
    {0xff332288, 0xff8c7ce0}, // weights
    {0xff44aa99, 0xff5ec9b8}, // gradients
    {0xffddcc77, 0xffe4d68c}, // optimizer
    {0xffaa4499, 0xffd07cc3}, // activations
    {0xff222222, 0xfff2f2f2}, // measured
    {0xffc0392b, 0xffff6b5e}, // limit
    {0xff8a8a2e, 0xff9a9a3c}, // step: olive, darker than bubbles and pp to eyes that see no red or green
    {0xff3f5064, 0xffc6d2df}, // matrix: the heaviest is furthest from the ground
    {0xff626f8e, 0xff9fadce}, // attention
    {0xffaab3c5, 0xff616e83}, // reduction
    {0xffc6cfd8, 0xff4a5563}, // elementwise
    {0xff3d5fa8, 0xff86a6e8}, // setting
    {0xffb98a4e, 0xffd9b07a}, // machine: lighter than setting to every eye
    {0xff9ba3b5, 0xff6f7a90}, // cached: neutral, between buffers and context
}};

} // namespace

Theme::Theme(const QPalette& palette) : m_dark{palette.color(QPalette::Window).lightness() < 128} {}

QColor Theme::colour(Hue hue) const
{
    const Shades& shade = shades[static_cast<std::size_t>(hue)];
    return QColor::fromRgb(m_dark ? shade.dark : shade.light);
}

QColor Theme::colour(Kind kind) const
{
    switch (kind) {
    case Kind::tp:
        return colour(Hue::tp);
    case Kind::cp:
        return colour(Hue::cp);
    case Kind::pp:
        return colour(Hue::pp);
    case Kind::dp:
        return colour(Hue::dp);
    case Kind::emb:
        return colour(Hue::emb);
    case Kind::ep:
        return colour(Hue::ep);
    case Kind::edp:
        return colour(Hue::edp);
    case Kind::mp:
        return colour(Hue::mp);
    case Kind::unknown:
        break;
    }
    return colour(Hue::unknown);
}

QColor Theme::background() const
{
    return QColor::fromRgb(m_dark ? 0xff1e2124 : 0xffffffff);
}

QColor Theme::text() const
{
    return QColor::fromRgb(m_dark ? 0xffe6e8ea : 0xff1f2328);
}

QColor Theme::faintText() const
{
    return QColor::fromRgb(m_dark ? 0xff9aa3ab : 0xff667079);
}

QColor Theme::grid() const
{
    return QColor::fromRgb(m_dark ? 0xff343a40 : 0xffe3e6e9);
}

QColor Theme::faded(const QColor& colour) const
{
    return blend(background(), colour, m_dark ? 0.28 : 0.22);
}

QColor Theme::dimmed(const QColor& colour) const
{
    return blend(background(), colour, 0.45);
}

QColor Theme::textOn(const QColor& ground) const
{
    // Black on it has the contrast (l + 0.05) / 0.05, white 1.05 / (l + 0.05); they meet at 0.179.
    return luminance(ground) > 0.179 ? QColor::fromRgb(0xff14171a) : QColor::fromRgb(0xffffffff);
}

QColor blend(const QColor& from, const QColor& to, double share)
{
    const auto channel = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {channel(from.red(), to.red()), channel(from.green(), to.green()),
            channel(from.blue(), to.blue())};
}

QFont pixelFont(const QFont& font)
{
    QFont result = font;
    result.setPixelSize(std::max(1, QFontInfo{font}.pixelSize()));
    return result;
}

} // namespace shardscope
