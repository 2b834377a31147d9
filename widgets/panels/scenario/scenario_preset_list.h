#pragma once

#include <QComboBox>

#include <vector>

class QStandardItemModel;

namespace shardscope
{

// A preset as the list shows it.
struct PresetEntry {
    QString name;   // the word of the scenario file
    QString title;  // "GPT 3B (Li et al. 2024)"
    QString family; // entries of one family stand under one heading
    QString tip;
};

// The family that a model's title begins with: "GPT-NeoX" of "GPT-NeoX 20B (Black et al. 2022)".
QString presetFamily(const QString& title);
// The parameters that a title tells: 20e9 of "GPT-NeoX 20B (Black et al. 2022)"; 0 where it tells none.
double presetSize(const QString& title);
// By family, then by size; families of one stand together at the end.
std::vector<PresetEntry> sortedByFamily(std::vector<PresetEntry> entries);

// A list of presets that unfolds under headings and is searched by typing any part of a title.
class ScenarioPresetList : public QComboBox
{
    Q_OBJECT
public:
    explicit ScenarioPresetList(const std::vector<PresetEntry>& entries, QWidget* parent = nullptr);

    void setEntries(const std::vector<PresetEntry>& entries);
    // Shows a preset; `edited`: it was the beginning, but figures have been moved since.
    void show(const QString& name, bool edited);

signals:
    void chosen(const QString& name);

private:
    void append(const PresetEntry& entry);
    void appendHeading(const QString& family);
    int rowOf(const QString& name) const;
    QString shownText() const;
    void choose(int row);
    void chooseTyped();

    QStandardItemModel* m_items;
    QString m_name;
    bool m_edited = false;
};

} // namespace shardscope
