#include "widgets/panels/collectives/fit_bar.h"

#include "widgets/panels/controls/glyph.h"
#include "widgets/panels/controls/icon_button.h"
#include "widgets/panels/controls/tinted_ground.h"
#include "widgets/plots/note_lines.h"
#include "widgets/plots/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace shardscope
{

FitBar::FitBar(QWidget* parent) : QWidget{parent}, m_text{new QLabel}, m_take{new QPushButton{tr("Take it")}}
{
    auto* line = new QHBoxLayout{this};
    line->setContentsMargins(10, 2, 4, 2);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_text->installEventFilter(this);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_take->setToolTip(tr("Take the fitted constants all the same"));
    QToolButton* close = iconButton(glyphIcon(Glyph::close), tr("Close"));
    line->addWidget(m_text, 1);
    line->addWidget(m_take);
    line->addWidget(close, 0, Qt::AlignTop);
    connect(m_take, &QPushButton::clicked, this, &FitBar::takeWished);
    connect(close, &QToolButton::clicked, this, [this] {
        hide();
        emit closed();
    });
    hide();
}

void FitBar::tell(const QString& text, const QString& tip, bool is_warning)
{
    m_is_asking = false;
    m_is_warning = is_warning;
    say(text, tip);
}

void FitBar::ask(const QString& text, const QString& tip)
{
    m_is_asking = true;
    m_is_warning = true;
    say(text, tip);
}

void FitBar::say(const QString& text, const QString& tip)
{
    m_whole = text;
    m_text->setToolTip(tip);
    m_text->setAccessibleName(text);
    m_take->setVisible(m_is_asking);
    wrap();
    show();
    update();
}

void FitBar::setMostLines(int lines)
{
    m_most_lines = lines;
    wrap();
}

QString FitBar::shownText() const
{
    return m_text->text();
}

void FitBar::wrap()
{
    const double room = m_text->width();
    m_text->setText(noteWithin(m_whole, QFontMetricsF{m_text->font()}, room, room, m_most_lines).join('\n'));
}

// The room for the text is known once the line is laid out.
bool FitBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        wrap();
    return QWidget::eventFilter(watched, event);
}

void FitBar::paintEvent(QPaintEvent*)
{
    constexpr int tint_alpha = 36;
    const QColor colour =
        m_is_warning ? Theme{palette()}.colour(Hue::pp) : palette().color(QPalette::Highlight);
    paintTintedGround(*this, colour, tint_alpha);
}

} // namespace shardscope
