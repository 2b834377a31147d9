#include "widgets/panels/timeline/timeline_panel.h"

#include <QAction>
#include <QMenu>

// What can be done with the ranks on screen.

namespace shardscope
{

// The files of these ranks that are digests.
QStringList TimelinePanel::digestsOf(const std::vector<std::size_t>& ranks) const
{
    QStringList digests;
    for (const std::size_t row : ranks) {
        const TraceFile& file = m_measured->run->traces.files[m_measured->ranks[row].file];
        if (file.digest)
            digests << QString::fromStdString(file.path);
    }
    return digests;
}

std::unique_ptr<QMenu> TimelinePanel::menuOf(const std::optional<std::size_t>& rank)
{
    // While an import goes on the run is about to change.
    if (!m_measured || m_content.partial || m_measured->run != m_content.measured)
        return nullptr;
    auto menu = std::make_unique<QMenu>();
    menu->setToolTipsVisible(true);
    const auto offer = [this, &menu](const QString& text, const QStringList& digests) {
        QAction* action = menu->addAction(text, this, [this, digests] { emit fullTracesWished(digests); });
        action->setToolTip(QStringLiteral("Only a digest has been read: the trace itself has every event"));
    };
    const QStringList one = rank ? digestsOf({*rank}) : QStringList{};
    if (!one.isEmpty())
        offer(QStringLiteral("Read %1 in full").arg(m_measured->ranks[*rank].name), one);
    const QStringList all = digestsOf(m_view->ranksOnScreen());
    if (!all.isEmpty() && all != one)
        offer(all.size() == 1 ? QStringLiteral("Read the rank on screen in full")
                              : QStringLiteral("Read the %1 ranks on screen in full").arg(all.size()),
              all);
    return menu->isEmpty() ? nullptr : std::move(menu);
}

} // namespace shardscope
