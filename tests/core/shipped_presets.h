#pragma once

#include "core/scenario/presets.h"

#include <QtGlobal>

namespace shardscope
{

// Those that the program comes with, read once.
inline const Presets& shipped()
{
    static const Result<Presets> presets = Presets::load(SHARDSCOPE_SOURCE_FOLDER "/resources/presets");
    if (!presets)
        qFatal("%s", presets.error().sentence.c_str());
    return presets.value();
}

} // namespace shardscope
