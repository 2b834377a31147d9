#include "widgets/panels/sweep/layout_labels.h"

#include "widgets/panels/scenario/figure_names.h"
#include "widgets/session/shown_text.h"

#include "core/prediction/memory/memory.h"
#include "core/report/search_report.h"
#include "core/scenario/recomputation_words.h"
#include "core/scenario/words.h"
#include "core/sweep/layout_candidates.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

// Which degrees the labels name beside pipeline, tensor and data.
struct NamedDegrees {
    bool context = false;
    bool expert = false;
};

NamedDegrees namedDegrees(const std::vector<SweepPoint>& points, const Parallel& own)
{
    const auto any = [&](std::int64_t Parallel::*degree) {
        return own.*degree > 1 || std::any_of(points.begin(), points.end(), [&](const SweepPoint& point) {
                   return point.scenario.parallel.*degree > 1;
               });
    };
    return {any(&Parallel::context), any(&Parallel::expert)};
}

QString degreesLabel(const Parallel& parallel, const NamedDegrees& named)
{
    QStringList degrees{QString::number(parallel.pipeline), QString::number(parallel.tensor)};
    if (named.context)
        degrees << QString::number(parallel.context);
    degrees << QString::number(parallel.data);
    const QString text = degrees.join(QChar{0x00b7});
    return named.expert ? text + QStringLiteral(" ep%1").arg(parallel.expert) : text;
}

QString degreesMeaning(const NamedDegrees& named)
{
    QString text = named.context ? QStringLiteral("pipeline\u00b7tensor\u00b7context\u00b7data")
                                 : QStringLiteral("pipeline\u00b7tensor\u00b7data");
    return named.expert ? text + QStringLiteral(", ep expert") : text;
}

// In what layouts of the same degrees may differ.
struct Part {
    const char* meaning;
    QString (*words)(const Scenario&);  // empty: nothing to say; they stay on one line
    QString (*common)(const Scenario&); // where all are alike in it; empty: that goes without saying
};

QString recomputeWords(const Scenario& scenario)
{
    if (recomputesModules(scenario))
        return QStringLiteral("r\u00a0modules"); // their names would not fit
    return QStringLiteral("r\u00a0")
           + toQString(recomputationBrief(scenario)).replace(QLatin1Char(' '), QChar{0xa0});
}

QString commonRecompute(const Scenario& scenario)
{
    return toQString(recomputationWords(scenario));
}

constexpr std::array parts{
    Part{"etp1 experts whole on tensor ranks",
         [](const Scenario& of) {
             return of.parallel.holdsExpertsWhole() ? QStringLiteral("etp1") : QString{};
         },
         [](const Scenario& of) {
             return of.parallel.holdsExpertsWhole() ? QStringLiteral("experts whole on tensor ranks")
                                                    : QString{};
         }},
    Part{"b micro-batch",
         [](const Scenario& of) { return QStringLiteral("b%1").arg(of.training.micro_batch_size); },
         [](const Scenario& of) {
             return QStringLiteral("micro-batch %1").arg(of.training.micro_batch_size);
         }},
    Part{"v virtual stages",
         [](const Scenario& of) { return QStringLiteral("v%1").arg(of.parallel.virtual_stages); },
         [](const Scenario& of) {
             return of.parallel.virtual_stages > 1
                        ? QStringLiteral("virtual stages %1").arg(of.parallel.virtual_stages)
                        : QString{};
         }},
    Part{"z ZeRO stage", [](const Scenario& of) { return QStringLiteral("z%1").arg(of.parallel.zero_stage); },
         [](const Scenario& of) { return QStringLiteral("ZeRO %1").arg(of.parallel.zero_stage); }},
    Part{"sp sequence parallel",
         [](const Scenario& of) {
             return of.parallel.sequence_parallel ? QStringLiteral("sp") : QStringLiteral("no\u00a0sp");
         },
         [](const Scenario& of) {
             return of.parallel.sequence_parallel ? QStringLiteral("sequence parallel") : QString{};
         }},
    Part{"r recomputation", recomputeWords, commonRecompute},
    // No choice of the search's, yet more of the time than most of them.
    Part{"ot overlap of tensor messages",
         [](const Scenario& of) { return of.conventions.tp_overlap ? QStringLiteral("ot") : QString{}; },
         [](const Scenario& of) {
             return of.conventions.tp_overlap ? QStringLiteral("overlap of tensor messages") : QString{};
         }},
};

// The parts in which they are not all alike.
std::array<bool, parts.size()> differingParts(const std::vector<SweepPoint>& points)
{
    std::array<bool, parts.size()> differs{};
    for (std::size_t i = 0; i < parts.size(); ++i)
        differs[i] = std::any_of(points.begin(), points.end(), [&](const SweepPoint& point) {
            return parts[i].words(point.scenario) != parts[i].words(points.front().scenario);
        });
    return differs;
}

// "1st", "22nd", "113th".
QString ordinal(std::int64_t number)
{
    const std::int64_t ones = number % 10;
    const bool is_teen = number / 10 % 10 == 1;
    const char* ending = is_teen || ones == 0 || ones > 3 ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : "rd";
    return groupedText(number) + QLatin1String{ending};
}

QString placeOf(const OwnLayout& own)
{
    return ordinal(own.place) + (own.is_exact ? QString{} : QStringLiteral(" or better"));
}

