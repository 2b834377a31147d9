#include "widgets/panels/picture/picture_panel.h"

#include "widgets/plots/theme.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>
#include <QResizeEvent>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

// By how much text is larger in a picture of that size; in steps, so that a resize does not lay everything
// out anew.
double textScale(const QSize& size)
{
    const double scale = std::min(size.width() / 640.0, size.height() / 420.0);
    return std::clamp(std::floor(scale * 5.0) / 5.0, 1.0, 1.4);
}

} // namespace

PicturePanel::PicturePanel(QWidget* parent) : QWidget{parent} {}

void PicturePanel::setPresets(const Presets&) {}

void PicturePanel::goAlong(const EventWalk&) {}

void PicturePanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        paletteChanged();
}

void PicturePanel::paintEvent(QPaintEvent* event)
{
    QPainter{this}.fillRect(event->rect(), Theme{palette()}.background());
}

void PicturePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const QFont usual = parentWidget() ? parentWidget()->font() : QApplication::font();
    QFont scaled = usual;
    if (usual.pointSizeF() > 0.0)
        scaled.setPointSizeF(usual.pointSizeF() * textScale(event->size()));
    else
        scaled.setPixelSize(static_cast<int>(std::lround(usual.pixelSize() * textScale(event->size()))));
    if (scaled != font())
        setFont(scaled);
}

} // namespace shardscope
