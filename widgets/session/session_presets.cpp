// The user's own presets: what is saved, renamed and removed while the window is open.
#include "widgets/session/session.h"

namespace shardscope
{

bool Session::saveCluster(const QString& name, const Cluster& cluster, const QString& source)
{
    const auto file = saveOwnCluster(name.toStdString(), cluster, source.toStdString(), m_presets);
    return changePresets(file ? Result<bool>{true} : Result<bool>{file.error()});
}

bool Session::savePreset(PresetKind kind, const QString& name)
{
    const std::string source = "set by hand";
    Scenario named = m_scenario;
    const std::string text = name.toStdString();
    (kind == PresetKind::model ? named.model.preset : named.cluster.preset) = text;
    const auto file = kind == PresetKind::model ? saveOwnModel(text, m_scenario.model, source, m_presets)
                                                : saveOwnCluster(text, m_scenario.cluster, source, m_presets);
    if (!changePresets(file ? Result<bool>{true} : Result<bool>{file.error()}))
        return false;
    editScenario(named, tr("Preset %1").arg(name));
    return true;
}

bool Session::removePreset(PresetKind kind, const QString& name)
{
    return changePresets(removeOwnPreset(kind, name.toStdString()));
}

bool Session::renamePreset(PresetKind kind, const QString& name, const QString& new_name)
{
    if (!changePresets(renameOwnPreset(kind, name.toStdString(), new_name.toStdString(), m_presets)))
        return false;
    Scenario renamed = m_scenario;
    std::string& preset = kind == PresetKind::model ? renamed.model.preset : renamed.cluster.preset;
    if (preset == name.toStdString()) {
        preset = new_name.toStdString();
        editScenario(renamed, tr("Preset %1").arg(new_name));
    }
    return true;
}

bool Session::changePresets(const Result<bool>& change)
{
    emit outdated(Topic::presets); // of another name
    if (!change) {
        emit failed(QString::fromStdString(change.error().sentence), Topic::presets);
        return false;
    }
    if (Result<Presets> presets = loadPresets())
        m_presets = std::move(presets).value();
    emit presetsChanged();
    return true;
}

} // namespace shardscope
