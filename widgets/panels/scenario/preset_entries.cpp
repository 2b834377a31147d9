#include "widgets/panels/scenario/preset_entries.h"

#include "core/scenario/presets.h"

#include <QHash>
#include <QRegularExpression>

#include <algorithm>
#include <tuple>
#include <utility>

namespace shardscope
{

namespace
{

QString sourcesText(const std::vector<FigureSource>& sources)
{
    QString text;
    for (const FigureSource& source : sources)
        text += QString::fromStdString(source.key + ": " + source.source) + '\n';
    return text.trimmed();
}

} // namespace

QString presetFamily(const QString& title)
{
    return title.section(' ', 0, 0);
}

double presetSize(const QString& title)
{
    static const QRegularExpression size{"\\b(?:(\\d+)x)?(\\d+(?:\\.\\d+)?)([MBT])\\b"};
    const QRegularExpressionMatch match = size.match(title);
    if (!match.hasMatch())
        return 0.0;
    const double experts = match.captured(1).isEmpty() ? 1.0 : match.captured(1).toDouble();
    const QString unit = match.captured(3);
    return experts * match.captured(2).toDouble() * (unit == "M" ? 1e6 : unit == "B" ? 1e9 : 1e12);
}

std::vector<PresetEntry> sortedByFamily(std::vector<PresetEntry> entries)
{
    QHash<QString, int> members;
    for (const PresetEntry& entry : entries)
        ++members[entry.family];
    for (PresetEntry& entry : entries) {
        if (members[entry.family] == 1)
            entry.family = QStringLiteral("Others");
    }
    const auto rank = [&members](const PresetEntry& entry) {
        return std::tuple{!members.contains(entry.family), entry.family.toLower(), presetSize(entry.title)};
    };
    std::stable_sort(entries.begin(), entries.end(),
                     [&](const PresetEntry& a, const PresetEntry& b) { return rank(a) < rank(b); });
    return entries;
}

std::vector<PresetEntry> modelEntries(const Presets& presets)
{
    std::vector<PresetEntry> own;
    std::vector<PresetEntry> shipped;
    for (const ModelPreset& preset : presets.models()) {
        const QString title = QString::fromStdString(preset.title);
        (preset.is_own ? own : shipped)
            .push_back({QString::fromStdString(preset.name), title,
                        preset.is_own ? QStringLiteral("Own") : presetFamily(title),
                        sourcesText(preset.sources)});
    }
    shipped = sortedByFamily(std::move(shipped));
    own.insert(own.end(), shipped.begin(), shipped.end());
    return own;
}

std::vector<PresetEntry> clusterEntries(const Presets& presets)
{
    std::vector<PresetEntry> entries;
    for (const ClusterPreset& preset : presets.clusters())
        entries.push_back({QString::fromStdString(preset.name),
                           QString::fromStdString(preset.title),
                           {},
                           sourcesText(preset.sources)});
    return entries;
}

} // namespace shardscope
