#include "widgets/panels/heatmap/heatmap_texts.h"

#include "widgets/session/shown_text.h"

#include "core/report/link_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

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

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

bool isNothing(double bytes)
{
    return bytes == 0.0 || std::isnan(bytes);
}

// Of each square; a sender that was not recorded has only what its receivers told.
std::vector<KindBytes> bytesOf(const HeatmapScene& scene, const HotCell& cell)
{
    std::vector<KindBytes> bytes;
    for (const HeatmapSquare& square : scene.squares) {
        KindBytes& of_square = bytes.emplace_back(bytesBetween(*square.rows, cell.sender, cell.receiver));
        if (!square.rows->knows(cell.sender))
            std::ranges::replace(of_square, 0.0, not_known);
    }
    return bytes;
}

bool isKnown(const HeatmapScene& scene, std::int64_t sender)
{
    return std::ranges::all_of(scene.squares,
                               [sender](const HeatmapSquare& square) { return square.rows->knows(sender); });
}

QString notRecorded(const HeatmapScene& scene, std::int64_t sender)
{
    return (scene.isByNode() ? QStringLiteral("not all ranks of node %1 were recorded")
                             : QStringLiteral("rank %1 was not recorded"))
        .arg(sender);
}

bool isLeftOut(const HeatmapScene& scene, const HotCell& cell)
{
    return scene.leaves_out_own && cell.sender == cell.receiver;
}

// A row of the table: the name, a number for each square, and to the byte what the one below the pointer has,
// as messages are compared.
QString rowText(const QString& name, const std::vector<double>& bytes, int pointed, bool has_sign)
{
    const auto onALine = [](QString text) {
        return text.replace(QLatin1Char{' '}, QStringLiteral("&nbsp;"));
    };
    QString row = QStringLiteral("<tr><td>%1&nbsp;</td>").arg(onALine(name));
    const QString unknown = QStringLiteral("–");
    for (const double its : bytes)
        row += QStringLiteral("<td align='right'>&nbsp;%1</td>")
                   .arg(std::isnan(its) ? unknown : onALine(signedBytes(its, has_sign)));
    const double exact = bytes[static_cast<std::size_t>(pointed)];
    return row
           + QStringLiteral("<td align='right'>&nbsp;&nbsp;%1</td></tr>")
                 .arg(std::isnan(exact) ? unknown
                                        : groupedText(std::llround(exact)).replace('-', QChar{0x2212})
                                              + QStringLiteral("&nbsp;B"));
}

// A row for each kind that any square has, with their sum where `has_sum` and they are several.
QString kindRows(const HeatmapScene& scene, const HotCell& cell, int pointed, bool has_sum)
{
    const std::vector<KindBytes> bytes = bytesOf(scene, cell);
    QString rows;
    std::vector<double> sums(bytes.size(), 0.0);
    int kinds = 0;
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
        if (std::ranges::all_of(bytes, [kind](const KindBytes& its) { return isNothing(its[kind]); }))
            continue;
        std::vector<double> of_kind;
        for (std::size_t square = 0; square < bytes.size(); ++square) {
            of_kind.push_back(bytes[square][kind]);
            sums[square] += std::isnan(bytes[square][kind]) ? 0.0 : bytes[square][kind];
        }
        rows += rowText(nameOf(static_cast<Kind>(kind)), of_kind, pointed, scene.span.diverging);
        ++kinds;
    }
    for (std::size_t square = 0; square < sums.size(); ++square)
        if (sums[square] == 0.0 && !scene.squares[square].rows->knows(cell.sender))
            sums[square] = not_known;
    if (has_sum && kinds > 1)
        rows += rowText(QStringLiteral("together"), sums, pointed, scene.span.diverging);
    return rows;
}

// What the bytes of a cell make of the links that they go over.
struct CellUse {
    double GBps = 0.0;
    double busy_s = 0.0;
    double iteration_s = 0.0; // 0: not known
};

