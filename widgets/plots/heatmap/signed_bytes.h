#pragma once

#include <QString>

namespace shardscope
{

// Differences have a sign.
QString signedBytes(double bytes, bool has_sign);

} // namespace shardscope
