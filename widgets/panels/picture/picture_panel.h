#pragma once

#include "widgets/session/content.h"
#include "widgets/session/event_walk.h"
#include "widgets/session/selection.h"

#include "core/scenario/presets.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <vector>

class QPainter;

namespace shardscope
{

// One of the window's pictures. It is given values and emits wishes; it knows no sibling and no session.
class PicturePanel : public QWidget
{
    Q_OBJECT
public:
    explicit PicturePanel(QWidget* parent = nullptr);

    virtual QString key() const = 0;   // "heatmap": for --panel, settings
    virtual QString title() const = 0; // "Traffic between ranks"
    virtual void setContent(const shardscope::Content& content) = 0;
    virtual void setSelection(const shardscope::Selection& selection) = 0;
    // Clusters and models that the picture may show beside the scenario's own; most show none.
    virtual void setPresets(const shardscope::Presets& presets);
    // What the picture shows now, above one that leaves the window: "Messages: stage 0, each rank".
    virtual QString heading() const { return title(); }
    // Which of the content's parts it draws.
    struct Sources {
        bool predicted = true;
        bool pinned = true;
        bool measured = true;
        bool pinned_run = false;
    };
    virtual Sources sources() const { return {}; }
    // Scenarios that it draws in place of the predicted one and of the pinned one: an exported picture says
    // of those two what all have in common.
    struct Variations {
        std::vector<Scenario> predicted;
        std::vector<Scenario> pinned;
    };
    virtual Variations variations() const { return {}; }
    // A picture of the measured run alone stays right while the scenario is impossible.
    virtual bool followsScenario() const { return true; }
    // The view that takes the keys of a picture that has keys of its own; null: it has none. It is no focus
    // proxy, as Qt's Tab would then pass over the other controls.
    virtual QWidget* keyTaker() const { return nullptr; }
    // What the picture shows as comma-separated values, with a header line.
    virtual QString csv() const = 0;
    // A part of it is still being computed off this thread; pictures of the window wait for it.
    virtual bool isBusy() const { return false; }
    // Draws the picture into a rectangle of any size with vectors, for PNG, SVG and PDF.
    virtual void paintTo(QPainter& painter, const QRectF& rectangle) = 0;
    // How large a rectangle shows all of it, what has to be scrolled to on screen too. `usual` is good for
    // whatever adapts to its room.
    virtual QSize wholeSize(const QSize& usual) const { return usual; }
    // Whether it shows single events of the measured run, and goes along them.
    virtual bool showsEvents() const { return false; }
    virtual void goAlong(const shardscope::EventWalk& walk);

signals:
    void selectionWished(const shardscope::Selection& selection);
    // `gesture` names the edit for the undo menu; edits of one drag share a `drag_id` >= 0.
    void scenarioWished(const shardscope::Scenario& scenario, const QString& gesture, int drag_id = -1);
    void walkWished(const shardscope::EventWalk& walk);
    // These files of the run, which are digests, shall be read in full.
    void fullTracesWished(const QStringList& digests);
    void statusWished(const QString& sentence); // for the status bar, while the mouse is over something

protected:
    // The system turned light or dark: colours that were laid down have to be chosen anew.
    virtual void paletteChanged() {}
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override; // the theme's background
    // Text grows with the picture: an enlarged one is read from afar.
    void resizeEvent(QResizeEvent* event) override;
};

} // namespace shardscope
