#include "widgets/main_window/dock_arrangement.h"

#include "widgets/main_window/picture_dock.h"
#include "widgets/panels/picture/picture_panel.h"

#include <QEvent>
#include <QMainWindow>
#include <QTimer>

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

constexpr int state_version = 4; // of the saved layout; raise it when docks come or go
constexpr int narrowest_scenario = 290;
constexpr int usual_scenario = 340;
constexpr int widest_scenario = 460; // what a larger window gains goes to the pictures

constexpr int low_window = 800; // on a projector the first row would have no room for its bars

// A row of the grid, with the share of the height that it takes, and that of a low window's.
struct GridRow {
    std::vector<const char*> keys;
    int height = 1;
    int low_height = 1;
    std::vector<int> widths;
};

const std::vector<GridRow>& grid()
{
    static const std::vector<GridRow> rows{{{"time", "memory", "histogram"}, 28, 33, {10, 10, 10}},
                                           {{"messages", "heatmap"}, 35, 33, {18, 12}},
                                           {{"timeline"}, 37, 34, {1}}};
    return rows;
}

// Pictures that stand behind another one, as tabs.
struct Tab {
    const char* key;
    const char* behind;
};
constexpr std::array tabs{Tab{"collective", "histogram"}, Tab{"analysis", "messages"},
                          Tab{"sweeps", "timeline"}};

bool isTab(const QString& key)
{
    return std::any_of(tabs.begin(), tabs.end(), [&](const Tab& tab) { return key == tab.key; });
}

} // namespace

DockArrangement::DockArrangement(QMainWindow& window, QDockWidget& scenario,
                                 std::vector<PictureDock*> pictures)
    : QObject{&window}, m_window{window}, m_scenario{scenario}, m_pictures{std::move(pictures)}
{
    window.installEventFilter(this);
    scenario.installEventFilter(this);
    window.setDockNestingEnabled(true);
    window.setCorner(Qt::TopLeftCorner, Qt::LeftDockWidgetArea);
    window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    for (PictureDock* dock : m_pictures)
        connect(dock, &PictureDock::enlargeWished, this, [this, dock] { enlarge(dock); });
    placeRows();
}

PictureDock* DockArrangement::picture(const QString& key) const
{
    const auto found = std::find_if(m_pictures.begin(), m_pictures.end(),
                                    [&](const PictureDock* dock) { return dock->panel().key() == key; });
    return found == m_pictures.end() ? nullptr : *found;
}

// The docks of each row that exist; a picture that the grid does not know gets a row of its own.
std::vector<std::vector<QDockWidget*>> DockArrangement::rows() const
{
    std::vector<std::vector<QDockWidget*>> result;
    std::vector<PictureDock*> placed;
    for (const GridRow& row : grid()) {
        std::vector<QDockWidget*> docks;
        for (const char* key : row.keys) {
            if (PictureDock* dock = picture(key)) {
                docks.push_back(dock);
                placed.push_back(dock);
            }
        }
        if (!docks.empty())
            result.push_back(docks);
    }
    for (PictureDock* dock : m_pictures) {
        if (std::find(placed.begin(), placed.end(), dock) == placed.end() && !isTab(dock->panel().key()))
            result.push_back({dock});
    }
    return result;
}

void DockArrangement::placeRows()
{
    m_window.addDockWidget(Qt::LeftDockWidgetArea, &m_scenario);
    const std::vector<std::vector<QDockWidget*>> all = rows();
    QDockWidget* above = nullptr;
    for (const std::vector<QDockWidget*>& row : all) {
        if (above)
            m_window.splitDockWidget(above, row.front(), Qt::Vertical);
        else
            m_window.addDockWidget(Qt::RightDockWidgetArea, row.front());
        above = row.front();
    }
    for (const std::vector<QDockWidget*>& row : all) {
        for (std::size_t place = 1; place < row.size(); ++place)
            m_window.splitDockWidget(row[place - 1], row[place], Qt::Horizontal);
    }
    placeTabs();
    sizeRows();
}

// What a tab stands behind is seen first.
void DockArrangement::placeTabs()
{
    for (const Tab& tab : tabs) {
        PictureDock* dock = picture(tab.key);
        PictureDock* front = picture(tab.behind);
        if (!dock || !front)
            continue;
        m_window.tabifyDockWidget(front, dock);
        front->raise();
    }
}

