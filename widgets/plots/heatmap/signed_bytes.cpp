#include "widgets/plots/heatmap/signed_bytes.h"

#include "widgets/session/shown_text.h"

#include <cmath>

namespace shardscope
{

QString signedBytes(double bytes, bool has_sign)
{
    const QString sign = !has_sign || bytes == 0.0 ? QString{}
                         : bytes < 0.0             ? QStringLiteral("−")
                                                   : QStringLiteral("+");
    return sign + bytesText(std::fabs(bytes));
}

} // namespace shardscope
