#pragma once

#include "widgets/session/selection.h"

namespace shardscope
{

// What a click on a thing makes of the selection: the thing is marked, or no longer if it was. Other parts
// stay.
Selection withKindToggled(Selection selection, Kind kind);
Selection withRankToggled(Selection selection, std::int64_t rank);
Selection withMessageToggled(Selection selection, const MessageKey& message);

// The kind that is marked, by itself or through its message.
std::optional<Kind> markedKind(const Selection& selection);

} // namespace shardscope
