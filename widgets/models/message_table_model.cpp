#include "widgets/models/message_table_model.h"

#include "widgets/session/shown_text.h"

#include <algorithm>

namespace shardscope
{

namespace
{

QString measuredNumber(const MessageRow& row)
{
    QString number = callsText(row.measured_low);
    if (row.measured_high != row.measured_low)
        number += QStringLiteral("–") + callsText(row.measured_high);
    return number;
}

QString shownText(Shown shown)
{
    switch (shown) {
    case Shown::as_all_to_all:
        return QStringLiteral(
            "<br>The backend has no reduce_scatter: it shows an all_to_all of the same input");
    case Shown::by_its_part:
        return QStringLiteral("<br>The trace shows the rank's own part of the gathered result");
    case Shown::in_fp32:
        return QStringLiteral("<br>The backend sums in fp32: it shows twice the bytes");
    case Shown::no:
    case Shown::as_it_is:
        break;
    }
    return {};
}

// "✓ 112"; with a sum sign where the trace cannot tell the row from others of the same size.
QString measuredText(const MessageRow& row)
{
    if (row.agreement == Agreement::not_measured)
        return {};
    if (row.agreement == Agreement::not_recorded)
        return QStringLiteral("not recorded");
    if (row.agreement == Agreement::alone)
        return measuredNumber(row);
    const QString sign = row.agreement == Agreement::equal ? QStringLiteral("✓ ") : QStringLiteral("≠ ");
    return sign + (row.rows_of_key > 1 ? QStringLiteral("Σ ") : QString{}) + measuredNumber(row);
}

QString cellText(const MessageRow& row, int column)
{
    const Message& message = row.message;
    switch (column) {
    case MessageTableModel::KindColumn:
        return toQString(word(message.kind));
    case MessageTableModel::PhaseColumn:
        return row.is_predicted ? toQString(word(message.phase)) : QString{};
    case MessageTableModel::OpColumn:
        return toQString(word(message.op));
    case MessageTableModel::WhatColumn:
        return toQString(message.what).replace('_', ' ').trimmed(); // "_all_gather_base"
    case MessageTableModel::GroupColumn:
        return message.group_size > 0 ? groupedText(message.group_size) : QString{};
    case MessageTableModel::CountColumn:
        return row.agreement == Agreement::alone ? QString{} : groupedText(row.count);
    case MessageTableModel::MeasuredColumn:
        return measuredText(row);
    case MessageTableModel::SizeColumn:
        return message.message_bytes < 0 ? QStringLiteral("unknown")
                                         : bytesText(static_cast<double>(message.message_bytes));
    case MessageTableModel::TotalColumn:
        return row.is_predicted ? bytesText(static_cast<double>(row.total_bytes)) : QString{};
    case MessageTableModel::ShareColumn:
        return row.is_predicted ? ratioText(row.share) : QString{};
    case MessageTableModel::WireColumn:
        return row.is_predicted ? bytesText(row.wire_bytes) : QString{};
    default:
        return {};
    }
}

QString headerText(int section)
{
    static const std::array<QString, MessageTableModel::ColumnCount> texts{
        "Kind", "Operation", "What",  "Phase", "Count", "Measured",
        "Size", "Payload",   "Share", "Wire",  "Group"};
    return texts[static_cast<std::size_t>(section)];
}

QString headerTip(int section)
{
    switch (section) {
    case MessageTableModel::GroupColumn:
        return QStringLiteral("Ranks that take part in one call");
    case MessageTableModel::CountColumn:
        return QStringLiteral("Calls in one iteration, predicted");
    case MessageTableModel::MeasuredColumn:
        return QStringLiteral("Calls of this kind, operation and size in the trace. ✓ as many as predicted, "
                              "in groups as large, ≠ not; "
                              "Σ rows of this size together, as a trace does not tell them apart");
    case MessageTableModel::SizeColumn:
        return QStringLiteral("What one call is given");
    case MessageTableModel::TotalColumn:
        return QStringLiteral("Count times size");
    case MessageTableModel::ShareColumn:
        return QStringLiteral("Of the payload of all rows");
    case MessageTableModel::WireColumn:
        return QStringLiteral("What the rank itself sends in all calls, in a ring");
    default:
        return {};
    }
}

} // namespace

void MessageTableModel::setContent(const Content& content, const RankScope& scope)
{
    m_scope = scope;
    if (m_calls.run() != content.measured)
        m_calls = MeasuredCalls{content.measured};
    std::vector<MessageRow> rows = messageRows(content, m_calls, scope);
    m_has_measurement = std::any_of(rows.begin(), rows.end(), [](const MessageRow& row) {
        return row.agreement != Agreement::not_measured;
    });
    adoptRows(std::move(rows));
    m_content = content;
}

void MessageTableModel::adoptRows(std::vector<MessageRow> rows)
{
    const int before = rowCount();
    const int after = static_cast<int>(rows.size());
    // Views hear of rows that come or go at the end; the others are simply other values.
    if (after > before)
        beginInsertRows({}, before, after - 1);
    else if (after < before)
        beginRemoveRows({}, after, before - 1);
    m_rows = std::move(rows);
    m_texts.resize(m_rows.size());
    for (Texts& texts : m_texts)
        texts.is_made = false;
    if (after > before)
        endInsertRows();
    else if (after < before)
        endRemoveRows();
    const int same = std::min(before, after);
    if (same > 0)
        emit dataChanged(index(0, 0), index(same - 1, ColumnCount - 1));
}

void MessageTableModel::setSelection(const Selection& selection)
{
    if (selection == m_selection)
        return;
    m_selection = selection;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {MarkRole});
}

