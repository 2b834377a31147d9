#pragma once

class QWidget;

namespace shardscope
{

// Turning the wheel over the control scrolls the panel around it, unless the control was clicked before:
// nobody means to change a figure by scrolling past it.
void ignoreWheelWithoutFocus(QWidget& control);

} // namespace shardscope
