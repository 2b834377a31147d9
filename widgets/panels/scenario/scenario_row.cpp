#include "widgets/panels/scenario/scenario_row.h"

#include "widgets/panels/scenario/scenario_row_label.h"
#include "widgets/plots/theme.h"
#include "widgets/session/shown_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace shardscope
{

ScenarioRow::ScenarioRow(const ScenarioFigure& figure, const Scenario& scenario, QWidget* parent)
    : QWidget{parent}, m_figure{figure}, m_scenario{scenario}
{
    setObjectName(figure.key);
    auto* lines = new QVBoxLayout{this};
    lines->setContentsMargins(4, 1, 4, 1);
    lines->setSpacing(1);
    m_controls = new QHBoxLayout;
    m_controls->setSpacing(6);
    m_controls->addWidget(new ScenarioRowLabel{label(), QString::fromUtf8(figure.symbol)});
    lines->addLayout(m_controls);
    setToolTip(QString{"<p><b>%1</b>%2</p><p>%3</p><p><code>%4</code></p>"}.arg(
        label(), *figure.symbol ? QString{" <i>%1</i>"}.arg(QString::fromUtf8(figure.symbol)) : QString{},
        QString::fromUtf8(figure.tip), key()));
}

QString ScenarioRow::label() const
{
    return QString::fromUtf8(m_figure.label);
}

QString ScenarioRow::words() const
{
    return QStringList{label(), QString::fromUtf8(m_figure.symbol), QString::fromUtf8(m_figure.tip), key()}
        .join('\n');
}

void ScenarioRow::refreshNote()
{
    enableControls();
    const QString note = m_figure.note ? m_figure.note(m_scenario) : QString{};
    if (note == m_note)
        return;
    m_note = note;
    showSentence();
}

// What is wrong can be put right, whether anything comes of it or not.
void ScenarioRow::enableControls()
{
    if (!m_figure.is_idle)
        return;
    const bool is_idle = m_figure.is_idle(m_scenario) && m_problem.isEmpty();
    for (int i = 0; i < m_controls->count(); ++i)
        if (QWidget* control = m_controls->itemAt(i)->widget())
            control->setEnabled(!is_idle);
}

void ScenarioRow::setProblem(const QString& sentence)
{
    m_problem = sentence;
    enableControls();
    showSentence();
}

void ScenarioRow::setRefusal(const QString& sentence)
{
    m_refusal = sentence;
    showSentence();
}

void ScenarioRow::setRemark(const QString& sentence)
{
    m_remark = sentence;
    showSentence();
}

void ScenarioRow::showSentence()
{
    const QString& wrong = m_refusal.isEmpty() ? m_problem : m_refusal;
    const QString& sentence = !wrong.isEmpty() ? wrong : m_note.isEmpty() ? m_remark : m_note;
    if (sentence.isEmpty() && !m_sentence)
        return;
    if (!m_sentence) {
        m_sentence = new QLabel{this};
        m_sentence->setWordWrap(true);
        m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout()->addWidget(m_sentence);
    }
    const Theme theme{palette()};
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, wrong.isEmpty() ? theme.faintText() : theme.colour(Hue::limit));
    m_sentence->setPalette(colours);
    m_sentence->setText(withUnbrokenNumbers(sentence));
    m_sentence->setVisible(!sentence.isEmpty());
    setAccessibleDescription(sentence);
    update();
}

// Sentences have colours of their own.
void ScenarioRow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_sentence)
        showSentence();
}

void ScenarioRow::paintEvent(QPaintEvent*)
{
    if (m_problem.isEmpty() && m_refusal.isEmpty())
        return;
    QPainter painter{this};
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor red = Theme{palette()}.colour(Hue::limit);
    QColor ground = red;
    ground.setAlpha(20);
    painter.setPen(QPen{red, 1.2});
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF{rect()}.adjusted(1, 0.6, -1, -0.6), 4, 4);
}

} // namespace shardscope
