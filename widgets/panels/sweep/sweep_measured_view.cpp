#include "widgets/panels/sweep/sweep_measured_view.h"

#include "widgets/session/shown_text.h"

#include <algorithm>
#include <array>

namespace shardscope
{

namespace
{

struct GrowthWords {
    Growth growth;
    const char* name;
    const char* law;
    Hue hue;
};
// In the order in which they are stacked.
constexpr std::array growth_words{
    GrowthWords{Growth::matrix, "matrix", "s b h²", Hue::matrix},
    GrowthWords{Growth::attention, "attention", "s² b h", Hue::attention},
    GrowthWords{Growth::elementwise, "norm, elementwise", "s b h", Hue::elementwise},
    GrowthWords{Growth::other, "other", "stays", Hue::unknown},
    GrowthWords{Growth::step, "optimizer", "h²", Hue::optimizer},
    GrowthWords{Growth::activations, "activations sent", "s b h", Hue::tp},
    GrowthWords{Growth::gradients, "gradients sent", "h²", Hue::dp},
};

QString nameOf(const GrowthWords& words)
{
    return QString::fromUtf8(words.name);
}

// "h × 1.5, s × 2, b × 1": behind the number they would be hours and seconds.
QString timesText(const Resizing& times)
{
    const auto number = [](double factor) { return QString::number(factor, 'g', 3); };
    return QStringLiteral("h × %1, s × %2, b × %3")
        .arg(number(times.hidden), number(times.sequence), number(times.batch));
}

// What the bar of the scenario is, or why there is none.
QString ownText(const MeasuredSizes& measured, bool is_on_screen)
{
    if (!measured.has_scenario)
        return is_on_screen ? QStringLiteral("; pin the run's scenario to see the one in the form as a bar")
                            : QString{};
    const QString against =
        measured.is_against_pinned ? QStringLiteral("pinned one") : QStringLiteral("run's");
    const QString text =
        QStringLiteral("; scenario: %1 of the %2").arg(timesText(measured.sizes[1].times), against);
    return measured.is_other_layout ? text + QStringLiteral(", with the run's layers and layout") : text;
}

} // namespace

BarScene measuredSizesScene(const StudyAnswer& answer, const Theme& theme, bool is_on_screen)
{
    BarScene scene;
    const std::vector<MeasuredSize>& sizes = answer.measured.sizes;
    if (sizes.empty() || sizes.front().operators.total_s() <= 0.0) {
        scene.hint = QStringLiteral("Open a trace to see how its iteration grows with h, s and b");
        return scene;
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const OperatorSeconds& operators = sizes[i].operators;
        Bar bar;
        bar.centre = static_cast<double>(i);
        bar.thickness = 0.72;
        bar.most_pixels = 80.0;
        bar.is_marked = i == 0 || (i == 1 && answer.measured.has_scenario);
        bar.caption = secondsText(operators.total_s());
        for (const GrowthWords& words : growth_words)
            bar.segments.push_back({operators.exposed_s(words.growth), theme.colour(words.hue),
                                    i == 0 ? BarTexture::striped : BarTexture::solid, false, nameOf(words),
                                    secondsText(operators.exposed_s(words.growth))});
        scene.category_labels.push_back({bar.centre, sizes[i].name});
        scene.value_high = std::max(i == 0 ? 0.0 : scene.value_high, 1.06 * operators.total_s());
        scene.bars.push_back(std::move(bar));
    }
    scene.category_low = -0.5;
    scene.category_high = static_cast<double>(sizes.size()) - 0.5;
    scene.category_title =
        QStringLiteral("times hidden size h, sequence length s, sequences of an iteration b");
    scene.unit = AxisUnit::seconds;
    const QString scores = sizes.front().operators.has_scores
                               ? QStringLiteral("; attention is not fused: too short where s grows")
                               : QString{};
    scene.note = QStringLiteral("rank %1 without idle time, each operator by its own law%2%3")
                     .arg(answer.measured.rank)
                     .arg(scores, ownText(answer.measured, is_on_screen));
    return scene;
}

QString measuredSizesSentence(const StudyAnswer& answer, int bar, int segment)
{
    const MeasuredSize& size = answer.measured.sizes[static_cast<std::size_t>(bar)];
    const GrowthWords& words = growth_words[static_cast<std::size_t>(segment)];
    const auto place = static_cast<std::size_t>(words.growth);
    QString text = QStringLiteral("%1, %2: %3 of %4, grows as %5")
                       .arg(size.name, nameOf(words), secondsText(size.operators.exposed_s(words.growth)),
                            secondsText(size.operators.total_s()), QString::fromUtf8(words.law));
    if (size.operators.hidden_s[place] > 0.0)
        text += QStringLiteral("; %1 more behind compute").arg(secondsText(size.operators.hidden_s[place]));
    if (bar == 1 && answer.measured.has_scenario)
        return text + QStringLiteral("; %1").arg(timesText(size.times));
    if (size.times.batch != 1.0)
        text += QStringLiteral("; as many micro-batches as measured, each of %1 times the sequences")
                    .arg(size.times.batch);
    return text;
}

std::vector<LegendChip> measuredSizesLegend(const StudyAnswer& answer, const Theme& theme)
{
    std::vector<LegendChip> chips;
    for (const GrowthWords& words : growth_words) {
        const bool is_there = std::ranges::any_of(answer.measured.sizes, [&](const MeasuredSize& size) {
            return size.operators.exposed_s(words.growth) > 0.0;
        });
        if (is_there)
            chips.push_back({.id = -1, .text = nameOf(words), .colour = theme.colour(words.hue)});
    }
    return chips;
}

TableRows measuredSizesTable(const StudyAnswer& answer)
{
    QStringList head{QStringLiteral("size"), QStringLiteral("h"), QStringLiteral("s"), QStringLiteral("b"),
                     QStringLiteral("total_s")};
    for (const GrowthWords& words : growth_words)
        head << nameOf(words) + QStringLiteral(" (exposed_s)")
             << nameOf(words) + QStringLiteral(" (hidden_s)");
    TableRows table{head};
    const auto number = [](double value) { return QString::number(value, 'g', 9); };
    for (const MeasuredSize& size : answer.measured.sizes) {
        QStringList row{size.name, number(size.times.hidden), number(size.times.sequence),
                        number(size.times.batch), number(size.operators.total_s())};
        for (const GrowthWords& words : growth_words)
            row << number(size.operators.exposed_s(words.growth))
                << number(size.operators.hidden_s[static_cast<std::size_t>(words.growth)]);
        table.push_back(row);
    }
    return table;
}

} // namespace shardscope
