#include "widgets/main_window/main_window.h"

#include "widgets/main_window/dock_arrangement.h"
#include "widgets/main_window/file_actions.h"
#include "widgets/main_window/message_line.h"
#include "widgets/session/job_failures.h"
#include "widgets/session/session.h"

#include <QMenu>
#include <QStatusBar>
#include <QUndoStack>

// What the line of messages says, what it offers to do about it, and when it falls silent.

namespace shardscope
{

void MainWindow::connectMessages()
{
    connect(m_session, &Session::failed, this, [this](const QString& sentence, Topic topic) {
        m_messages->add(Severity::error, sentence, {}, topic);
    });
    connect(m_session, &Session::told, this, [this](const Notice& notice) {
        const auto add = notice.waits ? &MessageLine::addBehind : &MessageLine::add;
        (m_messages->*add)(notice.severity, notice.sentence, remedyOf(notice.offer), notice.topic);
    });
    connect(m_session, &Session::outdated, m_messages, &MessageLine::withdraw);
    connect(m_session, &Session::documentChanged, m_messages,
            [this] { m_messages->withdraw(Topic::scenario_file); });
    connect(&JobFailures::ofProgram(), &JobFailures::failed, this,
            [this](const QString& sentence) { complain(tr("A picture stays as it was: %1").arg(sentence)); });
    connect(m_files, &FileActions::failed, this, &MainWindow::complain);
    connect(m_files, &FileActions::notified, this, &MainWindow::tell);
    // Every other picture would look as if nothing had been read.
    connect(m_session, &Session::told, this, [this](const Notice& notice) {
        if (notice.offer == Offer::collectives && !m_docks->enlarged())
            showCollectives();
    });
}

MessageLine::Remedy MainWindow::remedyOf(Offer offer)
{
    switch (offer) {
    case Offer::none:
        break;
    case Offer::trace_files:
        return {tr("Trace files..."), [this] { showTraceFiles(); }};
    case Offer::what_traces_show:
        return {tr("What the traces show..."), [this] { showInference(); }};
    case Offer::another_run:
        return {tr("Show another..."), [this] { showRunsMenu(); }};
    case Offer::mapping_of_traces:
        return {tr("Take it into the scenario"), [this] { m_session->takeMapping(); }};
    case Offer::collectives:
        return {tr("Show Collectives"), [this] { showCollectives(); }};
    }
    return {};
}

void MainWindow::goBackTo(int undo_index)
{
    m_messages->withdraw(Topic::scenario_file);
    m_session->undoStack().setIndex(undo_index);
}

// Below the button, which is at the right end.
void MainWindow::showRunsMenu()
{
    QMenu& menu = m_files->runsMenu();
    menu.ensurePolished();
    menu.popup(m_messages->mapToGlobal(QPoint{m_messages->width() - menu.sizeHint().width(), 0}));
}

void MainWindow::showCollectives()
{
    m_docks->bringToFront(m_docks->picture("collective"));
}

// Nobody has to take note of it.
void MainWindow::tell(const QString& sentence)
{
    constexpr int long_enough_ms = 15'000;
    statusBar()->showMessage(sentence, long_enough_ms);
}

void MainWindow::complain(const QString& sentence)
{
    m_messages->add(Severity::error, sentence);
}

} // namespace shardscope
