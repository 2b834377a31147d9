#include "widgets/panels/controls/glyph.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QPixmap>

namespace shardscope
{

namespace
{

// A path in a square of 16 by 16.
QPainterPath pathOf(Glyph glyph)
{
    QPainterPath path;
    const auto line = [&path](QPointF from, QPointF to) {
        path.moveTo(from);
        path.lineTo(to);
    };
    switch (glyph) {
    case Glyph::locked:
    case Glyph::unlocked:
        path.addRoundedRect(3.5, 7.5, 9, 6, 1, 1);
        path.moveTo(5.5, 7.5);
        path.lineTo(5.5, 5);
        path.arcTo(QRectF{5.5, 2.5, 5, 5}, 180, glyph == Glyph::locked ? -180 : -130);
        if (glyph == Glyph::locked)
            path.lineTo(10.5, 7.5);
        break;
    case Glyph::enlarge:
        path.addRect(3, 3, 10, 10);
        line({3, 5}, {13, 5});
        break;
    case Glyph::restore:
        path.addRect(3, 6, 7, 7);
        path.moveTo(6, 6);
        path.lineTo(6, 3);
        path.lineTo(13, 3);
        path.lineTo(13, 10);
        path.lineTo(10, 10);
        break;
    case Glyph::menu:
        line({3, 5}, {13, 5});
        line({3, 8}, {13, 8});
        line({3, 11}, {13, 11});
        break;
    case Glyph::detach:
        path.addRect(3, 6, 7, 7);
        line({8, 8}, {13, 3});
        line({9, 3}, {13, 3});
        line({13, 3}, {13, 7});
        break;
    case Glyph::close:
        line({4, 4}, {12, 12});
        line({12, 4}, {4, 12});
        break;
    case Glyph::pin:
        line({5, 2.5}, {11, 2.5});
        line({6, 2.5}, {6, 7});
        line({10, 2.5}, {10, 7});
        line({3.5, 9.5}, {12.5, 9.5});
        line({6, 7}, {3.5, 9.5});
        line({10, 7}, {12.5, 9.5});
        line({8, 9.5}, {8, 14});
        break;
    case Glyph::previous:
        line({10, 3}, {5, 8});
        path.lineTo(10, 13);
        break;
    case Glyph::next:
        line({6, 3}, {11, 8});
        path.lineTo(6, 13);
        break;
    case Glyph::play:
        line({5, 3}, {12, 8});
        path.lineTo(5, 13);
        path.closeSubpath();
        break;
    case Glyph::pause:
        line({6, 4}, {6, 12});
        line({10, 4}, {10, 12});
        break;
    }
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
