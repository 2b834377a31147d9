#pragma once

#include "widgets/models/message_rows.h"
#include "widgets/session/event_walk.h"

namespace shardscope
{

// The measured calls of a row over a scope, longest first; where nothing of it is measured, the messages that
// are predicted.
EventWalk walkOf(const MessageRow& row, const RankScope& scope, const Content& content);

} // namespace shardscope
