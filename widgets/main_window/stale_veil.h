#pragma once

#include <QString>
#include <QWidget>

namespace shardscope
{

// Lies over a picture while the scenario is impossible: dims the last good answer and says in a box what it
// is, or what is wrong. Lets the mouse through.
class StaleVeil : public QWidget
{
    Q_OBJECT
public:
    // Covers `picture`, whatever its size becomes.
    explicit StaleVeil(QWidget& picture);

    // An empty sentence lifts the veil.
    void setSentence(const QString& sentence);
    const QString& sentence() const { return m_sentence; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_sentence;
};

} // namespace shardscope
