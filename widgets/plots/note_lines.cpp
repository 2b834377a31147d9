#include "widgets/plots/note_lines.h"

#include "widgets/session/shown_text.h"

namespace shardscope
{

namespace
{

// The longest beginning that ends with a word and has room; empty: not even one word has.
QString beginningWithin(const QString& text, const QFontMetricsF& metrics, double pixels)
{
    qsizetype end = text.lastIndexOf(' ');
    while (end > 0 && metrics.horizontalAdvance(text.left(end)) > pixels)
        end = text.lastIndexOf(' ', end - 1);
    return end > 0 ? text.left(end) : QString{};
}

} // namespace

QStringList noteWithin(const QString& text, const QFontMetricsF& metrics, double pixels, double last_pixels,
                       int most_lines)
{
    const QString note = withUnbrokenNumbers(text);
    if (most_lines < 2 || metrics.horizontalAdvance(note) <= last_pixels)
        return {metrics.elidedText(note, Qt::ElideRight, last_pixels)};
    if (metrics.horizontalAdvance(note) <= pixels)
        return {note, QString{}};
    const QString first = beginningWithin(note, metrics, pixels);
    if (first.isEmpty())
        return {metrics.elidedText(note, Qt::ElideRight, last_pixels)};
    const QString rest = note.mid(first.size() + 1);
    return {first, metrics.elidedText(rest, Qt::ElideRight, last_pixels)};
}

} // namespace shardscope
