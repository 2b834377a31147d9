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

// The family a preset's name tells: "gpt" of "gpt-3b", "llama" of "llama2-70b".
QString presetFamily(const QString& name);

// A list of presets that unfolds under headings and is searched by typing any part of a title.
class ScenarioPresetList : public QComboBox
{
    Q_OBJECT
public:
    explicit ScenarioPresetList(const std::vector<PresetEntry>& entries, QWidget* parent = nullptr);

    // Shows a preset; `edited`: it was the beginning, but figures have been moved since.
    void show(const QString& name, bool edited);
    QString currentName() const { return m_name; }

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
