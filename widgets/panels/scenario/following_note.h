#pragma once

#include <QString>

namespace shardscope
{

struct Scenario;

// What an edit has changed under "Advanced" besides the line of `key`, by the form's names: "Also changed
// with ZeRO stage 1, under Advanced: Overlap gradients on, Gradients go in buckets". Sizes of a model are
// known to follow one another. `key` empty: a preset was chosen, whose own figures are left out too;
// `gesture` names the choice. Empty: nothing else has changed.
QString followingNote(const Scenario& before, const Scenario& after, const QString& key,
                      const QString& gesture);

} // namespace shardscope
