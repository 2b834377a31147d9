#include "widgets/models/analysis_cells.h"

#include "widgets/session/shown_text.h"

namespace shardscope::cells
{

AnalysisCell name(const std::string& text)
{
    return {toQString(text), std::nullopt};
}

AnalysisCell count(std::int64_t value)
{
    return {groupedText(value), static_cast<double>(value)};
}

AnalysisCell time(std::int64_t time_ns)
{
    return {nanosecondsText(time_ns), static_cast<double>(time_ns)};
}

// Below all others.
AnalysisCell unknown(const QString& text)
{
    return {text, -1.0, true};
}

AnalysisCell bytes(std::int64_t value)
{
    if (value < 0)
        return unknown(QStringLiteral("?"));
    return {bytesText(static_cast<double>(value)), static_cast<double>(value)};
}

// 0: nothing tells it.
AnalysisCell groupSize(std::int64_t ranks)
{
    return ranks > 0 ? count(ranks) : unknown(QStringLiteral("?"));
}

// Streams are numbers; all of them together stand before these.
AnalysisCell stream(const QString& text)
{
    bool is_number = false;
    const double number = text.toDouble(&is_number);
    return {text, is_number ? number : -1.0, true};
}

AnalysisCell figure(double value)
{
    return {countText(value), value};
}

AnalysisCell share(double value)
{
    return {ratioText(value), value};
}

} // namespace shardscope::cells
