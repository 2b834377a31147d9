#include "widgets/panels/controls/line_keys.h"

#include <QKeyEvent>
#include <QLineEdit>

namespace shardscope
{

namespace
{

class LineKeys : public QObject
{
public:
    using QObject::QObject;

    // A ShortcutOverride asks who wants a key; accepted, it goes to the line.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::ShortcutOverride)
            return false;
        auto* key = static_cast<QKeyEvent*>(event);
        const bool typing = qobject_cast<QLineEdit*>(watched)->isModified();
        if (key->key() == Qt::Key_Escape)
            key->setAccepted(typing);
        else if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo))
            key->setAccepted(typing);
        else
            return false;
        return true;
    }
};

} // namespace

void shareKeysWithWindow(QLineEdit& line)
{
    line.installEventFilter(new LineKeys{&line});
}

} // namespace shardscope
