#include "widgets/panels/heatmap/heatmap_texts.h"

#include "widgets/session/shown_text.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

using KindBytes = std::array<double, kind_count>;

HotCell cellOf(const HeatmapScene& scene, const HeatmapSpot& spot)
{
    const HeatmapSquare& square = scene.squares[static_cast<std::size_t>(spot.square)];
    if (spot.count == 1)
        return {spot.row, spot.column, 0.0};
    return hottest(*square.rows, spot.row, spot.column, spot.count, scene.kind);
}

std::vector<KindBytes> bytesOf(const HeatmapScene& scene, const HotCell& cell)
{
    std::vector<KindBytes> bytes;
    for (const HeatmapSquare& square : scene.squares)
        bytes.push_back(bytesBetween(*square.rows, cell.sender, cell.receiver));
    return bytes;
}

// A row for each kind that any square has, a column for each square, and to the byte what the one below the
// pointer has, as messages are compared.
QString tableText(const HeatmapScene& scene, const HotCell& cell, int pointed)
{
    const std::vector<KindBytes> bytes = bytesOf(scene, cell);
    QString rows;
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
        if (std::ranges::all_of(bytes, [kind](const KindBytes& its) { return its[kind] == 0.0; }))
            continue;
        rows += QStringLiteral("<tr><td>%1&nbsp;</td>").arg(nameOf(static_cast<Kind>(kind)));
        for (const KindBytes& its : bytes)
            rows += QStringLiteral("<td align='right'>&nbsp;%1</td>")
                        .arg(signedBytes(its[kind], scene.span.diverging));
        const double exact = bytes[static_cast<std::size_t>(pointed)][kind];
        rows += QStringLiteral("<td align='right'>&nbsp;&nbsp;%1 B</td></tr>")
                    .arg(groupedText(std::llround(exact)));
    }
    if (rows.isEmpty())
        return scene.span.diverging ? QStringLiteral("<br>no difference")
                                    : QStringLiteral("<br>nothing is sent");
    QString head;
    if (scene.squares.size() > 1) {
        head = QStringLiteral("<tr><td></td>");
        for (const HeatmapSquare& square : scene.squares)
            head += QStringLiteral("<td align='right'>&nbsp;%1</td>").arg(square.title.toLower());
        head += QStringLiteral("<td align='right'>&nbsp;&nbsp;%1</td></tr>")
                    .arg(scene.squares[static_cast<std::size_t>(pointed)].title.toLower());
    }
    return QStringLiteral("<table>%1%2</table>").arg(head, rows);
}

} // namespace

QString nameOf(Kind kind)
{
    return toQString(word(kind));
}

QString signedBytes(double bytes, bool has_sign)
{
    const QString sign = !has_sign || bytes == 0.0 ? QString{}
                         : bytes < 0.0             ? QStringLiteral("−")
                                                   : QStringLiteral("+");
    return sign + bytesText(std::fabs(bytes));
}

QString HeatmapTexts::placeOf(std::int64_t rank, int square) const
{
    QStringList place;
    const SquareLayout& of_square = scene.squares[static_cast<std::size_t>(square)].layout;
    if (const std::optional<Parallel>& degrees = of_square.degrees) {
        const RankLayout layout{*degrees};
        const RankCoordinates at = rank < layout.worldSize() ? layout.coordinates(rank) : RankCoordinates{};
        const auto add = [&](const char* name, int index, std::int64_t size) {
            if (size > 1 && rank < layout.worldSize())
                place << QStringLiteral("%1 %2").arg(QLatin1String{name}).arg(index);
        };
        add("tp", at.tp, degrees->tensor);
        add("cp", at.cp, degrees->context);
        add("ep", at.ep, degrees->expert);
        add("dp", at.dp, degrees->data);
        add("pp", at.pp, degrees->pipeline);
    }
    if (of_square.gpus_per_node > 0)
        place << QStringLiteral("node %1").arg(rank / of_square.gpus_per_node);
    return place.join(QStringLiteral(", "));
}

QString HeatmapTexts::tip(const HeatmapSpot& spot) const
{
    const HotCell cell = cellOf(scene, spot);
    QString text;
    if (spot.count > 1)
        text += QStringLiteral("the most from ranks %1 to %2 to ranks %3 to %4:<br>")
                    .arg(spot.row)
                    .arg(std::min(spot.row + spot.count, scene.ranks) - 1)
                    .arg(spot.column)
                    .arg(std::min(spot.column + spot.count, scene.ranks) - 1);
    text += QStringLiteral("from <b>rank %1</b> (%2)<br>to <b>rank %3</b> (%4)")
                .arg(cell.sender)
                .arg(placeOf(cell.sender, spot.square))
                .arg(cell.receiver)
                .arg(placeOf(cell.receiver, spot.square));
    if (const std::int64_t node = scene.squares[static_cast<std::size_t>(spot.square)].layout.gpus_per_node;
        node > 0)
        text += cell.sender / node == cell.receiver / node ? QStringLiteral("<br>inside one node")
                                                           : QStringLiteral("<br>between nodes");
    return QStringLiteral("<div style=\"white-space: nowrap\">%1</div>").arg(text)
           + tableText(scene, cell, spot.square);
}

QString HeatmapTexts::sentence(const HeatmapSpot& spot) const
{
    const HotCell cell = cellOf(scene, spot);
    const std::vector<KindBytes> bytes = bytesOf(scene, cell);
    QStringList parts;
    for (std::size_t kind = 0; kind < kind_count; ++kind)
        for (std::size_t square = 0; square < bytes.size(); ++square)
            if (bytes[square][kind] != 0.0)
                parts << (bytes.size() > 1 ? scene.squares[square].title.toLower() + QLatin1Char{' '}
                                           : QString{})
                             + nameOf(static_cast<Kind>(kind)) + QLatin1Char{' '}
                             + signedBytes(bytes[square][kind], scene.span.diverging);
    const QString none = scene.span.diverging ? QStringLiteral("no difference") : QStringLiteral("nothing");
    return QStringLiteral("Rank %1 to rank %2: %3")
        .arg(cell.sender)
        .arg(cell.receiver)
        .arg(parts.isEmpty() ? none : parts.join(QStringLiteral(", ")));
}

TableRows HeatmapTexts::table(const RankWindow& window) const
{
    TableRows table{{"square", "kind", "sender", "receiver", "bytes"}};
    std::vector<TrafficEntry> entries;
    for (const HeatmapSquare& square : scene.squares) {
        const auto first = std::max<std::int64_t>(0, static_cast<std::int64_t>(window.first_row));
        const auto last = std::min(square.rows->ranks(),
                                   static_cast<std::int64_t>(std::ceil(window.first_row + window.span)));
        for (std::int64_t sender = first; sender < last; ++sender) {
            entries.clear();
            square.rows->appendRow(sender, entries);
            for (const TrafficEntry& entry : entries) {
                const auto receiver = static_cast<double>(entry.receiver);
                if ((scene.kind && *scene.kind != entry.kind) || receiver + 1.0 <= window.first_column
                    || receiver >= window.first_column + window.span)
                    continue;
                table.push_back({square.title, nameOf(entry.kind), QString::number(sender),
                                 QString::number(entry.receiver), QString::number(entry.bytes, 'g', 15)});
            }
        }
    }
    return table;
}

} // namespace shardscope
