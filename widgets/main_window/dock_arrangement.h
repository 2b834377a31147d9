#pragma once

#include <QByteArray>
#include <QObject>

#include <vector>

class QDockWidget;
class QMainWindow;

namespace shardscope
{

class PictureDock;

// Where the docks of a window stand: the scenario on the left, the pictures in a grid, and one picture
// enlarged over the others for a while.
class DockArrangement : public QObject
{
    Q_OBJECT
public:
    DockArrangement(QMainWindow& window, QDockWidget& scenario, std::vector<PictureDock*> pictures);

    const std::vector<PictureDock*>& pictures() const { return m_pictures; }
    PictureDock* picture(const QString& key) const; // null: none has it
    PictureDock* enlarged() const { return m_enlarged; }

    // Puts every dock back where it was at first.
    void reset();
    // Shows one picture alone; asked again for the same one, all of them.
    void enlarge(PictureDock* dock);
    void showAll();
    // Whether it was closed or floats behind the window.
    void showScenario();
    // Enlarged where another one is; null: nothing.
    void bringToFront(PictureDock* dock);

    QByteArray save() const;
    bool restore(const QByteArray& state);

signals:
    void enlargedChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void placeRows();
    void sizeRows();
    void holdScenarioWidth(int width);
    void windowShown();
    void windowResized();
    bool isScenarioBeside() const; // the pictures
    std::vector<std::vector<QDockWidget*>> rows() const;
    void placeTabs();

    QMainWindow& m_window;
    QDockWidget& m_scenario;
    std::vector<PictureDock*> m_pictures;
    bool m_sized = false;     // the docks have their first sizes
    int m_window_width = 0;   // when it was last laid out
    int m_scenario_width = 0; // that it has when the window does not change
    PictureDock* m_enlarged = nullptr;
    QByteArray m_state_before; // before one was enlarged
};

} // namespace shardscope
