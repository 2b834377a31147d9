#include "widgets/panels/controls/marked_slider.h"

#include "widgets/plots/theme.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOptionSlider>

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardscope
{

namespace
{

constexpr double mark_size = 4.0;

}

MarkedSlider::MarkedSlider(QWidget* parent)
    : QSlider{Qt::Horizontal, parent}, m_mark{std::numeric_limits<double>::quiet_NaN()}
{
}

void MarkedSlider::setMark(double value)
{
    if (value == m_mark || (std::isnan(value) && std::isnan(m_mark)))
        return;
    m_mark = value;
    update();
}

void MarkedSlider::paintEvent(QPaintEvent* event)
{
    QSlider::paintEvent(event);
    if (std::isnan(m_mark))
        return;
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect groove = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
    const QRect handle = style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
    const double span = std::max(1, maximum() - minimum());
    const double share = std::clamp((m_mark - minimum()) / span, 0.0, 1.0);
    const double x = groove.left() + handle.width() / 2.0 + share * (groove.width() - handle.width());
    const double bottom = height() - 1.0;
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Theme{palette()}.colour(Hue::measured));
    painter.drawPolygon(QPolygonF{{x, bottom - mark_size}, {x - mark_size, bottom}, {x + mark_size, bottom}});
}

} // namespace shardscope
