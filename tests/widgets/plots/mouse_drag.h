#pragma once

#include <QApplication>
#include <QMouseEvent>
#include <QWidget>

namespace shardscope
{

// With the left button; QTest's own moves know no modifiers.
inline void drag(QWidget& widget, QPointF from, QPointF to, Qt::KeyboardModifiers modifiers = {})
{
    const auto send = [&](QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons buttons) {
        QMouseEvent event{type, at, widget.mapToGlobal(at), button, buttons, modifiers};
        QApplication::sendEvent(&widget, &event);
    };
    send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
    send(QEvent::MouseMove, (from + to) / 2, Qt::NoButton, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
    send(QEvent::MouseButtonRelease, to, Qt::LeftButton, {});
}

} // namespace shardscope
