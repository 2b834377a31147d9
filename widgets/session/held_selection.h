#pragma once

#include "widgets/session/content.h"
#include "widgets/session/selection.h"

namespace shardscope
{

// What of a selection the content still has: a rank or kind that is nowhere any more would leave every
// picture pale. A message stays while its kind does: its size follows the sliders.
Selection heldSelection(Selection selection, const Content& content);

// Whether a prediction or the measured run has it, with its size.
bool hasMessage(const Content& content, const MessageKey& message);

} // namespace shardscope
