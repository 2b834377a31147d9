#pragma once

#include "widgets/models/message_rows.h"

#include <QAbstractTableModel>
#include <QString>

#include <array>
#include <functional>
#include <vector>

namespace shardscope
{

// The messages of one scope as a table. Rows are taken over in place: while a slider moves, one dataChanged
// is all that a view hears.
class MessageTableModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column {
        KindColumn,
        OpColumn,
        WhatColumn,
        PhaseColumn,
        CountColumn, // from here on numbers
        MeasuredColumn,
        SizeColumn,
        TotalColumn,
        ShareColumn,
        WireColumn,
        GroupColumn,
        ColumnCount
    };
    enum Role {
        SortRole = Qt::UserRole, // a number or a word to sort by
        KindRole,                // int of Kind
        ShareRole,               // 0 ... 1
        AgreementRole,           // int of Agreement
        MarkRole                 // int of Mark
    };
    // How a row stands to the selection.
    enum Mark { Plain, Marked, Faded };

    using QAbstractTableModel::QAbstractTableModel;

    void setContent(const Content& content, const RankScope& scope);
    void setSelection(const Selection& selection);
    // The tooltip of a predicted row; without one, the exact figures alone.
    void setExplanation(std::function<QString(const MessageRow&)> explanation);

    static bool isNumber(int column) { return column >= CountColumn; }
    const MessageRow& row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }
    bool hasMeasurement() const { return m_has_measurement; }
    // Kinds that have rows, in the order of the enumeration.
    std::vector<Kind> kinds() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    // What stands in a cell. Cheap: made once for each row.
    const QString& text(int row, int column) const;
    // The cell as a program reads it: bytes and counts as plain integers.
    QString plainText(int row, int column) const;
    static QString plainHeader(int column); // "message_bytes"

private:
    struct Texts {
        bool is_made = false;
        std::array<QString, ColumnCount> cells;
    };

    void adoptRows(std::vector<MessageRow> rows);
    QVariant sortValue(const MessageRow& row, int column) const;
    QString measuredTip(const MessageRow& row) const;
    QString toolTip(const MessageRow& row, int column) const;
    Mark markOf(const MessageRow& row) const;

    Content m_content; // keeps alive what the rows point into
    MeasuredCalls m_calls;
    RankScope m_scope;
    Selection m_selection;
    bool m_has_measurement = false;
    std::vector<MessageRow> m_rows;
    mutable std::vector<Texts> m_texts;
    std::function<QString(const MessageRow&)> m_explanation;
};

} // namespace shardscope
