#include "widgets/models/message_filter_model.h"

#include "widgets/models/message_table_model.h"

namespace shardscope
{

MessageFilterModel::MessageFilterModel(QObject* parent) : QSortFilterProxyModel{parent}
{
    setSortRole(MessageTableModel::SortRole);
    setDynamicSortFilter(true);
}

void MessageFilterModel::setHidden(int kind, bool hidden)
{
    m_hidden.set(static_cast<std::size_t>(kind), hidden);
    invalidateFilter();
}

bool MessageFilterModel::filterAcceptsRow(int source_row, const QModelIndex& source_parent) const
{
    if (m_hidden.none()) // of uneven experts there are thousands of rows
        return true;
    const QModelIndex index = sourceModel()->index(source_row, MessageTableModel::KindColumn, source_parent);
    return !isHidden(index.data(MessageTableModel::KindRole).toInt());
}

} // namespace shardscope
