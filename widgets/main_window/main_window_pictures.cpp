#include "widgets/main_window/dock_arrangement.h"
#include "widgets/main_window/main_window.h"
#include "widgets/main_window/picture_dock.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/session/session.h"

#include <QStatusBar>

// What pictures wish of the window.

namespace shardscope
{

void MainWindow::connectPicture(PictureDock& dock)
{
    connect(&dock.panel(), &PicturePanel::selectionWished, m_session, &Session::select);
    connect(&dock.panel(), &PicturePanel::scenarioWished, this, &MainWindow::editFromPicture);
    connect(&dock.panel(), &PicturePanel::fullTracesWished, m_session, &Session::readInFull);
    connect(&dock.panel(), &PicturePanel::walkWished, this,
            [this, &dock](const EventWalk& walk) { goAlong(dock, walk); });
    connect(&dock.panel(), &PicturePanel::statusWished, this,
            [this](const QString& sentence) { statusBar()->showMessage(sentence); });
    connect(&dock, &PictureDock::exportWished, this,
            [this, &dock](const QString& ending) { exportFrom(dock, ending); });
}

// Seen beside the table that wishes it, which keeps the keyboard: the next one is an Enter away.
void MainWindow::goAlong(PictureDock& wisher, const EventWalk& walk)
{
    m_docks->showAll();
    wisher.raise();
    for (PictureDock* dock : m_docks->pictures())
        if (dock->panel().showsEvents()) {
            dock->show();
            dock->raise();
            dock->panel().goAlong(walk);
        }
}

// Pictures start from what they show: beneath the veil, or while a long prediction is under way, that is not
// the scenario that is being typed.
void MainWindow::editFromPicture(const Scenario& scenario, const QString& gesture, int drag_id)
{
    if (m_session->isPredicting())
        tell(tr("Not taken: the scenario was still being predicted"));
    else if (m_session->problems().empty())
        m_session->editScenario(scenario, gesture, drag_id);
    else
        tell(tr("The scenario is not possible yet; pictures change it once it is"));
}

} // namespace shardscope
