#pragma once

namespace shardscope
{

// What a sentence to the user is about. It is no longer right once another one is opened.
enum class Topic : unsigned char { other, scenario_file, traces };

} // namespace shardscope
