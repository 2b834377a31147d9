#pragma once

#include "core/scenario/scenario.h"

#include <QObject>
#include <QString>

class QMenu;

namespace shardscope
{

class Session;

// "Export for" with an entry for each framework: the scenario as it is told there goes to the clipboard or
// into a file.
class LaunchExportMenu : public QObject
{
    Q_OBJECT
public:
    LaunchExportMenu(Session& session, QWidget& window);

    void addTo(QMenu& menu);

signals:
    void failed(const QString& sentence);
    void notified(const QString& sentence);

private:
    struct Format;

    void copy(const Format& format);
    void save(const Format& format);

    Session& m_session;
    QWidget& m_window;
};

} // namespace shardscope
