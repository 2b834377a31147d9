#pragma once

#include "widgets/models/message_counts.h"

#include <QComboBox>

#include <optional>
#include <vector>

namespace shardscope
{

// Chooses whose messages are listed: one rank of a stage, the selected rank, all ranks, those that were read.
class MessageScopeBox : public QComboBox
{
    Q_OBJECT
public:
    explicit MessageScopeBox(QWidget* parent = nullptr);

    // Lists the choices that the content has. A selected rank is chosen by itself; without it, what the user
    // chose last.
    void setContent(const Content& content, std::optional<std::int64_t> selected_rank);
    RankScope scope() const;

signals:
    void scopeChosen(); // by the user

private:
    void fill(int stages, std::int64_t world, std::int64_t read, int rank_stage);

    std::optional<int> m_chosen;            // by the user: a stage, or one of the codes in the .cpp
    std::int64_t m_others = 0;              // measured ranks that the scenario does not have
    std::vector<std::int64_t> m_listed_for; // what decides the entries
    std::optional<std::int64_t> m_rank;
    bool m_is_filling = false;
};

} // namespace shardscope
