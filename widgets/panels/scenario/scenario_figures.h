#pragma once

#include "widgets/panels/scenario/scenario_choice_row.h"
#include "widgets/panels/scenario/scenario_number_row.h"
#include "widgets/panels/scenario/scenario_text_row.h"
#include "widgets/panels/scenario/scenario_toggle_row.h"
#include "widgets/session/shown_text.h"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace shardscope
{

using ScenarioControl = std::variant<NumberFigure, ChoiceFigure, ToggleFigure, TextFigure>;

struct ScenarioSection {
    const char* title = "";
    std::vector<ScenarioControl> controls;
};

// What is always on screen: model, batch, layout, training, cluster. The GPU count, which is no key of its
// own, has the key "world_size".
std::vector<ScenarioSection> everydaySections();
// Every other key of the scenario format.
std::vector<ScenarioSection> advancedSections();
ScenarioSection expertSection(); // mixture of experts, latent attention
ScenarioSection conventionSection();
std::vector<ScenarioSection> clusterSections(); // the machines in detail
std::vector<ScenarioControl> layerFigures();    // their pattern, recurrences
TextFigure rankOrderFigure();
ChoiceFigure recomputeFigure();
NumberFigure layersAgainFigure(); // with full recomputation
TextFigure modulesAgainFigure();  // with selective
// The time model that is chosen.
bool isDetailed(const Scenario& scenario);
// The controls of all groups, one after the other.
std::vector<ScenarioControl> together(std::initializer_list<std::vector<ScenarioControl>> groups);

ScenarioRow* createRow(const ScenarioControl& control, const Scenario& scenario, QWidget* parent);

// Access to one member of a Scenario by its path: reach<&Scenario::model, &Model::layers>(scenario).
template<auto... path, class AnyScenario>
auto& reach(AnyScenario& scenario)
{
    return (scenario.*....*path);
}

template<auto... path>
double getNumber(const Scenario& scenario)
{
    return static_cast<double>(reach<path...>(scenario));
}

template<auto... path>
Scenario setNumber(Scenario scenario, double value)
{
    auto& member = reach<path...>(scenario);
    member = static_cast<std::decay_t<decltype(member)>>(value);
    return scenario;
}

template<auto... path>
NumberFigure number(const ScenarioFigure& figure, std::vector<double> (*stops)(const Scenario&) = nullptr,
                    const char* unit = "")
{
    using Member = std::decay_t<decltype(reach<path...>(std::declval<Scenario&>()))>;
    return {figure, getNumber<path...>, setNumber<path...>, stops, std::is_integral_v<Member>, unit, false,
            nullptr};
}

// A size of the model that follows from its others until it is set: ModelEdits takes 0 for leaving it empty.
template<auto... path>
NumberFigure following(const ScenarioFigure& figure)
{
    NumberFigure size = number<path...>(figure);
    size.set = [](Scenario scenario, double value) {
        return setNumber<path...>(std::move(scenario), std::isnan(value) ? 0.0 : value);
    };
    size.may_be_derived = true;
    return size;
}

// A number that follows from the others while the scenario leaves it out.
template<auto... path>
NumberFigure derivable(const ScenarioFigure& figure, const char* unit)
{
    NumberFigure number;
    number.figure = figure;
    number.get = [](const Scenario& scenario) {
        return reach<path...>(scenario).value_or(std::numeric_limits<double>::quiet_NaN());
    };
    number.set = [](Scenario scenario, double value) {
        reach<path...>(scenario) = std::isnan(value) ? std::nullopt : std::optional{value};
        return scenario;
    };
    number.whole = false;
    number.unit = unit;
    number.may_be_derived = true;
    return number;
}

// A text that may be anything.
template<auto... path>
TextFigure freeText(const ScenarioFigure& figure, const QStringList& proposals = {})
{
    return {figure,
            [](const Scenario& scenario) { return toQString(reach<path...>(scenario)); },
            [](Scenario scenario, const QString& text) -> Result<Scenario> {
                reach<path...>(scenario) = text.toStdString();
                return scenario;
            },
            proposals,
            "",
            nullptr};
}

template<auto... path>
ChoiceFigure choice(const ScenarioFigure& figure, std::vector<Choice> choices)
{
    using Member = std::decay_t<decltype(reach<path...>(std::declval<Scenario&>()))>;
    return {figure, std::move(choices),
            [](const Scenario& scenario) { return static_cast<int>(reach<path...>(scenario)); },
            [](Scenario scenario, int chosen) {
                reach<path...>(scenario) = static_cast<Member>(chosen);
                return scenario;
            },
            nullptr};
}

template<auto... path>
ToggleFigure toggle(const ScenarioFigure& figure)
{
    return {figure, [](const Scenario& scenario) { return reach<path...>(scenario); },
            [](Scenario scenario, bool on) {
                reach<path...>(scenario) = on;
                return scenario;
            },
            nullptr};
}

} // namespace shardscope
