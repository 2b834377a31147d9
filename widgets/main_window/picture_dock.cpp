#include "widgets/main_window/picture_dock.h"

#include "widgets/main_window/dock_title.h"
#include "widgets/main_window/picture_export.h"
#include "widgets/main_window/stale_veil.h"
#include "widgets/panels/controls/glyph.h"
#include "widgets/panels/picture/picture_panel.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <utility>

namespace shardscope
{

namespace
{

constexpr double copied_scale = 2.0; // sharp where a slide makes it larger
constexpr int detached_aside = 24;
constexpr int look_ms = 30; // between two looks whether a picture is computed

} // namespace

PictureDock::PictureDock(PicturePanel* panel, QWidget* parent)
    : QDockWidget{panel->title(), parent},
      m_panel{panel},
      m_veil{new StaleVeil{*panel}},
      m_exports{new QMenu{this}},
      m_menu{new QMenu{this}}
{
    setObjectName(panel->key());
    setWidget(panel);
    panel->setMinimumSize(120, 80);
    connect(this, &QDockWidget::visibilityChanged, this, [this](bool) { catchUpIfSeen(); });
    m_placed.setSingleShot(true);
    connect(&m_placed, &QTimer::timeout, this, &PictureDock::catchUpIfSeen);
    makeMenu();
    auto* title = new DockTitle{*this};
    title->markFocus();
    m_enlarge = title->addButton(glyphIcon(Glyph::enlarge), tr("Enlarge (double-click the title)"));
    QToolButton* menu_button = title->addButton(glyphIcon(Glyph::menu), tr("Copy or save this picture"));
    // Neither a menu of the button's, which would draw an arrow, nor a style sheet to hide it, which would
    // keep the colours that it began with.
    connect(menu_button, &QToolButton::clicked, m_menu, [this, menu_button] {
        m_menu->popup(menu_button->mapToGlobal(menu_button->rect().bottomLeft()));
    });
    setTitleBarWidget(title);
    title->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(title, &QWidget::customContextMenuRequested, this,
            [this, title](const QPoint& place) { m_menu->popup(title->mapToGlobal(place)); });
    connect(title, &DockTitle::doubleClicked, this, &PictureDock::enlargeWished);
    connect(m_enlarge, &QToolButton::clicked, this, &PictureDock::enlargeWished);
}

void PictureDock::makeMenu()
{
    m_exports->setTitle(m_panel->title());
    m_exports->addAction(tr("Copy picture"), this, &PictureDock::copyPicture);
    m_exports->addAction(tr("Copy data as CSV"), this, &PictureDock::copyData);
    m_exports->addSeparator();
    for (const char* ending : {"png", "svg", "pdf"})
        m_exports->addAction(tr("Save as %1...").arg(QString{ending}.toUpper()), this,
                             [this, ending] { emit exportWished(ending); });
    m_exports->addAction(tr("Save data as CSV..."), this, [this] { emit exportWished("csv"); });
    m_menu->setTitle(m_panel->title());
    m_menu->addActions(m_exports->actions());
    m_after_exports = m_menu->addSeparator();
    m_menu->addAction(tr("Detach or attach"), this, &PictureDock::detachOrAttach);
    m_menu->addAction(tr("Close"), this, &QWidget::close);
}

// A little aside of the place that it leaves, so that it is seen to float.
void PictureDock::detachOrAttach()
{
    setFloating(!isFloating());
    if (isFloating())
        move(pos() + QPoint{detached_aside, detached_aside});
}

// With a title of its own a floating dock has no frame, neither of the system nor of the style.
void PictureDock::paintEvent(QPaintEvent* event)
{
    QDockWidget::paintEvent(event);
    if (!isFloating())
        return;
    QPainter painter{this};
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void PictureDock::setContent(const Content& content)
{
    m_content = content;
    m_missed_content = content;
    catchUpIfSeen();
}

void PictureDock::setSelection(const Selection& selection)
{
    m_missed_selection = selection;
    catchUpIfSeen();
}

// A dock may be shown before it is put where it can be seen.
bool PictureDock::event(QEvent* event)
{
    const QEvent::Type type = event->type();
    const bool may_be_seen_now = type == QEvent::Show || type == QEvent::Move || type == QEvent::Resize;
    if (may_be_seen_now && (m_missed_content || m_missed_selection))
        m_placed.start(0);
    return QDockWidget::event(event);
}

// Qt calls a tab behind another visible, and moves it out of the window.
bool PictureDock::isInSight() const
{
    return m_panel->isVisible() && !m_panel->visibleRegion().isEmpty();
}

void PictureDock::catchUpIfSeen()
{
    if (isInSight())
        catchUp();
}

void PictureDock::catchUp()
{
    if (const std::optional<Content> content = std::exchange(m_missed_content, std::nullopt))
        m_panel->setContent(*content);
    if (const std::optional<Selection> selection = std::exchange(m_missed_selection, std::nullopt))
        m_panel->setSelection(*selection);
}

void PictureDock::setStale(bool is_stale)
{
    m_veil->setSentence(is_stale && m_panel->followsScenario() ? tr("last valid scenario") : QString{});
}

void PictureDock::setEnlarged(bool enlarged)
{
    m_enlarge->setIcon(glyphIcon(enlarged ? Glyph::restore : Glyph::enlarge));
    m_enlarge->setToolTip(enlarged ? tr("Back to all pictures (Esc)")
                                   : tr("Enlarge (double-click the title)"));
}

void PictureDock::addToExports(QAction* action)
{
    m_exports->addAction(action);
    m_menu->insertAction(m_after_exports, action);
}

void PictureDock::whenReady(const std::function<void()>& run)
{
    catchUp();
    if (!m_panel->isBusy()) {
        run();
        return;
    }
    emit m_panel->statusWished(
        tr("%1 is still being computed; it follows when it is ready").arg(windowTitle()));
    auto* look = new QTimer{this};
    connect(look, &QTimer::timeout, this, [this, look, run] {
        catchUp();
        if (m_panel->isBusy())
            return;
        look->stop();
        look->deleteLater();
        run();
    });
    look->start(look_ms);
}

void PictureDock::copyPicture()
{
    whenReady([this] {
        QGuiApplication::clipboard()->setImage(pictureImage(*m_panel, caption(), copied_scale, m_colours));
    });
}

void PictureDock::setPresets(const Presets& presets)
{
    m_presets = &presets;
    m_panel->setPresets(presets);
}

PictureCaption PictureDock::caption() const
{
    return captionOf(*m_panel, m_content, m_presets);
}

void PictureDock::copyData()
{
    whenReady([this] { QGuiApplication::clipboard()->setText(m_panel->csv()); });
}

} // namespace shardscope
