#pragma once

#include "core/prediction/prediction.h"

#include <string_view>

namespace shardscope
{

// Why messages of this kind run, in a sentence, and who says so.
struct MessagePurpose {
    std::string_view why;
    std::string_view source;
};

MessagePurpose purposeOf(const Message& message);

} // namespace shardscope
