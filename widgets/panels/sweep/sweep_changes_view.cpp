#include "widgets/panels/sweep/sweep_changes_view.h"

#include "widgets/panels/scenario/figure_names.h"
#include "widgets/panels/sweep/sweep_bars_view.h"
#include "widgets/session/shown_text.h"

#include "core/prediction/memory/memory.h"
#include "core/report/change_report.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

bool isOfSteps(const StudyAnswer& answer)
{
    return answer.question.study->picture == StudyPicture::steps;
}

Hue hueOf(ChangeOf of)
{
    return of == ChangeOf::run ? Hue::setting : Hue::machine;
}

QString nameOf(ChangeOf of)
{
    return of == ChangeOf::run ? QStringLiteral("the run") : QStringLiteral("the machine");
}

QString signedSeconds(double seconds)
{
    return (seconds < 0.0 ? QStringLiteral("−") : QStringLiteral("+")) + secondsText(std::fabs(seconds));
}

// What does not fit has a mark beside the colour, which what is nearly full has as well.
QString memoryText(const SweepPoint& point)
{
    return (point.fits ? QString{} : QStringLiteral("✕ "))
           + bytesText(static_cast<double>(point.device_bytes));
}

ChangeRow rowOf(const QString& name, const SweepPoint& from, const SweepPoint& to)
{
    ChangeRow row;
    row.name = name;
    row.from = from.time.iteration_s;
    row.to = to.time.iteration_s;
    row.is_hollow = !to.fits;
    row.is_warned = !to.fits || isNearlyFull(to.device_bytes, to.scenario.cluster);
    return row;
}

QString againstOwn(double time_s, double own_s)
{
    return signedPercentText(time_s / own_s - 1.0);
}

ChangeScene changeRows(const StudyAnswer& answer, const Theme& theme)
{
    ChangeScene scene;
    const SweepPoint& own = answer.changes.own;
    if (answer.changes.changes.empty()) {
        scene.hint = QStringLiteral("No change of one thing makes a difference here");
        return scene;
    }
    scene.headings = {QStringLiteral("against now"), QStringLiteral("iteration"), QStringLiteral("memory")};
    scene.mark = own.time.iteration_s;
    scene.mark_text = QStringLiteral("now %1").arg(secondsText(own.time.iteration_s));
    scene.invitation = QStringLiteral("Click a row to take its change");
    for (const SingleChange& change : answer.changes.changes) {
        ChangeRow row = rowOf(toQString(change.name), own, change.point);
        row.colour = theme.colour(hueOf(change.of));
        row.cells = {againstOwn(row.to, row.from), secondsText(row.to), memoryText(change.point)};
        scene.rows.push_back(std::move(row));
    }
    return scene;
}

// Where the way begins and ends.
ChangeRow placeRow(const QString& name, const SweepPoint& point)
{
    ChangeRow row = rowOf(name, point, point);
    row.is_place = true;
    row.cells = {QString{}, secondsText(row.to), memoryText(point)};
    return row;
}

// With keys as the scenario panel names them.
QString nameOf(const ChangeStep& step)
{
    return toQString(
        stepText(step, [](const std::string& key) { return figureOnScreen(toQString(key)).toStdString(); }));
}

ChangeScene stepRows(const StudyAnswer& answer, const Theme& theme)
{
    ChangeScene scene;
    const std::vector<ChangeStep>& steps = answer.steps.steps;
    if (!answer.question.pinned || steps.empty()) {
        scene.hint = answer.question.pinned
                         ? QStringLiteral("The scenario is as pinned: change it to see what each change does")
                         : QStringLiteral("Pin a scenario (Ctrl+P) and change it, or open another one: what "
                                          "each difference does to an iteration stands here, step by step");
        return scene;
    }
    scene.is_chain = true;
    scene.headings = {QStringLiteral("step"), QStringLiteral("iteration"), QStringLiteral("memory")};
    const SweepPoint* from = &answer.steps.before;
    scene.mark = from->time.iteration_s;
    scene.invitation = QStringLiteral("Click a row to take its scenario");
    scene.rows.push_back(placeRow(QStringLiteral("pinned"), *from));
    for (const ChangeStep& step : steps) {
        ChangeRow row = rowOf(nameOf(step), *from, step.point);
        row.colour = theme.colour(hueOf(step.of));
        row.cells = {signedSeconds(row.to - row.from), secondsText(row.to), memoryText(step.point)};
        scene.rows.push_back(std::move(row));
        from = &step.point;
    }
    scene.rows.push_back(placeRow(QStringLiteral("this scenario"), *from));
    return scene;
}

