#pragma once

#include <QWidget>

#include "core/lesson/lesson.h"

#include <cstddef>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace shardscope
{

// The question of a lesson over the pictures: one of several factors is guessed, then the figure stands there
// before and after the change, with the reason. It shows what it is given and wishes for the rest.
class LessonBar : public QWidget
{
    Q_OBJECT
public:
    explicit LessonBar(QWidget* parent = nullptr);

    void ask(const Lesson& lesson, std::size_t step);
    // To the question that was asked last. `guess` is of its choices.
    void answer(std::size_t guess, const LessonAnswer& answer);
    // Behind the last answer.
    void conclude(const Lesson& lesson, std::size_t right_guesses);

    QString text() const; // all that is said, a line each
    const std::vector<QPushButton*>& choices() const { return m_choices; }
    QPushButton& next() const { return *m_next; }

signals:
    void guessed(std::size_t choice);
    void nextWished();
    void closeWished();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void setChoices(const std::vector<double>& factors);
    void clearChoices();

    LessonStep m_step; // that is asked or answered
    bool m_is_last = false;
    QToolButton* m_close;
    QLabel* m_title;
    QLabel* m_question;
    QLabel* m_answer;
    QHBoxLayout* m_row;
    std::vector<QPushButton*> m_choices;
    QPushButton* m_next;
};

} // namespace shardscope
