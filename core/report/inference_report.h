#pragma once

#include "core/inference/infer.h"

#include <string>

namespace shardscope
{

// The inferred scenario with what told each figure, as JSON text and as a table for people.
std::string inferenceJson(const Inference& inference);
std::string inferenceText(const Inference& inference);

} // namespace shardscope
