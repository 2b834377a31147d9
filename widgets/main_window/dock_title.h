#pragma once

#include <QWidget>

class QDockWidget;
class QHBoxLayout;
class QToolButton;

namespace shardscope
{

// The slim title of a dock: drag it to move the dock, double-click it to enlarge.
class DockTitle : public QWidget
{
    Q_OBJECT
public:
    explicit DockTitle(QDockWidget& dock);

    // A button at the right end, before the ones that are there.
    QToolButton* addButton(const QIcon& icon, const QString& tip);

    // A line shows when the keys are the dock's; plots do not show it themselves.
    void markFocus();

signals:
    void doubleClicked();

protected:
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    QDockWidget& m_dock;
    QHBoxLayout* m_buttons;
    bool m_has_focus = false;
};

} // namespace shardscope
