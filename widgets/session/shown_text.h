#pragma once

#include "core/base/format.h"

#include <QString>

#include <cstdint>
#include <string_view>

namespace shardscope
{

// Texts and numbers of the core as widgets show them; the numbers as core/base/format.h writes them.

inline QString toQString(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

inline QString bytesText(double bytes)
{
    return toQString(formatBytes(bytes));
}

inline QString countText(double count)
{
    return toQString(formatCount(count));
}

inline QString secondsText(double seconds)
{
    return toQString(formatSeconds(seconds));
}

inline QString nanosecondsText(std::int64_t nanoseconds)
{
    return toQString(formatNanoseconds(nanoseconds));
}

inline QString ratioText(double ratio)
{
    return toQString(formatRatio(ratio));
}

// With blanks between thousands at which no line breaks.
inline QString groupedText(std::int64_t value)
{
    return toQString(formatGrouped(value)).replace(QLatin1Char{' '}, QChar::Nbsp);
}

// What is wrapped: lines break beside numbers, not within one nor before its unit.
QString withUnbrokenNumbers(QString text);

// Of memory that isNearlyFull(), wherever a sentence tells of it; what stands beside a figure says "nearly
// full".
inline QString nearlyFullMeaning()
{
    return QStringLiteral("nearly full: what is left is less than predicted memory may be off by");
}

} // namespace shardscope
