#include "widgets/main_window/dock_title.h"

#include "widgets/panels/controls/icon_button.h"

#include <QApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

namespace shardscope
{

namespace
{

constexpr int button_size = 20;
constexpr int title_margin = 8;
constexpr int focus_line_width = 2;

} // namespace

DockTitle::DockTitle(QDockWidget& dock) : QWidget{&dock}, m_dock{dock}, m_buttons{new QHBoxLayout{this}}
{
    m_buttons->setContentsMargins(0, 0, 2, 0);
    m_buttons->setSpacing(0);
    m_buttons->addStretch(1);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    setFont(bold);
}

void DockTitle::markFocus()
{
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* focused) {
        const bool has_focus = m_dock.isAncestorOf(focused);
        if (has_focus == m_has_focus)
            return;
        m_has_focus = has_focus;
        update();
    });
}

QToolButton* DockTitle::addButton(const QIcon& icon, const QString& tip)
{
    QToolButton* button = iconButton(icon, tip);
    button->setFixedSize(button_size, button_size);
    m_buttons->insertWidget(1, button);
    return button;
}

// A dock would float on a double click of its own title bar; accepting the event keeps it in place.
void DockTitle::mouseDoubleClickEvent(QMouseEvent* event)
{
    event->accept();
    emit doubleClicked();
}

void DockTitle::paintEvent(QPaintEvent*)
{
    QPainter painter{this};
    painter.fillRect(rect(), palette().color(QPalette::Window));
    const int buttons = (m_buttons->count() - 1) * button_size;
    const QRect space = rect().adjusted(title_margin, 0, -buttons - title_margin, 0);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(space, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_dock.windowTitle(), Qt::ElideRight, space.width()));
    if (m_has_focus)
        painter.fillRect(0, height() - focus_line_width, width(), focus_line_width,
                         palette().color(QPalette::Highlight));
}

QSize DockTitle::sizeHint() const
{
    return {fontMetrics().horizontalAdvance(m_dock.windowTitle()) + 3 * button_size + 2 * title_margin,
            std::max(button_size + 2, fontMetrics().height() + 6)};
}

QSize DockTitle::minimumSizeHint() const
{
    return {3 * button_size + 2 * title_margin, sizeHint().height()};
}

} // namespace shardscope
