#pragma once

#include "widgets/panels/scenario/preset_entries.h"

#include <QComboBox>

#include <vector>

class QLabel;
class QStandardItemModel;

namespace shardscope
{

// A list of presets that unfolds under headings and is searched by typing any part of a title: Return takes
// the first that has it.
class ScenarioPresetList : public QComboBox
{
    Q_OBJECT
public:
    explicit ScenarioPresetList(const std::vector<PresetEntry>& entries, QWidget* parent = nullptr);

    void setEntries(const std::vector<PresetEntry>& entries);
    // Shows a preset; `edited`: it was the beginning, but figures have been moved since.
    void show(const QString& name, bool edited);
    // Why what was typed was not taken, to stand below the list; hidden while there is nothing to say.
    QLabel& refusal() const { return *m_refusal; }

signals:
    void chosen(const QString& name);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void append(const PresetEntry& entry);
    void appendHeading(const QString& family);
    int rowOf(const QString& name) const;
    QString nameOfTitle(const QString& title) const; // in small or capital letters
    QString shownText() const;
    void choose(int row);
    void chooseFirstMatch();
    void chooseTyped();
    // The name of the first preset whose title has `typed`; empty: none has.
    QString firstMatch(const QString& typed) const;
    void refuse(const QString& sentence);

    QStandardItemModel* m_items;
    QLabel* m_refusal;
    QString m_name;
    bool m_edited = false;
};

} // namespace shardscope
