#include "widgets/panels/scenario/collective_law_note.h"

namespace shardscope
{

CollectiveLawNote::CollectiveLawNote(QWidget* parent) : QLabel{parent}
{
    setWordWrap(true);
    setContentsMargins(4, 1, 4, 1);
    setToolTip(tr("The handles and the fit of the Collectives picture change the bandwidth and the latency "
                  "that messages reach, which stand under Advanced, Law of collectives; the links below stay "
                  "as they are."));
    hide();
    connect(this, &QLabel::linkActivated, this, [this] { emit takenBack(m_law); });
}

void CollectiveLawNote::tell(const Scenario& scenario, const ClusterPreset* origin)
{
    const bool is_changed = origin && scenario.cluster.collectives != origin->cluster.collectives;
    if (is_changed) {
        m_law = origin->cluster.collectives;
        const QString sentence = tr("Collectives have other constants than the preset");
        const QString unused =
            scenario.time_model == TimeModel::li ? tr(
                "; Li et al.'s times do not change with them: that model reaches fixed shares of the links")
                                                 : QString{};
        setText(sentence + unused + tr(". <a href=\"#\">Take them back</a>"));
    }
    setVisible(is_changed);
}

} // namespace shardscope
