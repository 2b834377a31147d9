#include "widgets/main_window/appearance.h"

#include <QApplication>
#include <QStyle>
#include <QToolTip>

namespace shardscope
{

namespace
{

struct Grounds {
    QRgb window, base, alternate, button, text, faint, mid, highlight, link;
};

constexpr Grounds light_grounds{0xfff4f5f6, 0xffffffff, 0xfff0f2f4, 0xfff4f5f6, 0xff1f2328,
                                0xff7b848c, 0xffb8bec4, 0xff2f6fb2, 0xff1b5fa8};
constexpr Grounds dark_grounds{0xff26292d, 0xff1e2124, 0xff2b2f33, 0xff32363b, 0xffe6e8ea,
                               0xff8d969e, 0xff4a5057, 0xff3f7fbf, 0xff7fb8f0};

struct Choice {
    Appearance appearance = Appearance::system;
    // Before anything was changed: what the platform says.
    bool system_is_dark = QApplication::palette().color(QPalette::Window).lightness() < 128;
};

Choice& choice()
{
    static Choice chosen;
    return chosen;
}

} // namespace

QString word(Appearance appearance)
{
    switch (appearance) {
    case Appearance::light:
        return "light";
    case Appearance::dark:
        return "dark";
    case Appearance::system:
        break;
    }
    return "system";
}

Appearance appearanceFromWord(const QString& word)
{
    if (word == "light")
        return Appearance::light;
    return word == "dark" ? Appearance::dark : Appearance::system;
}

QPalette paletteFor(bool dark)
{
    const Grounds& grounds = dark ? dark_grounds : light_grounds;
    const auto colour = [](QRgb rgb) { return QColor::fromRgb(rgb); };
    QPalette palette{colour(grounds.button), colour(grounds.window)};
    const QColor text = colour(grounds.text);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::Base, colour(grounds.base));
    palette.setColor(QPalette::AlternateBase, colour(grounds.alternate));
    palette.setColor(QPalette::ToolTipBase, colour(grounds.base));
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::PlaceholderText, colour(grounds.faint));
    palette.setColor(QPalette::Mid, colour(grounds.mid));
    palette.setColor(QPalette::Highlight, colour(grounds.highlight));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, colour(grounds.link));
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, colour(grounds.faint));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, colour(grounds.mid));
    return palette;
}

void applyAppearance(Appearance appearance)
{
    choice().appearance = appearance;
    const bool dark =
        appearance == Appearance::dark || (appearance == Appearance::system && choice().system_is_dark);
    if (QApplication::style()->name().compare("fusion", Qt::CaseInsensitive) != 0)
        QApplication::setStyle("Fusion");
    const QPalette palette = paletteFor(dark);
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
}

Appearance currentAppearance()
{
    return choice().appearance;
}

void setSystemIsDark(bool dark)
{
    if (choice().system_is_dark == dark)
        return;
    choice().system_is_dark = dark;
    applyAppearance(choice().appearance);
}

} // namespace shardscope