void MessageTableModel::setExplanation(std::function<QString(const MessageRow&)> explanation)
{
    m_explanation = std::move(explanation);
}

std::vector<Kind> MessageTableModel::kinds() const
{
    std::vector<Kind> kinds;
    for (int i = 0; i < kind_count; ++i) {
        const Kind kind = static_cast<Kind>(i);
        if (std::any_of(m_rows.begin(), m_rows.end(),
                        [kind](const MessageRow& row) { return row.message.kind == kind; }))
            kinds.push_back(kind);
    }
    return kinds;
}

int MessageTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int MessageTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

const QString& MessageTableModel::text(int row, int column) const
{
    Texts& texts = m_texts[static_cast<std::size_t>(row)];
    if (!texts.is_made) {
        for (int i = 0; i < ColumnCount; ++i)
            texts.cells[static_cast<std::size_t>(i)] = cellText(m_rows[static_cast<std::size_t>(row)], i);
        texts.is_made = true;
    }
    return texts.cells[static_cast<std::size_t>(column)];
}

QVariant MessageTableModel::sortValue(const MessageRow& row, int column) const
{
    switch (column) {
    case KindColumn:
        return static_cast<int>(row.message.kind);
    case PhaseColumn:
        return static_cast<int>(row.message.phase);
    case OpColumn:
        return static_cast<int>(row.message.op);
    case WhatColumn:
        return toQString(row.message.what);
    case GroupColumn:
        return row.message.group_size;
    case CountColumn:
        return static_cast<qlonglong>(row.count);
    case MeasuredColumn:
        return row.measured_high;
    case SizeColumn:
        return static_cast<qlonglong>(row.message.message_bytes);
    case TotalColumn:
    case ShareColumn:
        return static_cast<qlonglong>(row.total_bytes);
    case WireColumn:
        return row.wire_bytes;
    default:
        return {};
    }
}

MessageTableModel::Mark MessageTableModel::markOf(const MessageRow& row) const
{
    if (m_selection.message)
        return *m_selection.message == row.key() ? Marked : Faded;
    if (m_selection.kind)
        return *m_selection.kind == row.message.kind ? Marked : Faded;
    return Plain;
}

