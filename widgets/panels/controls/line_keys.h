#pragma once

class QLineEdit;

namespace shardscope
{

// Shares keys between a line and its window: while something is being typed, undo and Esc are the line's;
// otherwise they are the window's, so that undo takes back the last change of the scenario wherever the focus
// is.
void shareKeysWithWindow(QLineEdit& line);

} // namespace shardscope
