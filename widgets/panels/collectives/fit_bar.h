#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace shardscope
{

// What a fit of the cluster's constants came to, above the curves: it stays until it is closed, as what the
// status bar says is gone with the next move of the mouse.
class FitBar : public QWidget
{
    Q_OBJECT
public:
    explicit FitBar(QWidget* parent = nullptr);

    // `tip` says the same and all that has no room.
    void tell(const QString& text, const QString& tip, bool is_warning);
    // As a warning, with a button that takes it all the same.
    void ask(const QString& text, const QString& tip);
    QString text() const { return m_whole; }
    // What does not fit into so many lines is cut, and told by the tip.
    void setMostLines(int lines);
    QString shownText() const;
    bool isAsking() const { return m_is_asking; }

signals:
    void takeWished();
    void closed();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void say(const QString& text, const QString& tip);
    void wrap();

    bool m_is_asking = false;
    bool m_is_warning = false;
    int m_most_lines = 3;
    QString m_whole;
    QLabel* m_text;
    QPushButton* m_take;
};

} // namespace shardscope
