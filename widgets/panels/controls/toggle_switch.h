#pragma once

#include <QAbstractButton>

namespace shardscope
{

// On or off, as a knob in a slot: its state is told by place as well as by colour, on light and dark grounds.
class ToggleSwitch : public QAbstractButton
{
    Q_OBJECT
public:
    explicit ToggleSwitch(QWidget* parent = nullptr);

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace shardscope
