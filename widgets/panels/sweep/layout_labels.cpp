#include "widgets/panels/sweep/layout_labels.h"

#include "widgets/session/shown_text.h"

#include "core/prediction/memory/memory.h"
#include "core/report/search_report.h"
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

NamedDegrees namedDegrees(const std::vector<Layout>& layouts, const Parallel& own)
{
    const auto any = [&](std::int64_t Parallel::*degree) {
        return own.*degree > 1 || std::any_of(layouts.begin(), layouts.end(), [&](const Layout& layout) {
                   return layout.parallel.*degree > 1;
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

// What a search varies beside the degrees.
struct Part {
    const char* meaning;
    QString (*words)(const Layout&);
    QString (*common)(const Layout&); // where all layouts are alike in it; empty: that goes without saying
};

QString recomputeWords(const Layout& layout)
{
    return QStringLiteral("r ") + toQString(word(layout.recompute));
}

QString commonRecompute(const Layout& layout)
{
    return (layout.recompute == Recompute::none ? QStringLiteral("no") : toQString(word(layout.recompute)))
           + QStringLiteral(" recomputation");
}

constexpr std::array parts{
    Part{"b micro-batch",
         [](const Layout& layout) { return QStringLiteral("b%1").arg(layout.micro_batch_size); },
         [](const Layout& layout) { return QStringLiteral("micro-batch %1").arg(layout.micro_batch_size); }},
    Part{"v virtual stages",
         [](const Layout& layout) { return QStringLiteral("v%1").arg(layout.parallel.virtual_stages); },
         [](const Layout& layout) {
             return layout.parallel.virtual_stages > 1
                        ? QStringLiteral("virtual stages %1").arg(layout.parallel.virtual_stages)
                        : QString{};
         }},
    Part{"z ZeRO stage",
         [](const Layout& layout) { return QStringLiteral("z%1").arg(layout.parallel.zero_stage); },
         [](const Layout& layout) { return QStringLiteral("ZeRO %1").arg(layout.parallel.zero_stage); }},
    Part{"sp sequence parallel",
         [](const Layout& layout) {
             return layout.parallel.sequence_parallel ? QStringLiteral("sp") : QStringLiteral("no sp");
         },
         [](const Layout& layout) {
             return layout.parallel.sequence_parallel ? QStringLiteral("sequence parallel") : QString{};
         }},
    Part{"r recomputation", recomputeWords, commonRecompute},
};

// The parts in which they are not all alike.
std::array<bool, parts.size()> differingParts(const std::vector<Layout>& layouts)
{
    std::array<bool, parts.size()> differs{};
    for (std::size_t i = 0; i < parts.size(); ++i)
        differs[i] = std::any_of(layouts.begin(), layouts.end(), [&](const Layout& layout) {
            return parts[i].words(layout) != parts[i].words(layouts.front());
        });
    return differs;
}

QString titleOf(const std::vector<Layout>& layouts, const NamedDegrees& named, bool some_are_full)
{
    const auto differs = differingParts(layouts);
    QStringList meanings{degreesMeaning(named)};
    QStringList common;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (differs[i])
            meanings << QString::fromUtf8(parts[i].meaning);
        else if (const QString words = parts[i].common(layouts.front()); !words.isEmpty())
            common << words;
    }
    if (some_are_full)
        meanings << QStringLiteral("! may run out of memory");
    return QStringLiteral("from fastest to smallest: ") + meanings.join(QStringLiteral(", "))
           + (common.isEmpty() ? QString{}
                               : QStringLiteral("; all with ") + common.join(QStringLiteral(", ")));
}

} // namespace

LayoutLabels layoutLabels(const std::vector<SweepPoint>& points, const Parallel& own)
{
    std::vector<Layout> layouts;
    for (const SweepPoint& point : points)
        layouts.push_back(layoutOf(point.scenario));
    LayoutLabels result;
    if (layouts.empty())
        return result;
    const NamedDegrees named = namedDegrees(layouts, own);
    const auto differs = differingParts(layouts);
    bool some_are_full = false;
    for (std::size_t place = 0; place < layouts.size(); ++place) {
        const bool is_full = isNearlyFull(points[place].device_bytes, points[place].scenario.cluster);
        some_are_full = some_are_full || is_full;
        QStringList words;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (differs[i])
                words << parts[i].words(layouts[place]);
        const QString degrees =
            degreesLabel(layouts[place].parallel, named) + (is_full ? QStringLiteral(" !") : QString{});
        result.labels.push_back(words.isEmpty() ? degrees : degrees + '\n' + words.join(QLatin1Char(' ')));
    }
    result.title = titleOf(layouts, named, some_are_full);
    return result;
}

QString searchedWords(const Scenario& base)
{
    QStringList varied;
    for (const VariedFigure& figure : variedFigures(base))
        varied << toQString(figure.letter);
    return QStringLiteral("varied %1; kept %2").arg(varied.join(QLatin1Char(' ')), toQString(keptText(base)));
}

} // namespace shardscope
