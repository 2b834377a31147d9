#pragma once

#include <functional>

class QString;
class QWidget;

namespace shardscope
{

// Asks before something of the user's is replaced; `replace` runs when the answer is yes.
void askToReplace(QWidget* parent, const QString& sentence, std::function<void()> replace);

} // namespace shardscope
