#include "widgets/panels/controls/quiet_wheel.h"

#include <QEvent>
#include <QWidget>

namespace shardscope
{

namespace
{

class QuietWheel : public QObject
{
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::Wheel || qobject_cast<QWidget*>(watched)->hasFocus())
            return false;
        event->ignore();
        return true;
    }
};

} // namespace

void ignoreWheelWithoutFocus(QWidget& control)
{
    control.setFocusPolicy(Qt::StrongFocus); // not WheelFocus, which would take the focus by the wheel
    control.installEventFilter(new QuietWheel{&control});
}

} // namespace shardscope
