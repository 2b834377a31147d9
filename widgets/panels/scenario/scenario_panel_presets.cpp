// The lists of presets in the form, and where its figures come from.
#include "widgets/panels/scenario/scenario_panel.h"

#include "widgets/panels/scenario/collective_law_note.h"
#include "widgets/panels/scenario/preset_entries.h"
#include "widgets/panels/scenario/scenario_preset_list.h"

#include "core/scenario/scenario_change.h"

#include <QLabel>
#include <QVBoxLayout>

namespace shardscope
{

ScenarioPresetList* ScenarioPanel::makeModelList()
{
    auto* list = new ScenarioPresetList{modelEntries(m_presets)};
    list->setAccessibleName(tr("Model preset"));
    connect(list, &ScenarioPresetList::chosen, this, [this](const QString& name) {
        if (const ModelPreset* preset = m_presets.model(name.toStdString()))
            takeWish(m_models, {}, withModel(m_scenario, *preset), tr("Model"), -1);
    });
    return list;
}

ScenarioPresetList* ScenarioPanel::makeClusterList()
{
    auto* list = new ScenarioPresetList{clusterEntries(m_presets)};
    list->setAccessibleName(tr("Cluster preset"));
    connect(list, &ScenarioPresetList::chosen, this, [this](const QString& name) {
        if (const ClusterPreset* preset = m_presets.cluster(name.toStdString()))
            takeWish(m_clusters, {}, withCluster(m_scenario, *preset), tr("Cluster"), -1);
    });
    return list;
}

// A list and what is said below it.
QWidget* ScenarioPanel::headOf(ScenarioPresetList& presets)
{
    auto* head = new QWidget;
    auto* column = new QVBoxLayout{head};
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    column->addWidget(&presets);
    column->addWidget(&presets.refusal());
    if (&presets == m_clusters)
        column->addWidget(makeLawNote());
    return head;
}

CollectiveLawNote* ScenarioPanel::makeLawNote()
{
    m_law_note = new CollectiveLawNote;
    connect(m_law_note, &CollectiveLawNote::takenBack, this, [this](const CollectiveLaw& law) {
        Scenario wished = m_scenario;
        wished.cluster.collectives = law;
        takeWish(m_law_note, {}, wished, tr("Constants of collectives"), -1);
    });
    return m_law_note;
}

void ScenarioPanel::refillPresets()
{
    m_models->setEntries(modelEntries(m_presets));
    m_clusters->setEntries(clusterEntries(m_presets));
    setScenario(m_scenario);
}

void ScenarioPanel::refreshPresets()
{
    m_models->show(QString::fromStdString(m_model.name), m_model.edited);
    m_clusters->show(QString::fromStdString(m_cluster.name), m_cluster.edited);
    m_law_note->tell(m_scenario, m_presets.cluster(m_cluster.name));
}

} // namespace shardscope
