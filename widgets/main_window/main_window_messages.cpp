#include "widgets/main_window/main_window.h"

#include "widgets/main_window/file_actions.h"
#include "widgets/main_window/message_line.h"
#include "widgets/session/session.h"

#include <QMenu>
#include <QStatusBar>

// What the line of messages says, what it offers to do about it, and when it falls silent.

namespace shardscope
{

void MainWindow::connectMessages()
{
    connect(m_session, &Session::failed, this, [this](const QString& sentence, Topic topic) {
        if (topic == Topic::presets) // another name was tried
            m_messages->withdraw(topic);
        m_messages->add(MessageLine::Severity::error, sentence, {}, topic);
    });
    connect(m_session, &Session::warned, this, [this](const QString& sentence, Topic topic) {
        m_messages->add(MessageLine::Severity::warning, sentence, {}, topic);
    });
    connect(m_files, &FileActions::failed, this, &MainWindow::complain);
    connect(m_files, &FileActions::notified, this, &MainWindow::tell);
    connectOffers();
    connectWithdrawals();
}

void MainWindow::connectOffers()
{
    using Severity = MessageLine::Severity;
    const MessageLine::Remedy files{tr("Trace files..."), [this] { showTraceFiles(); }};
    const MessageLine::Remedy inference{tr("What the traces show..."), [this] { showInference(); }};
    const MessageLine::Remedy runs{tr("Show another..."), [this] { showRunsMenu(); }};
    const auto offer = [this](auto signal, Severity severity, const MessageLine::Remedy& remedy,
                              Topic topic) {
        connect(m_session, signal, this, [this, severity, remedy, topic](const QString& sentence) {
            m_messages->add(severity, sentence, remedy, topic);
        });
    };
    offer(&Session::tracesDoubted, Severity::warning, files, Topic::traces);
    offer(&Session::tracesRejected, Severity::error, files, Topic::traces);
    offer(&Session::severalRunsOpened, Severity::note, runs, Topic::traces);
    offer(&Session::otherRunOpened, Severity::warning, inference, Topic::number_of_gpus);
}

// Below the button, which is at the right end.
void MainWindow::showRunsMenu()
{
    QMenu& menu = m_files->runsMenu();
    menu.ensurePolished();
    menu.popup(m_messages->mapToGlobal(QPoint{m_messages->width() - menu.sizeHint().width(), 0}));
}

void MainWindow::connectWithdrawals()
{
    const auto withdraw = [this](auto signal, Topic topic) {
        connect(m_session, signal, this, [this, topic] { m_messages->withdraw(topic); });
    };
    withdraw(&Session::scenarioOpened, Topic::scenario_file);
    withdraw(&Session::tracesReplaced, Topic::traces);
    withdraw(&Session::tracesReplaced, Topic::number_of_gpus);
    withdraw(&Session::otherRunEnded, Topic::number_of_gpus);
    withdraw(&Session::presetsChanged, Topic::presets);
}

// Nobody has to take note of it.
void MainWindow::tell(const QString& sentence)
{
    constexpr int long_enough_ms = 15'000;
    statusBar()->showMessage(sentence, long_enough_ms);
}

void MainWindow::complain(const QString& sentence)
{
    m_messages->add(MessageLine::Severity::error, sentence);
}

} // namespace shardscope
