#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <QWidget>

namespace shardscope
{

class MainWindow;

// Waits until everything that was opened is read and painted, saves a picture of the window or of one panel,
// and ends the event loop: with 0, or with 1 where a file was bad or the picture cannot be written.
class Screenshot : public QObject
{
    Q_OBJECT
public:
    Screenshot(MainWindow& window, QWidget& shown, const QString& file);

private:
    void look();
    void finish();

    MainWindow& m_window;
    QWidget& m_shown;
    QString m_file;
    QTimer m_clock;
    int m_quiet_looks = 0;
    bool m_failed = false;
};

} // namespace shardscope
