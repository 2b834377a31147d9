#include "widgets/panels/scenario/figure_names.h"

#include "widgets/panels/scenario/scenario_figures.h"

#include "core/scenario/validation/validation.h"

#include <QHash>
#include <QRegularExpression>
#include <QStringList>

#include <variant>

namespace shardscope
{

namespace
{

// A name may be that of several keys: the one with the shortest path has it, unless another's is as short.
struct Claim {
    QString label;
    qsizetype depth = 0;
};
using Claims = QHash<QString, Claim>;

void claim(Claims& claims, const ScenarioFigure& figure)
{
    const QStringList path = QString{figure.key}.split('.');
    const QString label = QString::fromUtf8(figure.label);
    for (qsizetype from = 0; from < path.size(); ++from) {
        const QString name = path.mid(from).join('.');
        const Claim older = claims.value(name);
        if (older.depth == 0 || path.size() < older.depth)
            claims.insert(name, {label, path.size()});
        else if (older.depth == path.size() && older.label != label)
            claims[name].label.clear();
    }
}

const Claims& allClaims()
{
    static const Claims all = [] {
        Claims claims;
        for (const auto& sections : {everydaySections(), advancedSections()})
            for (const ScenarioSection& section : sections)
                for (const ScenarioControl& control : section.controls)
                    std::visit([&claims](const auto& each) { claim(claims, each.figure); }, control);
        return claims;
    }();
    return all;
}

QString labelOf(const QString& name, const QString& field)
{
    const Claims& claims = allClaims();
    const QString own = claims.value(field).label;
    const bool is_field = field == name || field.endsWith('.' + name);
    return is_field && !own.isEmpty() ? own : claims.value(name).label;
}

} // namespace

QString sentenceOnScreen(const Problem& problem)
{
    // Words without a line below are ordinary ones too: they are keys where a number follows or a sign.
    static const QRegularExpression key{
        R"(\b[a-z0-9]+(?:[_.][a-zA-Z0-9]+)+\b|\b[a-z]+(?= \(\d| is -?\d)|(?<=[*/] )[a-z]+\b|\b[a-z]+(?= [*/] ))"};
    const QString sentence = QString::fromStdString(problem.sentence);
    const QString field = QString::fromStdString(problem.field);
    QString shown;
    qsizetype end = 0;
    for (auto matches = key.globalMatch(sentence); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        const QString label = labelOf(match.captured(), field);
        shown += sentence.mid(end, match.capturedStart() - end);
        shown += label.isEmpty() ? match.captured() : label;
        end = match.capturedEnd();
    }
    return shown + sentence.mid(end);
}

QString warningOnScreen(const std::string& warning)
{
    return sentenceOnScreen({{}, warning});
}

QString figureOnScreen(const QString& key)
{
    const QString label = labelOf(key, key);
    return label.isEmpty() ? key : label;
}

std::optional<Dimension> dimensionOf(const QString& key)
{
    if (key == "parallel.pipeline")
        return Dimension::pp;
    if (key == "parallel.tensor")
        return Dimension::tp;
    if (key == "parallel.data")
        return Dimension::dp;
    if (key == "parallel.context")
        return Dimension::cp;
    return std::nullopt;
}

} // namespace shardscope
