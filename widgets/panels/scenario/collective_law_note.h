#pragma once

#include "core/scenario/presets.h"

#include <QLabel>

namespace shardscope
{

// Says that collectives have other constants than the preset that the cluster comes from, and offers these
// again: the explorer of collectives moves them by its handles, and their lines are folded away.
class CollectiveLawNote : public QLabel
{
    Q_OBJECT
public:
    explicit CollectiveLawNote(QWidget* parent = nullptr);

    // `origin` null: the cluster comes from none.
    void tell(const Scenario& scenario, const ClusterPreset* origin);

signals:
    void takenBack(const shardscope::CollectiveLaw& law);

private:
    CollectiveLaw m_law; // the preset's
};

} // namespace shardscope
