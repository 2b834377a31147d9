#include "widgets/panels/lesson/lesson_bar.h"

#include "widgets/panels/controls/glyph.h"
#include "widgets/panels/controls/icon_button.h"
#include "widgets/panels/controls/tinted_ground.h"
#include "widgets/session/shown_text.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace shardscope
{

namespace
{

QLabel* wrappedLabel()
{
    auto* label = new QLabel;
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString html(const std::string& text)
{
    return toQString(text).toHtmlEscaped();
}

} // namespace

LessonBar::LessonBar(QWidget* parent)
    : QWidget{parent},
      m_close{iconButton(glyphIcon(Glyph::close), tr("End the lesson"))},
      m_title{new QLabel},
      m_question{wrappedLabel()},
      m_answer{wrappedLabel()},
      m_row{new QHBoxLayout},
      m_next{new QPushButton}
{
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_close);
    m_row->setSpacing(6);
    m_row->addStretch(1);
    m_row->addWidget(m_next);
    auto* column = new QVBoxLayout{this};
    column->setContentsMargins(12, 4, 6, 6);
    column->setSpacing(3);
    column->addLayout(head);
    column->addWidget(m_question);
    column->addLayout(m_row);
    column->addWidget(m_answer);
    connect(m_next, &QPushButton::clicked, this, &LessonBar::nextWished);
    connect(m_close, &QToolButton::clicked, this, &LessonBar::closeWished);
    hide();
}

void LessonBar::ask(const Lesson& lesson, std::size_t step)
{
    m_step = lesson.steps[step];
    m_is_last = step + 1 == lesson.steps.size();
    m_title->setText(tr("<b>%1</b> &nbsp; question %2 of %3")
                         .arg(html(lesson.title))
                         .arg(step + 1)
                         .arg(lesson.steps.size()));
    const QString about = step == 0 ? html(lesson.about) + "<br>" : QString{};
    m_question->setText(about + html(m_step.question));
    m_answer->hide();
    setChoices(m_step.choices);
    show();
    // Before the button that has it is hidden, which would hand it to the next in the window.
    m_choices.front()->setFocus(Qt::OtherFocusReason);
    m_next->hide();
}

void LessonBar::answer(std::size_t guess, const LessonAnswer& answer)
{
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        QPushButton& choice = *m_choices[i];
        choice.setEnabled(false);
        const QString mark = i == answer.right ? QStringLiteral("✓ ")
                             : i == guess      ? QStringLiteral("✗ ")
                                               : QString{};
        choice.setText(mark + choice.text());
    }
    const LessonFigure& figure = *m_step.figure;
    QString title = html(std::string{figure.title});
    title[0] = title[0].toUpper();
    m_answer->setText(tr("<b>%1</b> %2: %3 → %4, %5. %6")
                          .arg(guess == answer.right ? tr("Right.") : tr("No."), title,
                               html(figure.text(answer.before)), html(figure.text(answer.after)),
                               html(factorText(answer.factor())), html(m_step.because)));
    m_answer->show();
    m_question->setText(html(m_step.question)); // what the lesson is about leaves its lines to the pictures
    m_next->setText(m_is_last ? tr("Finish") : tr("Next question"));
    m_next->show();
    m_next->setFocus(Qt::OtherFocusReason);
}

void LessonBar::conclude(const Lesson& lesson, std::size_t right_guesses)
{
    clearChoices();
    m_title->setText(tr("<b>%1</b>").arg(html(lesson.title)));
    m_question->setText(
        tr("That was the lesson: %1 of %2 right. Everything on the left can be moved from here; "
           "Help > Lessons has more.")
            .arg(right_guesses)
            .arg(lesson.steps.size()));
    m_answer->hide();
    m_close->setFocus(Qt::OtherFocusReason);
    m_next->hide();
}

QString LessonBar::text() const
{
    QStringList lines;
    for (const QLabel* label : {m_title, m_question, m_answer})
        if (!label->isHidden())
            lines << label->text();
    return lines.join('\n');
}

void LessonBar::setChoices(const std::vector<double>& factors)
{
    clearChoices();
    for (std::size_t i = 0; i < factors.size(); ++i) {
        auto* choice = new QPushButton{toQString(factorText(factors[i]))};
        connect(choice, &QPushButton::clicked, this, [this, i] { emit guessed(i); });
        m_row->insertWidget(static_cast<int>(i), choice);
        choice->show(); // a layout does so later, and what is not shown takes no focus
        // What is made later comes last in the window's order, behind everything else.
        setTabOrder(m_choices.empty() ? static_cast<QWidget*>(m_close) : m_choices.back(), choice);
        m_choices.push_back(choice);
    }
    if (!m_choices.empty())
        setTabOrder(m_choices.back(), m_next);
}

void LessonBar::clearChoices()
{
    for (QPushButton* choice : m_choices)
        choice->deleteLater(); // it may be the one whose click is under way
    for (QPushButton* choice : m_choices)
        choice->hide();
    m_choices.clear();
}

// Buttons outside of dialogs leave Return to whoever is above them.
void LessonBar::keyPressEvent(QKeyEvent* event)
{
    auto* button = qobject_cast<QAbstractButton*>(focusWidget());
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && button)
        button->click();
    else
        QWidget::keyPressEvent(event);
}

void LessonBar::paintEvent(QPaintEvent*)
{
    constexpr int tint_alpha = 28;
    paintTintedGround(*this, palette().color(QPalette::Highlight), tint_alpha);
}

} // namespace shardscope
