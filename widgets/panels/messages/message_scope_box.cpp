#include "widgets/panels/messages/message_scope_box.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Entries besides the stages, which are their number.
constexpr int all_ranks = -1;
constexpr int read_ranks = -2;
constexpr int selected_rank_alone = -3;

} // namespace

MessageScopeBox::MessageScopeBox(QWidget* parent) : QComboBox{parent}
{
    setToolTip(QStringLiteral("Whose messages are listed"));
    setAccessibleName(toolTip());
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(this, &QComboBox::currentIndexChanged, this, [this] {
        if (m_is_filling)
            return;
        m_chosen = currentData().toInt();
        emit scopeChosen();
    });
}

void MessageScopeBox::setContent(const Content& content, std::optional<std::int64_t> selected_rank)
{
    const int stages = content.predicted ? static_cast<int>(content.predicted->prediction.stages.size()) : 0;
    const std::int64_t world = content.predicted ? content.predicted->prediction.world_size : 0;
    const auto read =
        content.measured ? static_cast<std::int64_t>(content.measured->measurement.ranks.size()) : 0;
    const int rank_stage =
        selected_rank && stages > 0 ? stageOf(content.predicted->scenario, *selected_rank).value_or(-1) : -1;
    m_others = 0;
    if (content.measured && stages > 0)
        m_others =
            std::ranges::count_if(content.measured->measurement.ranks, [&](const RankMeasurement& rank) {
                return !stageOf(content.predicted->scenario, rank.rank);
            });
    std::vector<std::int64_t> listed_for{stages,     world,   read, selected_rank.value_or(-1),
                                         rank_stage, m_others};
    if (listed_for == m_listed_for)
        return;
    m_listed_for = std::move(listed_for);
    m_rank = selected_rank;
    fill(stages, world, read, rank_stage);
}

void MessageScopeBox::fill(int stages, std::int64_t world, std::int64_t read, int rank_stage)
{
    m_is_filling = true;
    clear();
    if (m_rank)
        addItem(stages > 1 && rank_stage >= 0
                    ? QStringLiteral("Rank %1 (stage %2)").arg(*m_rank).arg(rank_stage)
                    : QStringLiteral("Rank %1").arg(*m_rank),
                selected_rank_alone);
    for (int stage = 0; stage < stages; ++stage)
        addItem(stages > 1 ? QStringLiteral("Stage %1, each rank").arg(stage) : QStringLiteral("Each rank"),
                stage);
    if (world > 1 || (read > 1 && m_others == 0))
        addItem(QStringLiteral("All %1 ranks").arg(std::max(world, read)), all_ranks);
    if (read > 0 && (read < world || m_others > 0))
        addItem(read == 1 ? QStringLiteral("The rank read") : QStringLiteral("The %1 ranks read").arg(read),
                read_ranks);
    const int usual = read > 0 && m_others == read ? read_ranks : 0;
    setCurrentIndex(std::max(0, findData(m_rank ? selected_rank_alone : m_chosen.value_or(usual))));
    setVisible(count() > 0);
    m_is_filling = false;
}

RankScope MessageScopeBox::scope() const
{
    if (count() == 0)
        return RankScope::world();
    const int chosen = currentData().toInt();
    if (chosen == selected_rank_alone && m_rank)
        return RankScope::ofRank(*m_rank);
    if (chosen == read_ranks)
        return RankScope::read();
    return chosen >= 0 ? RankScope::ofStage(chosen) : RankScope::world();
}

} // namespace shardscope
