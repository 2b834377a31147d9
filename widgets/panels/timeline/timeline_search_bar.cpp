#include "widgets/panels/timeline/timeline_search_bar.h"

#include "widgets/session/shown_text.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace shardscope
{

TimelineSearchBar::TimelineSearchBar(QWidget* parent)
    : QWidget{parent}, m_field{new QLineEdit{this}}, m_count{new QLabel{this}}
{
    m_field->setPlaceholderText(QStringLiteral("name of an event"));
    m_field->setAccessibleName(QStringLiteral("Search events by name"));
    m_field->setClearButtonEnabled(true);
    m_field->setFixedWidth(20 * fontMetrics().averageCharWidth());
    m_field->installEventFilter(this);
    const auto arrow = [this](Qt::ArrowType type, const char* tip, auto signal) {
        auto* button = new QToolButton{this};
        button->setArrowType(type);
        button->setAutoRaise(true);
        button->setToolTip(QString::fromLatin1(tip));
        connect(button, &QToolButton::clicked, this, signal);
        return button;
    };
    auto* line = new QHBoxLayout{this};
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(2);
    line->addWidget(m_field);
    line->addWidget(m_count);
    line->addWidget(arrow(Qt::LeftArrow, "Previous (Shift+Enter)", &TimelineSearchBar::previousWished));
    line->addWidget(arrow(Qt::RightArrow, "Next (Enter)", &TimelineSearchBar::nextWished));
    connect(m_field, &QLineEdit::textChanged, this, &TimelineSearchBar::textChanged);
    hide();
}

QString TimelineSearchBar::text() const
{
    return m_field->text();
}

void TimelineSearchBar::open()
{
    show();
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void TimelineSearchBar::setPlace(std::int64_t place, std::int64_t count)
{
    if (m_field->text().isEmpty())
        m_count->clear();
    else if (count == 0)
        m_count->setText(QStringLiteral("none"));
    else
        m_count->setText(QStringLiteral("%1 of %2").arg(groupedText(place), groupedText(count)));
}

bool TimelineSearchBar::eventFilter(QObject* watched, QEvent* event)
{
    const bool is_key = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (watched != m_field || !is_key)
        return QWidget::eventFilter(watched, event);
    const auto& key = static_cast<const QKeyEvent&>(*event);
    if (event->type() == QEvent::ShortcutOverride) { // Esc is the search's before it is the window's
        if (key.key() == Qt::Key_Escape)
            event->accept();
        return false;
    }
    if (key.key() == Qt::Key_Escape)
        emit closed();
    else if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter)
        key.modifiers().testFlag(Qt::ShiftModifier) ? emit previousWished() : emit nextWished();
    else
        return false;
    return true;
}

} // namespace shardscope
