#pragma once

#include <QString>

namespace shardscope
{

struct Problem;

// A problem's sentence with its keys as the scenario panel names them: "Tensor (3) does not divide Attention
// heads (16)".
QString sentenceOnScreen(const Problem& problem);

} // namespace shardscope