// Of a square whose links are known, where anything is sent.
std::optional<CellUse> useOf(const HeatmapSquare& square, const HotCell& cell)
{
    if (!square.rates || !square.rows->knows(cell.sender))
        return std::nullopt;
    const KindBytes kinds = bytesBetween(*square.rows, cell.sender, cell.receiver);
    const double bytes = std::accumulate(kinds.begin(), kinds.end(), 0.0);
    const double GBps = cell.sender == cell.receiver ? square.rates->inside_GBps : square.rates->between_GBps;
    if (bytes <= 0.0 || GBps <= 0.0)
        return std::nullopt;
    return CellUse{GBps, bytes / (GBps * 1e9), square.rates->iteration_s};
}

QString shareText(const CellUse& use)
{
    return use.iteration_s > 0.0 ? ratioText(use.busy_s / use.iteration_s) : QStringLiteral("–");
}

// Which time the shares are of.
QString wholeWord(const std::vector<HeatmapSquare>& squares)
{
    const bool are_runs = std::ranges::all_of(
        squares, [](const HeatmapSquare& square) { return square.rates && square.rates->is_whole_run; });
    return are_runs ? QStringLiteral("of the run") : QStringLiteral("of the iteration");
}

// Of nodes: the rate of all their links together, and how long that takes at least.
QString useRows(const HeatmapScene& scene, const HotCell& cell)
{
    std::array<QString, 3> rows{cell.sender == cell.receiver ? QStringLiteral("links in the node")
                                                             : QStringLiteral("network of a node"),
                                QStringLiteral("busy at least"), wholeWord(scene.squares)};
    bool are_any = false;
    for (QString& row : rows)
        row = QStringLiteral("<tr><td>%1&nbsp;</td>")
                  .arg(row.replace(QLatin1Char{' '}, QStringLiteral("&nbsp;")));
    for (const HeatmapSquare& square : scene.squares) {
        const std::optional<CellUse> use = useOf(square, cell);
        are_any = are_any || use;
        const QString none = QStringLiteral("–");
        const std::array<QString, 3> texts{use ? toQString(rateText(use->GBps)) : none,
                                           use ? secondsText(use->busy_s) : none,
                                           use ? shareText(*use) : none};
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i] += QStringLiteral("<td align='right'>&nbsp;%1</td>").arg(texts[i]);
    }
    QString text;
    for (const QString& row : rows)
        text += row + QStringLiteral("<td></td></tr>");
    return are_any ? text : QString{};
}

// What a node sends to all others and receives from them, as far as their ranks were recorded.
QString endRows(const HeatmapScene& scene, std::int64_t node, int pointed)
{
    std::vector<double> sent;
    std::vector<double> received;
    for (const HeatmapSquare& square : scene.squares) {
        const TrafficEnds ends = node < square.rows->ranks() ? square.rows->endsOf(node) : TrafficEnds{};
        sent.push_back(square.rows->knows(node) ? ends.sent_bytes : not_known);
        received.push_back(square.rows->knowsAll() ? ends.received_bytes : not_known);
    }
    return rowText(QStringLiteral("node %1 sends to others").arg(node), sent, pointed, scene.span.diverging)
           + rowText(QStringLiteral("and receives from others"), received, pointed, scene.span.diverging);
}

QString tableText(const HeatmapScene& scene, const HotCell& cell, int pointed)
{
    const bool is_by_node = scene.isByNode();
    QString rows = kindRows(scene, cell, pointed, is_by_node);
    QString nothing;
    if (isLeftOut(scene, cell))
        nothing = QStringLiteral("<br>what stays in a node is left out");
    else if (!isKnown(scene, cell.sender))
        nothing = QStringLiteral("<br>") + notRecorded(scene, cell.sender);
    else if (rows.isEmpty())
        nothing = scene.span.diverging ? QStringLiteral("<br>no difference")
                                       : QStringLiteral("<br>nothing is sent");
    if (is_by_node) {
        rows += useRows(scene, cell);
        rows += endRows(scene, cell.sender, pointed);
        if (cell.receiver != cell.sender)
            rows += endRows(scene, cell.receiver, pointed);
    }
    if (rows.isEmpty())
        return nothing;
    QString head;
    if (scene.squares.size() > 1) {
        head = QStringLiteral("<tr><td></td>");
        for (const HeatmapSquare& square : scene.squares)
            head += QStringLiteral("<td align='right'>&nbsp;%1</td>").arg(square.title.toLower());
        head += QStringLiteral("<td align='right'>&nbsp;&nbsp;%1</td></tr>")
                    .arg(scene.squares[static_cast<std::size_t>(pointed)].title.toLower());
    }
    return nothing + QStringLiteral("<table>%1%2</table>").arg(head, rows);
}

