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
    QString rest = withUnbrokenNumbers(text);
    QStringList lines;
    while (lines.size() + 1 < most_lines && metrics.horizontalAdvance(rest) > last_pixels) {
        const bool has_line = metrics.horizontalAdvance(rest) <= pixels;
        const QString line = has_line ? rest : beginningWithin(rest, metrics, pixels);
        if (line.isEmpty())
            break;
        lines << line;
        rest = rest.mid(line.size() + 1);
    }
    lines << metrics.elidedText(rest, Qt::ElideRight, last_pixels);
    return lines;
}

} // namespace shardscope
