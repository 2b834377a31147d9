#pragma once

#include "widgets/panels/scenario/scenario_row.h"

#include "core/base/result.h"

class QComboBox;
class QLineEdit;

namespace shardscope
{

// A figure that is written as text: a name, an order of dimensions, a list of layers.
struct TextFigure {
    ScenarioFigure figure;
    QString (*get)(const Scenario& scenario) = nullptr;
    // Error: the sentence that says how it is written.
    Result<Scenario> (*set)(Scenario scenario, const QString& text) = nullptr;
    QStringList proposals; // offered in a list; anything else may be typed
    const char* placeholder = "";
    bool (*applies)(const Scenario& scenario) = nullptr; // null: always
};

class ScenarioTextRow : public ScenarioRow
{
    Q_OBJECT
public:
    ScenarioTextRow(const TextFigure& text, const Scenario& scenario, QWidget* parent = nullptr);

    void refresh() override;
    bool applies() const override;

private:
    void makeList();
    void wish();

    TextFigure m_text;
    QComboBox* m_list = nullptr; // editable; null where nothing is proposed
    QLineEdit* m_line = nullptr;
};

} // namespace shardscope
