#include "widgets/panels/scenario/following_note.h"

#include "widgets/panels/scenario/scenario_figures.h"
#include "widgets/panels/scenario/scenario_number_edit.h"
#include "widgets/session/shown_text.h"

#include <QStringList>

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace shardscope
{

namespace
{

QString valueText(const NumberFigure& number, const Scenario& scenario)
{
    constexpr double most = 1e15; // that a whole number is written out
    const double value = number.get(scenario);
    const bool is_grouped = number.whole && std::fabs(value) < most;
    const QString text = is_grouped ? groupedText(std::llround(value)) : numberText(value);
    return *number.unit ? text + ' ' + QString::fromUtf8(number.unit) : text;
}

QString valueText(const ChoiceFigure& choice, const Scenario& scenario)
{
    const auto chosen = static_cast<std::size_t>(choice.get(scenario)); // anything may stand in a scenario
    return chosen < choice.choices.size() ? QString::fromUtf8(choice.choices[chosen].text) : QString{};
}

QString valueText(const ToggleFigure& toggle, const Scenario& scenario)
{
    return toggle.get(scenario) ? QObject::tr("on") : QObject::tr("off");
}

QString valueText(const TextFigure& text, const Scenario& scenario)
{
    return text.get(scenario);
}

QString keyOf(const ScenarioControl& control)
{
    return std::visit([](const auto& each) { return QString{each.figure.key}; }, control);
}

QString lineText(const ScenarioControl& control, const Scenario& scenario)
{
    return std::visit(
        [&](const auto& each) {
            return QString::fromUtf8(each.figure.label) + ' ' + valueText(each, scenario);
        },
        control);
}

bool isShown(const ScenarioControl& control, const Scenario& scenario)
{
    return std::visit([&](const auto& each) { return !each.applies || each.applies(scenario); }, control);
}

// "ZeRO stage 1".
QString causeText(const Scenario& after, const QString& key, const QString& gesture)
{
    for (const auto& sections : {everydaySections(), advancedSections()})
        for (const ScenarioSection& section : sections)
            for (const ScenarioControl& control : section.controls)
                if (keyOf(control) == key)
                    return lineText(control, after);
    return gesture;
}

bool mayFollow(const QString& followed, const QString& key)
{
    return followed != key && !followed.startsWith("model.")
           && (!key.isEmpty() || !followed.startsWith("cluster."));
}

} // namespace

QString followingNote(const Scenario& before, const Scenario& after, const QString& key,
                      const QString& gesture)
{
    if (before.conventions == after.conventions && before.training == after.training
        && before.cluster == after.cluster)
        return {}; // at each step of a drag
    QStringList switches;
    QStringList others;
    for (const ScenarioSection& section : advancedSections())
        for (const ScenarioControl& control : section.controls) {
            const QString line = lineText(control, after);
            if (mayFollow(keyOf(control), key) && isShown(control, after)
                && line != lineText(control, before))
                (std::holds_alternative<ToggleFigure>(control) ? switches : others) << line;
        }
    if (switches.isEmpty() && others.isEmpty())
        return {};
    return QObject::tr("Also changed with %1, under Advanced: %2")
        .arg(causeText(after, key, gesture), (switches + others).join(", "));
}

} // namespace shardscope
