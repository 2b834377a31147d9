#include "widgets/panels/controls/glyph.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QPixmap>
#include <QPolygonF>

#include <vector>

namespace shardscope
{

namespace
{

// In a square of 16 by 16; what ends where it began is closed.
std::vector<QPolygonF> strokesOf(Glyph glyph)
{
    const QPolygonF window{{3, 6}, {10, 6}, {10, 13}, {3, 13}, {3, 6}};
    switch (glyph) {
    case Glyph::locked:
    case Glyph::unlocked:
        return {}; // round: see padlock()
    case Glyph::enlarge:
        return {{{3, 3}, {13, 3}, {13, 13}, {3, 13}, {3, 3}}, {{3, 5}, {13, 5}}};
    case Glyph::restore:
        return {window, {{6, 6}, {6, 3}, {13, 3}, {13, 10}, {10, 10}}};
    case Glyph::menu:
        return {{{3, 5}, {13, 5}}, {{3, 8}, {13, 8}}, {{3, 11}, {13, 11}}};
    case Glyph::detach:
        return {window, {{8, 8}, {13, 3}}, {{9, 3}, {13, 3}}, {{13, 3}, {13, 7}}};
    case Glyph::close:
        return {{{4, 4}, {12, 12}}, {{12, 4}, {4, 12}}};
    case Glyph::pin:
        return {{{5, 2.5}, {11, 2.5}},     {{6, 2.5}, {6, 7}},   {{10, 2.5}, {10, 7}},
                {{3.5, 9.5}, {12.5, 9.5}}, {{6, 7}, {3.5, 9.5}}, {{10, 7}, {12.5, 9.5}},
                {{8, 9.5}, {8, 14}}};
    case Glyph::previous:
        return {{{10, 3}, {5, 8}, {10, 13}}};
    case Glyph::next:
        return {{{6, 3}, {11, 8}, {6, 13}}};
    case Glyph::play:
        return {{{5, 3}, {12, 8}, {5, 13}, {5, 3}}};
    case Glyph::pause:
        return {{{6, 4}, {6, 12}}, {{10, 4}, {10, 12}}};
    }
    return {};
}

// Its shackle is let go of on the right where it is open.
QPainterPath padlock(bool is_locked)
{
    QPainterPath path;
    path.addRoundedRect(3.5, 7.5, 9, 6, 1, 1);
    path.moveTo(5.5, 7.5);
    path.lineTo(5.5, 5);
    path.arcTo(QRectF{5.5, 2.5, 5, 5}, 180, is_locked ? -180 : -130);
    if (is_locked)
        path.lineTo(10.5, 7.5);
    return path;
}

QPainterPath pathOf(Glyph glyph)
{
    if (glyph == Glyph::locked || glyph == Glyph::unlocked)
        return padlock(glyph == Glyph::locked);
    QPainterPath path;
    for (const QPolygonF& stroke : strokesOf(glyph))
        path.addPolygon(stroke);
    return path;
}

class GlyphEngine : public QIconEngine
{
public:
    explicit GlyphEngine(Glyph glyph) : m_glyph{glyph} {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
        const QColor colour = QGuiApplication::palette().color(group, QPalette::ButtonText);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.topLeft());
        painter->scale(rect.width() / 16.0, rect.height() / 16.0);
        painter->setPen(QPen{colour, 1.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin});
        painter->drawPath(pathOf(m_glyph));
        painter->restore();
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap{size};
        pixmap.fill(Qt::transparent);
        QPainter painter{&pixmap};
        paint(&painter, QRect{{}, size}, mode, state);
        return pixmap;
    }

    QIconEngine* clone() const override { return new GlyphEngine{m_glyph}; }

private:
    Glyph m_glyph;
};

} // namespace

QIcon glyphIcon(Glyph glyph)
{
    return QIcon{new GlyphEngine{glyph}};
}

} // namespace shardscope
