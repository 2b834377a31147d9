#pragma once

#include "widgets/panels/scenario/scenario_row.h"

#include <vector>

class QButtonGroup;
class QComboBox;

namespace shardscope
{

struct Choice {
    const char* text = "";
    const char* tip = "";
};

// A figure that is one of a few words.
struct ChoiceFigure {
    ScenarioFigure figure;
    std::vector<Choice> choices;
    int (*get)(const Scenario& scenario) = nullptr;
    Scenario (*set)(Scenario scenario, int choice) = nullptr;
    bool (*applies)(const Scenario& scenario) = nullptr; // null: always
};

// Up to four short words stand side by side as buttons; more become a list that unfolds.
class ScenarioChoiceRow : public ScenarioRow
{
    Q_OBJECT
public:
    ScenarioChoiceRow(const ChoiceFigure& choice, const Scenario& scenario, QWidget* parent = nullptr);

    QString words() const override;
    void refresh() override;
    bool applies() const override;

private:
    void makeButtons();
    void makeList();
    void wish(int choice);

    ChoiceFigure m_choice;
    QButtonGroup* m_buttons = nullptr;
    QComboBox* m_list = nullptr;
};

} // namespace shardscope