// The way from one rank to another, or from node to node.
QString levelText(const SquareLayout& layout, const HotCell& cell)
{
    if (layout.gpus_per_node < 1)
        return {};
    return cell.sender / layout.gpus_per_node == cell.receiver / layout.gpus_per_node
               ? QStringLiteral("<br>inside one node")
               : QStringLiteral("<br>between nodes");
}

} // namespace

QString nameOf(Kind kind)
{
    return toQString(word(kind));
}

QString HeatmapTexts::placeOf(std::int64_t rank, int square) const
{
    QStringList place;
    const SquareLayout& of_square = scene.squares[static_cast<std::size_t>(square)].layout;
    if (const std::optional<NodePlaces>& nodes = of_square.nodes) {
        const std::int64_t first = rank * nodes->gpus_per_node;
        const std::int64_t last = std::min(first + nodes->gpus_per_node, nodes->world) - 1;
        return first < last    ? QStringLiteral("ranks %1 to %2").arg(first).arg(last)
               : first == last ? QStringLiteral("rank %1").arg(first)
                               : QStringLiteral("no rank");
    }
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
    const QString place = scene.isByNode() ? QStringLiteral("node") : QStringLiteral("rank");
    QString text;
    if (spot.count > 1)
        text += QStringLiteral("the most from %1s %2 to %3 to %1s %4 to %5:<br>")
                    .arg(place)
                    .arg(spot.row)
                    .arg(std::min(spot.row + spot.count, scene.ranks) - 1)
                    .arg(spot.column)
                    .arg(std::min(spot.column + spot.count, scene.ranks) - 1);
    text += QStringLiteral("from <b>%1 %2</b> (%3)<br>to <b>%1 %4</b> (%5)")
                .arg(place)
                .arg(cell.sender)
                .arg(placeOf(cell.sender, spot.square))
                .arg(cell.receiver)
                .arg(placeOf(cell.receiver, spot.square));
    text += levelText(scene.squares[static_cast<std::size_t>(spot.square)].layout, cell);
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
            if (!isNothing(bytes[square][kind]))
                parts << (bytes.size() > 1 ? scene.squares[square].title.toLower() + QLatin1Char{' '}
                                           : QString{})
                             + nameOf(static_cast<Kind>(kind)) + QLatin1Char{' '}
                             + signedBytes(bytes[square][kind], scene.span.diverging);
    const QString none = isLeftOut(scene, cell) ? QStringLiteral("what stays in a node is left out")
                         : scene.span.diverging ? QStringLiteral("no difference")
                                                : QStringLiteral("nothing");
    if (!isKnown(scene, cell.sender))
        parts << notRecorded(scene, cell.sender);
    if (scene.isByNode())
        if (const auto use = useOf(scene.squares[static_cast<std::size_t>(spot.square)], cell))
            parts << QStringLiteral("at least %1 at %2 (%3 %4)")
                         .arg(secondsText(use->busy_s), toQString(rateText(use->GBps)), shareText(*use),
                              wholeWord({scene.squares[static_cast<std::size_t>(spot.square)]}));
    return (scene.isByNode() ? QStringLiteral("Node %1 to node %2: %3")
                             : QStringLiteral("Rank %1 to rank %2: %3"))
        .arg(cell.sender)
        .arg(cell.receiver)
        .arg(parts.isEmpty() ? none : parts.join(QStringLiteral(", ")));
}

TableRows HeatmapTexts::table(const RankWindow& window) const
{
    const QString of_node = scene.isByNode() ? QStringLiteral(" node") : QString{};
    TableRows table{{"square", "kind", "sender" + of_node, "receiver" + of_node, "bytes"}};
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
