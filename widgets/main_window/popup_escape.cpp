#include "widgets/main_window/popup_escape.h"

#include <QApplication>
#include <QKeyEvent>
#include <QTimer>

namespace shardscope
{

PopupEscape::PopupEscape(QObject* parent) : QObject{parent}
{
    QCoreApplication::instance()->installEventFilter(this);
}

bool PopupEscape::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride && !m_is_taken
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape && QApplication::activePopupWidget()) {
        m_is_taken = true;
        QTimer::singleShot(0, this, [this] { m_is_taken = false; });
    }
    return QObject::eventFilter(object, event);
}

} // namespace shardscope
