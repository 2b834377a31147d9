#pragma once

class QIcon;
class QString;
class QToolButton;

namespace shardscope
{

// A flat button that is a drawing alone: its tip is what it is called to who cannot see it, too. The layout
// that it is put into owns it.
QToolButton* iconButton(const QIcon& icon, const QString& tip);

} // namespace shardscope
