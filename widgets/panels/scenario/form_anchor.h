#pragma once

#include <QPointer>
#include <QWidget>

#include <optional>

class QScrollArea;

namespace shardscope
{

// Keeps the line of a form that is being edited, or else the one that the mouse points at or that has the
// focus, at its place on the screen while lines above it come and go: a second click at the same place means
// the same line. Where the mouse is and the form cannot be scrolled as far, room is left free above or below
// its lines until the mouse leaves it.
class FormAnchor
{
public:
    // `frame` holds the form and what else may push it down.
    FormAnchor(QWidget& frame, QScrollArea& form) : m_frame{frame}, m_form{form} {}

    // A line whose edit changes others; null: none is edited any more. Who has typed does not point: the
    // mouse lies where it was left, until it moves.
    void use(QWidget* line, bool typed = false);
    // Before lines change.
    void hold();
    // Once they have.
    void settle();
    // The room that was left free goes.
    void release();
    // Other lines are shown than before: none is kept at its place.
    void scrollTo(int value);

private:
    void bringBack(int moved);
    void layOut();
    void leaveFree(int above, int below);
    int yOf(const QWidget& line) const; // in the frame
    int linesHeight() const;            // without what is left free

    QWidget& m_frame;
    QScrollArea& m_form;
    QPointer<QWidget> m_used;
    std::optional<QPoint> m_left_at; // where the mouse lies since something was typed
    QPointer<QWidget> m_held;
    int m_y = 0;     // where it stood
    int m_value = 0; // of the scroll bar, since
    bool m_is_pointed_at = false;
    int m_above = 0; // pixels that are left free
    int m_below = 0;
};

} // namespace shardscope
