#pragma once

#include <QLabel>

namespace shardscope
{

// A line of text that gives way to others beside it: what has no room ends with an ellipsis.
class RemarkLine : public QLabel
{
    Q_OBJECT
public:
    using QLabel::QLabel;

    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace shardscope
