#include "widgets/panels/sweep/layout_labels.h"

#include "core/sweep/layout_search.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

QString degreesText(const Parallel& parallel)
{
    return QStringLiteral("%1\u00b7%2\u00b7%3")
        .arg(parallel.pipeline)
        .arg(parallel.tensor)
        .arg(parallel.data);
}

// What a search varies beside the degrees. The meaning is empty where the words speak for themselves.
struct Part {
    const char* meaning;
    QString (*words)(const Layout&);
};

QString recomputeWords(const Layout& layout)
{
    switch (layout.recompute) {
    case Recompute::none:
        return QStringLiteral("keep");
    case Recompute::selective:
        return QStringLiteral("select");
    case Recompute::full:
        return QStringLiteral("full");
    }
    return {};
}

constexpr std::array parts{
    Part{"b micro-batch",
         [](const Layout& layout) { return QStringLiteral("b%1").arg(layout.micro_batch_size); }},
    Part{"v virtual stages",
         [](const Layout& layout) { return QStringLiteral("v%1").arg(layout.parallel.virtual_stages); }},
    Part{"z ZeRO stage",
         [](const Layout& layout) { return QStringLiteral("z%1").arg(layout.parallel.zero_stage); }},
    Part{"sp sequence parallel",
         [](const Layout& layout) {
             return layout.parallel.sequence_parallel ? QStringLiteral("sp") : QStringLiteral("no sp");
         }},
    Part{"full, select, keep: recomputed", recomputeWords},
};

} // namespace

LayoutLabels layoutLabels(const std::vector<SweepPoint>& points)
{
    std::vector<Layout> layouts;
    for (const SweepPoint& point : points)
        layouts.push_back(layoutOf(point.scenario));
    std::array<bool, parts.size()> is_used{};
    LayoutLabels result;
    for (const Layout& layout : layouts) {
        const QString degrees = degreesText(layout.parallel);
        QStringList differences;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const QString words = parts[i].words(layout);
            const bool differs = std::any_of(layouts.begin(), layouts.end(), [&](const Layout& other) {
                return degreesText(other.parallel) == degrees && parts[i].words(other) != words;
            });
            if (differs)
                differences << words;
            is_used[i] = is_used[i] || differs;
        }
        result.labels.push_back(differences.isEmpty() ? degrees : degrees + '\n' + differences.join(' '));
    }
    QStringList meanings{QStringLiteral("pipeline\u00b7tensor\u00b7data")};
    for (std::size_t i = 0; i < parts.size(); ++i)
        if (is_used[i])
            meanings << QString::fromUtf8(parts[i].meaning);
    result.title = QStringLiteral("from fastest to smallest: ") + meanings.join(QStringLiteral(", "));
    return result;
}

} // namespace shardscope
