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
    explicit LineKeys(QLineEdit& line) : QObject{&line}, m_line{line} {}

    // A ShortcutOverride asks who wants a key; accepted, it goes to the line.
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() != QEvent::ShortcutOverride)
            return false;
        auto* key = static_cast<QKeyEvent*>(event);
        const bool typing = m_line.isModified();
        if (key->key() == Qt::Key_Escape)
            key->setAccepted(typing);
        else if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo))
            key->setAccepted(typing);
        else
            return false;
        return true;
    }

private:
    QLineEdit& m_line;
};

} // namespace

void shareKeysWithWindow(QLineEdit& line)
{
    auto* keys = new LineKeys{line};
    line.installEventFilter(keys);
    if (QWidget* list = line.focusProxy()) // that is asked in place of its line
        list->installEventFilter(keys);
}

} // namespace shardscope
