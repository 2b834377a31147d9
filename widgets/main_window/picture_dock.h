#pragma once

#include <QDockWidget>

#include "widgets/main_window/picture_caption.h"
#include "widgets/session/content.h"
#include "widgets/session/selection.h"

#include <optional>

class QMenu;
class QToolButton;

namespace shardscope
{

class PicturePanel;
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
    void catchUp();
    // An empty sentence: the picture is right.
    void setStale(const QString& sentence);
    void setEnlarged(bool enlarged);
    void copyData();
    PictureCaption caption() const;
    // Copies and exports of this picture; also the menu of a right click on the title.
    QMenu& menu() const { return *m_menu; }

signals:
    void enlargeWished();
    void exportWished(const QString& ending); // "png", "svg", "pdf", "csv"

private:
    void catchUpIfSeen();
    void makeMenu();
    void copyPicture();

    PicturePanel* m_panel;
    StaleVeil* m_veil;
    QMenu* m_menu;
    QToolButton* m_enlarge = nullptr;
    Content m_content;
    std::optional<Content> m_missed_content;
    std::optional<Selection> m_missed_selection;
};

} // namespace shardscope
