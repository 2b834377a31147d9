#pragma once

#include <QDialog>
#include <QString>

namespace shardscope
{

class CalibrationPanel;
struct Cluster;
class Session;

// A window of its own in which the constants of the session's cluster are fitted to measurements, taken over
// into its scenario and kept as the user's own cluster. A name of the user's that exists is asked about.
class CalibrationDialog : public QDialog
{
    Q_OBJECT
public:
    explicit CalibrationDialog(Session& session, QWidget* parent = nullptr);

    CalibrationPanel& panel() const { return *m_panel; }

private:
    void askForFiles();
    void save(const QString& name, const Cluster& cluster, const QString& source);
    void keep(const QString& name, const Cluster& cluster, const QString& source);

    Session& m_session;
    CalibrationPanel* m_panel;
};

} // namespace shardscope
