#pragma once

#include "core/scenario/own_presets.h"

#include <QObject>

class QMenu;

namespace shardscope
{

class Session;

// Keeps the scenario's model or cluster among the user's own presets, and shows those.
class OwnPresetsMenu : public QObject
{
    Q_OBJECT
public:
    OwnPresetsMenu(Session& session, QWidget& window);

    void addTo(QMenu& menu);
    // Asks before it takes the place of one of the name.
    void saveAs(PresetKind kind, const QString& name);

signals:
    void notified(const QString& sentence);

private:
    void askForName(PresetKind kind);
    void keep(PresetKind kind, const QString& name);
    QString proposedName(PresetKind kind) const;

    Session& m_session;
    QWidget& m_window;
};

} // namespace shardscope
