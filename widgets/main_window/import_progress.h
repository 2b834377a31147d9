#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;

namespace shardscope
{

// How far an import is, with a button that stops it; stands in the status bar while one runs.
class ImportProgressBar : public QWidget
{
    Q_OBJECT
public:
    explicit ImportProgressBar(QWidget* parent = nullptr);

    void begin();
    void setProgress(double fraction, const QString& what);
    void end();

signals:
    void cancelled();

private:
    QLabel* m_what;
    QProgressBar* m_bar;
};

} // namespace shardscope
