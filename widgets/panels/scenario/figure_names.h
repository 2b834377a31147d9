#pragma once

#include "core/scenario/scenario.h"

#include <QString>

#include <optional>
#include <string>

namespace shardscope
{

struct Problem;

// A problem's sentence with its keys as the scenario panel names them: "Tensor (3) does not divide Attention
// heads (16)".
QString sentenceOnScreen(const Problem& problem);

// The same of a prediction's warning.
QString warningOnScreen(const std::string& warning);

// The panel's name of a key of the scenario format: "Tensor" of "parallel.tensor"; the key, where it has
// none.
QString figureOnScreen(const QString& key);

// The dimension of the world that a key stands for.
std::optional<Dimension> dimensionOf(const QString& key);

} // namespace shardscope
