#include "widgets/main_window/stale_veil.h"

#include "widgets/plots/theme.h"

#include <QEvent>
#include <QPainter>

namespace shardscope
{

StaleVeil::StaleVeil(QWidget& picture) : QWidget{&picture}
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    picture.installEventFilter(this);
}

void StaleVeil::setSentence(const QString& sentence)
{
    m_sentence = sentence;
    setVisible(!sentence.isEmpty());
    if (sentence.isEmpty())
        return;
    setGeometry(parentWidget()->rect());
    raise();
    update();
}

bool StaleVeil::eventFilter(QObject*, QEvent* event)
{
    if (event->type() == QEvent::Resize && isVisible())
        setGeometry(parentWidget()->rect());
    return false;
}

void StaleVeil::paintEvent(QPaintEvent*)
{
    const Theme theme{palette()};
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    QColor dim = theme.background();
    dim.setAlpha(165);
    painter.fillRect(rect(), dim);
    const int wrap = Qt::TextWordWrap | Qt::AlignCenter;
    const QRect space = rect().adjusted(24, 12, -24, -12);
    const QRectF box = QRectF{painter.boundingRect(space, wrap, m_sentence)}.adjusted(-12, -8, 12, 8);
    painter.setPen(QPen{theme.colour(Hue::limit), 1});
    painter.setBrush(theme.background());
    painter.drawRoundedRect(box, 5, 5);
    painter.setPen(theme.text());
    painter.drawText(space, wrap, m_sentence);
}

} // namespace shardscope
