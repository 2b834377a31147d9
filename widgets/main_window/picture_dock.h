#pragma once

#include <QDockWidget>
#include <QTimer>

#include "widgets/main_window/picture_caption.h"
#include "widgets/main_window/picture_export.h"
#include "widgets/session/content.h"
#include "widgets/session/selection.h"

#include <functional>
#include <optional>

class QAction;
class QMenu;
class QToolButton;

namespace shardscope
{

class PicturePanel;
class Presets;
class StaleVeil;

// A picture with its title, its buttons and the veil that lies over it while the scenario is impossible.
class PictureDock : public QDockWidget
{
    Q_OBJECT
public:
    explicit PictureDock(PicturePanel* panel, QWidget* parent = nullptr);

    PicturePanel& panel() const { return *m_panel; }
    // A hidden picture (closed, or a tab behind another) computes nothing; it catches up when it is shown, or
    // before it is copied and exported.
    void setContent(const shardscope::Content& content);
    void setSelection(const shardscope::Selection& selection);
    // They outlive this.
    void setPresets(const shardscope::Presets& presets);
    // False: closed, or a tab behind another.
    bool isInSight() const;
    // Runs it once the picture shows all that it was given: at once, or when that has been computed.
    void whenReady(const std::function<void()>& run);
    // The scenario is impossible: the picture is of the last one that was possible.
    void setStale(bool is_stale);
    void setEnlarged(bool enlarged);
    void copyData();
    // Of copied pictures.
    void setColours(PictureColours colours) { m_colours = colours; }
    PictureCaption caption() const;
    // Copies and exports of this picture.
    QMenu& exports() const { return *m_exports; }
    // The same, and what can be done with the picture itself: the menu of the title.
    QMenu& menu() const { return *m_menu; }
    // Below the copies and exports in both.
    void addToExports(QAction* action);

signals:
    void enlargeWished();
    void exportWished(const QString& ending); // "png", "svg", "pdf", "csv"

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void catchUp();
    void catchUpIfSeen();
    void makeMenu();
    void detachOrAttach();
    void copyPicture();

    PicturePanel* m_panel;
    StaleVeil* m_veil;
    QMenu* m_exports;
    QMenu* m_menu;
    QAction* m_after_exports = nullptr;
    QToolButton* m_enlarge = nullptr;
    PictureColours m_colours = PictureColours::light;
    Content m_content;
    const Presets* m_presets = nullptr; // the session's, where there is one
    std::optional<Content> m_missed_content;
    std::optional<Selection> m_missed_selection;
    QTimer m_placed; // fires when the layout has gone over the dock
};

} // namespace shardscope
