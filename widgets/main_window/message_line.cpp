#include "widgets/main_window/message_line.h"

#include "widgets/panels/controls/glyph.h"
#include "widgets/panels/controls/icon_button.h"
#include "widgets/panels/controls/tinted_ground.h"
#include "widgets/plots/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace shardscope
{

namespace
{

QColor colourOf(Severity severity, const QPalette& palette)
{
    switch (severity) {
    case Severity::note:
        break;
    case Severity::warning:
        return Theme{palette}.colour(Hue::pp);
    case Severity::error:
        return Theme{palette}.colour(Hue::limit);
    }
    return palette.color(QPalette::Highlight);
}

} // namespace

MessageLine::MessageLine(QWidget* parent)
    : QWidget{parent},
      m_text{new QLabel},
      m_remedy{new QPushButton},
      m_place{new QLabel},
      m_previous{iconButton(glyphIcon(Glyph::previous), tr("Newer message"))},
      m_next{iconButton(glyphIcon(Glyph::next), tr("Older message"))},
      m_all{new QToolButton}
{
    auto* line = new QHBoxLayout{this};
    line->setContentsMargins(10, 3, 6, 3);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_all->setText(tr("Dismiss all"));
    m_all->setAutoRaise(true);
    QToolButton* close = iconButton(glyphIcon(Glyph::close), tr("Dismiss"));
    line->addWidget(m_text, 1);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{m_remedy, m_previous, m_place, m_next, m_all, close})
        line->addWidget(widget);
    connect(m_remedy, &QPushButton::clicked, this, &MessageLine::remedyCurrent);
    connect(m_previous, &QToolButton::clicked, this, [this] { turn(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { turn(1); });
    connect(m_all, &QToolButton::clicked, this, &MessageLine::dismissAll);
    connect(close, &QToolButton::clicked, this, &MessageLine::dismissCurrent);
    hide();
}

void MessageLine::add(Severity severity, const QString& sentence, Remedy remedy, Topic topic)
{
    // Said again, it moves to the front instead of standing there twice.
    std::erase_if(m_messages,
                  [&](const Message& one) { return one.severity == severity && one.sentence == sentence; });
    m_messages.push_front({severity, sentence, std::move(remedy), topic});
    m_current = 0;
    show();
}

void MessageLine::addBehind(Severity severity, const QString& sentence, Remedy remedy, Topic topic)
{
    m_messages.push_back({severity, sentence, std::move(remedy), topic});
    show();
}

void MessageLine::withdraw(Topic topic)
{
    const auto seen = m_messages.begin() + std::min(m_current, count());
    const auto above =
        std::count_if(m_messages.begin(), seen, [topic](const Message& one) { return one.topic == topic; });
    std::erase_if(m_messages, [topic](const Message& one) { return one.topic == topic; });
    m_current = std::clamp(m_current - static_cast<int>(above), 0, std::max(0, count() - 1));
    show();
}

void MessageLine::dismissCurrent()
{
    if (m_messages.empty())
        return;
    m_messages.erase(m_messages.begin() + m_current);
    m_current = std::min(m_current, std::max(0, count() - 1));
    show();
}

void MessageLine::remedyCurrent()
{
    if (m_messages.empty())
        return;
    const std::function<void()> run = m_messages[static_cast<std::size_t>(m_current)].remedy.run;
    if (run)
        run();
}

void MessageLine::dismissAll()
{
    m_messages.clear();
    m_current = 0;
    show();
}

QString MessageLine::currentText() const
{
    return m_messages.empty() ? QString{} : m_messages[static_cast<std::size_t>(m_current)].sentence;
}

void MessageLine::turn(int by)
{
    m_current = std::clamp(m_current + by, 0, count() - 1);
    show();
}

void MessageLine::show()
{
    setVisible(!m_messages.empty());
    const bool several = count() > 1;
    for (QWidget* widget : std::initializer_list<QWidget*>{m_previous, m_place, m_next, m_all})
        widget->setVisible(several);
    m_previous->setEnabled(m_current > 0);
    m_next->setEnabled(m_current + 1 < count());
    m_place->setText(tr("%1 of %2").arg(m_current + 1).arg(count()));
    m_text->setText(currentText());
    const QString remedy =
        m_messages.empty() ? QString{} : m_messages[static_cast<std::size_t>(m_current)].remedy.text;
    m_remedy->setText(remedy);
    m_remedy->setVisible(!remedy.isEmpty());
    update();
}

void MessageLine::paintEvent(QPaintEvent*)
{
    if (m_messages.empty())
        return;
    const QColor colour = colourOf(m_messages[static_cast<std::size_t>(m_current)].severity, palette());
    constexpr int tint_alpha = 36;
    paintTintedGround(*this, colour, tint_alpha);
}

} // namespace shardscope
