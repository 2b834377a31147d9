#pragma once

#include "widgets/panels/scenario/preset_entries.h"

#include <QComboBox>

#include <vector>

class QStandardItemModel;

namespace shardscope
{

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