void DockArrangement::sizeRows()
{
    const int width = std::max(600, m_window.width() - usual_scenario);
    QList<QDockWidget*> firsts;
    QList<int> heights;
    for (const GridRow& row : grid()) {
        QList<QDockWidget*> docks;
        QList<int> widths;
        int shares = 0;
        for (const int share : row.widths)
            shares += share;
        for (std::size_t place = 0; place < row.keys.size(); ++place) {
            if (PictureDock* dock = picture(row.keys[place])) {
                docks << dock;
                widths << width * row.widths[place] / shares;
            }
        }
        if (docks.isEmpty())
            continue;
        firsts << docks.front();
        const int share = m_window.height() < low_window ? row.low_height : row.height;
        heights << m_window.height() * share / 100;
        m_window.resizeDocks(docks, widths, Qt::Horizontal);
    }
    m_window.resizeDocks(firsts, heights, Qt::Vertical);
    holdScenarioWidth(std::min(m_window.width() * 23 / 100, usual_scenario));
}

// Without a central widget resizeDocks() cannot tell the two areas apart, and a window that grows would give
// the scenario a part of what it gains: so the width is held for one layout.
void DockArrangement::holdScenarioWidth(int width)
{
    // Wide enough for every field beside the scroll bar, whatever the font.
    const int narrowest = std::max(narrowest_scenario, m_scenario.minimumSizeHint().width());
    m_scenario.setFixedWidth(std::max(narrowest, width));
    QTimer::singleShot(0, &m_scenario, [this, narrowest] {
        m_scenario.setMinimumWidth(narrowest);
        m_scenario.setMaximumWidth(std::max(narrowest, widest_scenario));
    });
}

void DockArrangement::reset()
{
    showAll();
    m_scenario.setFloating(false);
    m_scenario.show();
    for (PictureDock* dock : m_pictures) {
        dock->setFloating(false);
        m_window.removeDockWidget(dock);
    }
    placeRows();
    for (PictureDock* dock : m_pictures)
        dock->show();
    placeTabs();
    sizeRows();
}

void DockArrangement::enlarge(PictureDock* dock)
{
    if (m_enlarged == dock) {
        showAll();
        return;
    }
    if (!m_enlarged)
        m_state_before = m_window.saveState(state_version);
    m_enlarged = dock;
    for (PictureDock* other : m_pictures) {
        other->setVisible(other == dock);
        other->setEnlarged(other == dock);
    }
    if (QWidget* view = dock->panel().keyTaker()) // its keys are meant now
        view->setFocus();
    emit enlargedChanged();
}

void DockArrangement::bringToFront(PictureDock* dock)
{
    if (!dock || dock == m_enlarged)
        return;
    if (m_enlarged)
        return enlarge(dock);
    dock->show();
    dock->raise();
}

void DockArrangement::showAll()
{
    if (!m_enlarged)
        return;
    QWidget* taker = m_enlarged->panel().keyTaker();
    if (QWidget* in_use = m_window.focusWidget())
        taker = in_use;
    m_enlarged->setEnlarged(false);
    m_enlarged = nullptr;
    m_window.restoreState(m_state_before, state_version);
    // What had the keys keeps them: Qt takes them from docks that it places anew.
    if (taker)
        taker->setFocus();
    emit enlargedChanged();
}

void DockArrangement::showScenario()
{
    m_scenario.show();
    m_scenario.raise();
    if (m_scenario.isFloating())
        m_scenario.activateWindow();
}

bool DockArrangement::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == &m_window && event->type() == QEvent::Show)
        windowShown();
    else if (watched == &m_window && event->type() == QEvent::Resize)
        windowResized();
    else if (watched == &m_scenario && event->type() == QEvent::Resize && m_window.width() == m_window_width)
        m_scenario_width = m_scenario.width(); // dragged, or given
    return false;
}

// Sizes can only be given to docks that are shown; a layout that was restored keeps its own.
void DockArrangement::windowShown()
{
    m_window_width = m_window.width();
    if (m_sized)
        return;
    m_sized = true;
    sizeRows();
}

// The layout has already given the scenario its part of what the window gained: it goes back.
void DockArrangement::windowResized()
{
    const bool has_grown = m_window.width() > m_window_width;
    m_window_width = m_window.width();
    if (has_grown && m_scenario_width > 0 && m_scenario.width() > m_scenario_width && isScenarioBeside())
        holdScenarioWidth(m_scenario_width);
}

bool DockArrangement::isScenarioBeside() const
{
    const Qt::DockWidgetArea area = m_window.dockWidgetArea(&m_scenario);
    return m_sized && m_scenario.isVisible() && !m_scenario.isFloating()
           && (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea);
}

QByteArray DockArrangement::save() const
{
    return m_enlarged ? m_state_before : m_window.saveState(state_version);
}

bool DockArrangement::restore(const QByteArray& state)
{
    const bool restored = m_window.restoreState(state, state_version);
    m_sized = m_sized || restored;
    return restored;
}

} // namespace shardscope
