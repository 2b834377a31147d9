#pragma once

#include "core/lesson/lesson.h"

#include <QObject>

#include <cstddef>
#include <memory>
#include <optional>

class QMenu;

namespace shardscope
{

class LessonBar;
class Session;
struct Content;
struct PredictedScenario;
struct ScenarioDocument;

// Leads through a lesson: each question is asked with its scenario on screen; a guess pins that one and moves
// to the scenario after the change. It ends where another scenario is opened. What was pinned before comes
// back at its end; the way back to the scenario of before is offered, as somebody may want to go on from
// here.
class LessonGuide : public QObject
{
    Q_OBJECT
public:
    LessonGuide(Session& session, LessonBar& bar, QObject* parent);

    // Adds the lessons that ship, in a menu of their own.
    void addTo(QMenu& menu);
    // Asks before it takes the place of a scenario that is not saved.
    void begin(const Lesson& lesson);
    bool isUnderWay() const { return m_lesson.has_value(); }

signals:
    void pictureWished(const QString& key); // that shows the answer best
    void failed(const QString& sentence);   // a lesson that cannot be read
    void notified(const QString& sentence); // what else was done
    // The lesson is closed, and what was on screen before is there at this index of the undo stack.
    void wayBackOffered(int undo_index);

private:
    void fill(QMenu& menu);
    void ask();
    void takeGuess(std::size_t guess);
    void goOn();
    void end();
    void offerWayBack();
    void unpinOwn();
    void setPinAside();
    void bringPinBack();
    void watch(const Content& content);

    Session& m_session;
    LessonBar& m_bar;
    std::optional<Lesson> m_lesson;
    std::size_t m_step = 0;
    std::size_t m_right_guesses = 0;
    // Of before the first of the lessons that followed each other; -1: nobody had chosen that scenario.
    std::optional<int> m_undo_index;
    std::shared_ptr<const ScenarioDocument>
        m_document;                                    // that the lesson was opened as; null: the bar is away
    std::shared_ptr<const PredictedScenario> m_pinned; // by a guess
    std::shared_ptr<const PredictedScenario> m_set_aside; // what the user had pinned
};

} // namespace shardscope
