#pragma once

#include <QStatusBar>

namespace shardscope
{

// A status bar whose message ends with an ellipsis where what stands at the right begins; the tip has it all.
class StatusLine : public QStatusBar
{
    Q_OBJECT
public:
    using QStatusBar::QStatusBar;

    // What is written of the message at the present width.
    QString shownMessage() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRect messageRoom() const;
};

} // namespace shardscope
