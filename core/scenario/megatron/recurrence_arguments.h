#pragma once

#include "core/scenario/megatron/argument_reading.h"

namespace shardscope
{

// Widths of Mamba-2, and of gated delta rule, with Megatron-LM's defaults for what is not told.
void readMamba(ArgumentReading& reading);
void readDeltaNet(ArgumentReading& reading);

// Forms of a hybrid model's layers.
void readHybridForms(ArgumentReading& reading);

} // namespace shardscope