// How the layout on screen compares, on a line of its own that is no wider than others; empty where its
// place among the bars tells it.
QString comparisonLine(const OwnLayout& own, const SweepPoint& point)
{
    if (own.is_of_front)
        return {};
    if (!point.fits)
        return QStringLiteral("\ntoo large");
    return QStringLiteral("\n") + (own.is_exact ? QString{} : QStringLiteral("\u2264 ")) + ordinal(own.place);
}

QString titleOf(const std::vector<SweepPoint>& points, const NamedDegrees& named, bool some_are_full,
                bool own_is_last)
{
    const auto differs = differingParts(points);
    QStringList meanings{degreesMeaning(named)};
    QStringList common;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (differs[i])
            meanings << QString::fromUtf8(parts[i].meaning);
        else if (const QString words = parts[i].common(points.front().scenario); !words.isEmpty())
            common << words;
    }
    if (some_are_full)
        meanings << QStringLiteral("! may run out of memory");
    const QString order = own_is_last ? QStringLiteral("from fastest to smallest, then the one on screen: ")
                                      : QStringLiteral("from fastest to smallest: ");
    return order + meanings.join(QStringLiteral(", "))
           + (common.isEmpty() ? QString{}
                               : QStringLiteral("; all with ") + common.join(QStringLiteral(", ")));
}

} // namespace

LayoutLabels layoutLabels(const std::vector<SweepPoint>& points, const Scenario& base,
                          const std::optional<OwnLayout>& own)
{
    LayoutLabels result;
    if (points.empty())
        return result;
    const NamedDegrees named = namedDegrees(points, base.parallel);
    const auto differs = differingParts(points);
    bool some_are_full = false;
    for (std::size_t place = 0; place < points.size(); ++place) {
        const SweepPoint& point = points[place];
        const bool is_full = point.fits && isNearlyFull(point.device_bytes, point.scenario.cluster);
        some_are_full = some_are_full || is_full;
        const bool is_own = own && own->point == place;
        QStringList words;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (const QString its = parts[i].words(point.scenario); differs[i] && !its.isEmpty())
                words << its;
        const QString degrees = (is_own ? QStringLiteral("now ") : QString{})
                                + degreesLabel(point.scenario.parallel, named)
                                + (is_full ? QStringLiteral(" !") : QString{})
                                + (is_own ? comparisonLine(*own, point) : QString{});
        result.labels.push_back(words.isEmpty() ? degrees : degrees + '\n' + words.join(QLatin1Char(' ')));
    }
    result.title = titleOf(points, named, some_are_full, own && !own->is_of_front);
    return result;
}

QString searchedWords(const Scenario& base, const std::vector<Layout>& layouts)
{
    // The form has no letters for them.
    constexpr std::array<std::string_view, 3> by_name{"parallel.zero_stage", "parallel.sequence_parallel",
                                                      "training.recompute"};
    QStringList letters;
    QStringList words;
    for (const VariedFigure& figure : variedFigures(base)) {
        if (figure.name.empty())
            continue;
        const bool has_letter = std::ranges::find(by_name, figure.key) == by_name.end();
        (has_letter ? letters : words) << toQString(has_letter ? figure.letter : figure.name);
    }
    words.prepend(letters.join(QLatin1Char(' ')));
    QStringList following;
    for (const std::string& key : followedKeys(layouts, base))
        following << figureOnScreen(toQString(key));
    return QStringLiteral("Varied: %1. Kept: %2")
               .arg(words.join(QStringLiteral(", ")), toQString(keptText(base)))
           + (following.isEmpty()
                  ? QString{}
                  : QStringLiteral(". Following the layout: ") + following.join(QStringLiteral(", ")));
}

QString followingWords(const Scenario& base, const Layout& layout)
{
    return followingWords(base, withLayout(base, layout));
}

QString followingWords(const Scenario& base, const Scenario& made)
{
    const auto shown = [](const std::string& value) {
        return value == "true"    ? QStringLiteral("on")
               : value == "false" ? QStringLiteral("off")
                                  : toQString(value);
    };
    QStringList words;
    for (const ScenarioDifference& one : followingConventions(base, made))
        words << QStringLiteral("%1 %2 (now %3)")
                     .arg(figureOnScreen(toQString("conventions." + one.key)), shown(one.after),
                          shown(one.before));
    return words.join(QStringLiteral(", "));
}

QString ownLayoutClause(const LayoutsFound& layouts, const SweepPoint& own)
{
    const bool is_candidate = layouts.own->place <= layouts.fitting;
    return !own.fits      ? QStringLiteral("the one on screen does not fit")
           : is_candidate ? QStringLiteral("the one on screen is %1 of these").arg(placeOf(*layouts.own))
                          : QStringLiteral("the one on screen is slower than all of these");
}

QString ownLayoutWords(const LayoutsFound& layouts, const SweepPoint& own)
{
    if (!own.fits)
        return QStringLiteral("on screen: does not fit");
    if (layouts.own->place > layouts.fitting) // none of the candidates, which are all faster
        return QStringLiteral("on screen: slower than the %1 that fit").arg(groupedText(layouts.fitting));
    return QStringLiteral("on screen: %1 of the %2 that fit")
        .arg(placeOf(*layouts.own), groupedText(layouts.fitting));
}

} // namespace shardscope
