#include "widgets/main_window/lesson_guide.h"

#include "widgets/panels/lesson/lesson_bar.h"
#include "widgets/session/session.h"
#include "widgets/session/shown_text.h"

#include "core/base/resources.h"

#include <QMenu>

#include <utility>

namespace shardscope
{

LessonGuide::LessonGuide(Session& session, LessonBar& bar, QObject* parent)
    : QObject{parent}, m_session{session}, m_bar{bar}
{
    connect(&m_bar, &LessonBar::guessed, this, &LessonGuide::takeGuess);
    connect(&m_bar, &LessonBar::nextWished, this, &LessonGuide::goOn);
    connect(&m_bar, &LessonBar::closeWished, this, &LessonGuide::end);
    connect(&m_session, &Session::contentChanged, this, &LessonGuide::watch);
}

void LessonGuide::addTo(QMenu& menu)
{
    QMenu* lessons = menu.addMenu(tr("&Lessons"));
    connect(lessons, &QMenu::aboutToShow, this, [this, lessons] {
        if (lessons->isEmpty())
            fill(*lessons);
    });
}

void LessonGuide::fill(QMenu& menu)
{
    const Lessons shipped = loadLessons(resourcesFolder() / "lessons", m_session.presets());
    for (const Lesson& lesson : shipped.lessons)
        menu.addAction(toQString(lesson.title).replace('&', "&&"), this, [this, lesson] { begin(lesson); })
            ->setToolTip(toQString(lesson.about));
    menu.setToolTipsVisible(true);
    if (menu.isEmpty())
        menu.addAction(tr("No lessons in %1").arg(toQString((resourcesFolder() / "lessons").string())))
            ->setEnabled(false);
    for (const std::string& problem : shipped.problems)
        emit failed(toQString(problem));
}

void LessonGuide::begin(const Lesson& lesson)
{
    const int undo_index = m_session.isScenarioNobodys() ? -1 : m_session.undoStack().index();
    if (lesson.steps.empty()
        || !m_session.openScenario(lesson.steps.front().before,
                                   tr("Lesson: %1").arg(toQString(lesson.title))))
        return;
    if (m_session.content().measured) {
        m_session.closeTraces(); // of another run than the lesson's
        emit notified(tr("The traces that were open are closed for the lesson; File > Recent has them."));
    }
    if (!m_undo_index)
        m_undo_index = undo_index;
    unpinOwn(); // of a lesson before
    setPinAside();
    m_lesson = lesson;
    m_step = 0;
    m_right_guesses = 0;
    m_document = m_session.content().document;
    ask();
}

void LessonGuide::ask()
{
    unpinOwn();
    m_session.editAsKept(m_lesson->steps[m_step].before, tr("Lesson"));
    m_bar.ask(*m_lesson, m_step);
}

// Whatever was tried out meanwhile: the answer is of the lesson's own scenarios.
void LessonGuide::takeGuess(std::size_t guess)
{
    if (!m_lesson)
        return;
    const LessonStep& step = m_lesson->steps[m_step];
    const Result<LessonAnswer> answer = answerOf(step);
    if (!answer) {
        emit failed(toQString(answer.error().sentence));
        return end();
    }
    m_session.editAsKept(step.before, tr("Lesson"));
    setPinAside();
    m_session.pin();
    m_pinned = m_session.content().pinned;
    m_session.editAsKept(step.after, tr("Lesson"));
    m_right_guesses += guess == answer.value().right ? 1 : 0;
    m_bar.answer(guess, answer.value());
    emit pictureWished(toQString(step.picture));
}

void LessonGuide::goOn()
{
    if (!m_lesson)
        return;
    if (++m_step < m_lesson->steps.size())
        return ask();
    m_bar.conclude(*m_lesson, m_right_guesses);
    m_lesson.reset();
}

void LessonGuide::end()
{
    offerWayBack();
    m_lesson.reset();
    m_document.reset();
    unpinOwn();
    bringPinBack();
    m_bar.hide();
}

// Not where another scenario was opened, nor where there was one that nobody had chosen.
void LessonGuide::offerWayBack()
{
    const std::optional<int> before = std::exchange(m_undo_index, std::nullopt);
    const bool is_still_there = m_document && m_session.content().document == m_document;
    if (before.value_or(-1) >= 0 && is_still_there && m_session.undoStack().index() > *before)
        emit wayBackOffered(*before);
}

void LessonGuide::unpinOwn()
{
    if (m_pinned && m_session.content().pinned == m_pinned)
        m_session.unpin();
    m_pinned.reset();
}

// The pictures compare what the lesson compares.
void LessonGuide::setPinAside()
{
    const std::shared_ptr<const PredictedScenario> pinned = m_session.content().pinned;
    if (!pinned || pinned == m_pinned)
        return;
    m_set_aside = pinned;
    m_session.unpin();
}

// What the user has pinned since stays.
void LessonGuide::bringPinBack()
{
    if (m_set_aside && !m_session.content().pinned)
        m_session.pinAgain(m_set_aside);
    m_set_aside.reset();
}

void LessonGuide::watch(const Content& content)
{
    if (m_document && content.document != m_document)
        end();
}

} // namespace shardscope
