#pragma once

#include <QString>

#include <vector>

namespace shardscope
{

class Presets;

// A preset as the list shows it.
struct PresetEntry {
    QString name;   // the word of the scenario file
    QString title;  // "GPT 3B (Li et al. 2024)"
    QString family; // entries of one family stand under one heading
    QString tip;
};

// The user's own stand above, whatever their names begin with.
std::vector<PresetEntry> modelEntries(const Presets& presets);
std::vector<PresetEntry> clusterEntries(const Presets& presets);

// The family that a model's title begins with: "GPT-NeoX" of "GPT-NeoX 20B (Black et al. 2022)".
QString presetFamily(const QString& title);
// The parameters that a title tells: 20e9 of "GPT-NeoX 20B (Black et al. 2022)"; 0 where it tells none.
double presetSize(const QString& title);
// By family, then by size; families of one stand together at the end.
std::vector<PresetEntry> sortedByFamily(std::vector<PresetEntry> entries);

} // namespace shardscope
