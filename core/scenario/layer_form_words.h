#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// What to write.
inline constexpr std::string_view layer_pattern_advice =
    "write a word for each layer, with blanks between: *- attention and MLP, *E attention and experts, M- or "
    "ME the same with a recurrence, or one block alone: *, M, - or E; or Megatron-LM's letters without "
    "blanks "
    "(stages, its |, are parallel.stage_layers)";

// What a layer is made of, for people: "recurrence and MLP", "experts alone".
std::string_view layerFormWords(LayerForm form);

// "ME ME ME *E": as the form and the command line write a pattern.
std::string layerPatternText(const std::vector<LayerForm>& pattern);
// Reads that, and Megatron-LM's patterns, "M-M*-", whose every letter is a layer: without blanks or commas,
// from three letters on. G is a recurrence too. Error: the word that is none of the forms.
Result<std::vector<LayerForm>> layerPattern(std::string_view text);
// As few of the layers as say all of them over and over; all where nothing comes twice.
std::vector<LayerForm> shortestPattern(std::vector<LayerForm> layers);

} // namespace shardscope
