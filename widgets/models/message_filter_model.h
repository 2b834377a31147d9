#pragma once

#include <QSortFilterProxyModel>

#include <bitset>

namespace shardscope
{

// Sorts the message table and hides the kinds that the user switched off.
class MessageFilterModel : public QSortFilterProxyModel
{
    Q_OBJECT
public:
    explicit MessageFilterModel(QObject* parent = nullptr);

    bool isHidden(int kind) const { return m_hidden[static_cast<std::size_t>(kind)]; }
    void setHidden(int kind, bool hidden);

protected:
    bool filterAcceptsRow(int source_row, const QModelIndex& source_parent) const override;

private:
    std::bitset<64> m_hidden; // by Kind
};

} // namespace shardscope