// What a row of steps leads to; the place rows are the two ends.
const SweepPoint* pointOfStep(const ChangeSteps& way, int row)
{
    if (row < 0 || way.steps.empty())
        return nullptr;
    if (row == 0)
        return &way.before;
    return &way.steps[std::min(static_cast<std::size_t>(row), way.steps.size()) - 1].point;
}

// Every difference, where the row names the first of them.
QString differencesText(const ChangeStep& step)
{
    constexpr std::size_t most_told = 16;
    QString text;
    const std::size_t told = std::min(most_told, step.differences.size());
    for (std::size_t i = 0; i < told; ++i)
        text += QStringLiteral("<br>%1: %2 → %3")
                    .arg(toQString(step.differences[i].key).toHtmlEscaped(),
                         toQString(step.differences[i].before).toHtmlEscaped(),
                         toQString(step.differences[i].after).toHtmlEscaped());
    if (step.differences.size() > told)
        text += QStringLiteral("<br>and %1 more").arg(step.differences.size() - told);
    return text;
}

// Those of the change alone: what holds for the scenario too is said elsewhere.
QString newWarnings(const SweepPoint& point, const SweepPoint& own)
{
    QString text;
    for (const std::string& sentence : point.warnings)
        if (std::ranges::find(own.warnings, sentence) == own.warnings.end())
            text += QStringLiteral("<br>") + warningOnScreen(sentence).toHtmlEscaped();
    return text;
}

} // namespace

ChangeScene changesScene(const StudyAnswer& answer, const Theme& theme)
{
    return isOfSteps(answer) ? stepRows(answer, theme) : changeRows(answer, theme);
}

std::vector<LegendChip> changesLegend(const StudyAnswer& answer, const Theme& theme)
{
    std::vector<LegendChip> chips;
    for (const ChangeOf of : {ChangeOf::run, ChangeOf::machine}) {
        const bool is_there =
            isOfSteps(answer)
                ? std::ranges::find(answer.steps.steps, of, &ChangeStep::of) != answer.steps.steps.end()
                : std::ranges::find(answer.changes.changes, of, &SingleChange::of)
                      != answer.changes.changes.end();
        if (is_there)
            chips.push_back({.id = -1, .text = nameOf(of), .colour = theme.colour(hueOf(of))});
    }
    return chips;
}

const SweepPoint* pointOfRow(const StudyAnswer& answer, int row)
{
    if (isOfSteps(answer))
        return pointOfStep(answer.steps, row);
    const auto place = static_cast<std::size_t>(row);
    return row >= 0 && place < answer.changes.changes.size() ? &answer.changes.changes[place].point : nullptr;
}

QString changeSentence(const StudyAnswer& answer, int row)
{
    const SweepPoint* point = pointOfRow(answer, row);
    if (point == nullptr)
        return {};
    const ChangeScene scene = changesScene(answer, Theme{QPalette{}});
    const ChangeRow& shown = scene.rows[static_cast<std::size_t>(row)];
    QString text = QStringLiteral("%1: %2 an iteration").arg(shown.name, secondsText(shown.to));
    if (isOfSteps(answer) && !shown.is_place)
        text += QStringLiteral(", %1 by this step").arg(shown.cells.front());
    else if (!isOfSteps(answer))
        text += QStringLiteral(", %1 against %2 now").arg(shown.cells.front(), secondsText(shown.from));
    text += QStringLiteral(", %1 of memory").arg(bytesText(static_cast<double>(point->device_bytes)));
    if (!point->fits)
        text += QStringLiteral(", which does not fit the GPU");
    else if (isNearlyFull(point->device_bytes, point->scenario.cluster))
        text += QStringLiteral(", ") + nearlyFullMeaning();
    return text;
}

QString changeTip(const StudyAnswer& answer, int row)
{
    const SweepPoint* point = pointOfRow(answer, row);
    if (point == nullptr)
        return {};
    QString text = QStringLiteral("<b>%1</b>").arg(changeSentence(answer, row).toHtmlEscaped());
    const auto step = static_cast<std::size_t>(row) - 1;
    if (isOfSteps(answer) && row > 0 && step < answer.steps.steps.size())
        text += differencesText(answer.steps.steps[step]);
    text += QStringLiteral("<br>%1").arg(costText(*point).toHtmlEscaped());
    text += newWarnings(*point, isOfSteps(answer) ? answer.steps.before : answer.changes.own);
    if (isOfSteps(answer))
        return text + QStringLiteral("<br><i>Click: take the scenario of this place</i>");
    return text + QStringLiteral("<br><i>Click: take this change</i>");
}

TableRows changesTable(const StudyAnswer& answer)
{
    TableRows table;
    for (const std::vector<std::string>& row :
         isOfSteps(answer) ? stepsRows(answer.steps) : changesRows(answer.changes))
        table.push_back(tableRow(row));
    return table;
}

} // namespace shardscope