QString MessageTableModel::measuredTip(const MessageRow& row) const
{
    const Message& message = row.message;
    if (row.agreement == Agreement::not_recorded)
        return QStringLiteral("Only forward passes were recorded: nothing tells how often this was sent");
    const QString size = message.message_bytes < 0
                             ? QStringLiteral("unknown size")
                             : groupedText(message.message_bytes) + QStringLiteral(" bytes");
    const QString calls =
        QStringLiteral("%1 %2 of %3").arg(toQString(word(message.kind)), toQString(word(message.op)), size);
    const QString whose =
        m_scope.of == RankScope::Of::stage ? QStringLiteral(" on each rank of the stage") : QString{};
    if (row.agreement == Agreement::alone)
        return QStringLiteral("%1: measured %2%3").arg(calls, measuredNumber(row), whose)
               + shownText(row.shown);
    QString tip = QStringLiteral("%1: predicted %2, measured %3%4")
                      .arg(calls, groupedText(row.expected_count), measuredNumber(row), whose);
    if (row.rows_of_key > 1)
        tip = QStringLiteral("Σ: a trace does not tell the %1 rows of %2 apart, so their calls are counted "
                             "together. The rows together are expected to make %3 calls, and %4 were "
                             "found%5")
                  .arg(QString::number(row.rows_of_key), calls, groupedText(row.expected_count),
                       measuredNumber(row), whose);
    if (row.other_group > 0)
        tip += QStringLiteral("<br>They were in groups of %1 ranks, predicted are groups of %2")
                   .arg(groupedText(row.other_group), groupedText(message.group_size));
    return tip + shownText(row.shown);
}

QString MessageTableModel::toolTip(const MessageRow& row, int column) const
{
    const Message& message = row.message;
    if (row.agreement != Agreement::not_measured && (column == MeasuredColumn || !row.is_predicted))
        return measuredTip(row);
    QString tip;
    if (row.is_predicted && m_explanation)
        tip = m_explanation(row);
    if (column == SizeColumn || column == TotalColumn || column == WireColumn || tip.isEmpty()) {
        if (!tip.isEmpty())
            tip += QStringLiteral("<br>");
        tip += QStringLiteral("%1 × %2 bytes = %3 bytes of payload; %4 bytes sent by the rank itself")
                   .arg(groupedText(row.count), groupedText(message.message_bytes),
                        groupedText(row.total_bytes), groupedText(static_cast<std::int64_t>(row.wire_bytes)));
    }
    return tip;
}

QVariant MessageTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const MessageRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return QVariant{(isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter};
    case Qt::ToolTipRole:
        return toolTip(row, index.column());
    case SortRole:
        return sortValue(row, index.column());
    case KindRole:
        return static_cast<int>(row.message.kind);
    case ShareRole:
        return row.share;
    case AgreementRole:
        return static_cast<int>(row.agreement);
    case MarkRole:
        return markOf(row);
    default:
        return {};
    }
}

QVariant MessageTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    if (role == Qt::DisplayRole)
        return headerText(section);
    if (role == Qt::ToolTipRole)
        return headerTip(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant{(isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter};
    return {};
}

QString MessageTableModel::plainText(int row, int column) const
{
    const MessageRow& source = m_rows[static_cast<std::size_t>(row)];
    switch (column) {
    case GroupColumn:
        return source.message.group_size > 0 ? QString::number(source.message.group_size) : QString{};
    case CountColumn:
        return QString::number(source.count);
    case MeasuredColumn:
        if (source.agreement == Agreement::not_measured || source.agreement == Agreement::not_recorded)
            return {};
        return source.measured_low == source.measured_high
                   ? QString::number(source.measured_low, 'g', 12)
                   : QString::number(source.measured_low, 'g', 12) + '-'
                         + QString::number(source.measured_high, 'g', 12);
    case SizeColumn:
        return source.message.message_bytes < 0 ? QString{} : QString::number(source.message.message_bytes);
    case TotalColumn:
        return source.is_predicted ? QString::number(source.total_bytes) : QString{};
    case ShareColumn:
        return source.is_predicted ? QString::number(source.share, 'g', 6) : QString{};
    case WireColumn:
        return source.is_predicted ? QString::number(source.wire_bytes, 'f', 0) : QString{};
    case WhatColumn:
        return toQString(source.message.what);
    default:
        return text(row, column);
    }
}

QString MessageTableModel::plainHeader(int column)
{
    static const std::array<QString, ColumnCount> words{
        "kind",          "op",          "what",  "phase",      "count",     "measured_count",
        "message_bytes", "total_bytes", "share", "wire_bytes", "group_size"};
    return words[static_cast<std::size_t>(column)];
}

} // namespace shardscope
