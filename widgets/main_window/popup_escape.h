#pragma once

#include <QObject>

namespace shardscope
{

// Knows whether the Esc that is being handled found a list or a menu open, which it closes: the window's own
// shortcut is asked only after that.
class PopupEscape : public QObject
{
    Q_OBJECT
public:
    explicit PopupEscape(QObject* parent);

    bool isTaken() const { return m_is_taken; }

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    bool m_is_taken = false; // until the event is over
};

} // namespace shardscope
