// What the histogram of message sizes draws: its bars, ghosts and axes.
#include "widgets/panels/messages/message_histogram_panel.h"
#include "widgets/session/shown_text.h"

#include "widgets/panels/picture/selection_steps.h"
#include "widgets/plots/bars/bar_chart.h"
#include "widgets/plots/theme.h"

#include <algorithm>
#include <cmath>

namespace shardscope
{

BarScene MessageHistogramPanel::scene()
{
    BarScene scene;
    m_sources.clear();
    if (m_predicted.empty() && m_measured.empty()) {
        scene.hint =
            !m_content.predicted ? QStringLiteral("Set a valid scenario to see its messages")
            : m_content.measured ? QStringLiteral("Neither the scenario nor the traces show any messages")
            : m_content.predicted->prediction.world_size > 1
                ? QStringLiteral("This rank sends no messages")
                : QStringLiteral("One GPU sends no messages: raise tensor, pipeline or data parallelism");
        return scene;
    }
    appendGhosts(scene);
    appendBars(scene, false);
    appendBars(scene, true);
    setAxes(scene);
    scene.note = note();
    return scene;
}

QString MessageHistogramPanel::whose() const
{
    if (m_selection.rank)
        return QStringLiteral("rank %1").arg(*m_selection.rank);
    if (m_content.measured)
        return QStringLiteral("all ranks that were read");
    return QStringLiteral("all %1 ranks").arg(m_content.predicted->prediction.world_size);
}

// Kinds of one size lie on one another where heights can be added, and stand side by side on a logarithmic
// axis, where the upper ones of a stack would have no length.
std::vector<MessageHistogramPanel::Slot> MessageHistogramPanel::slotsOf(const SizeBin& bin, double centre,
                                                                        double thickness) const
{
    std::vector<Slot> all;
    for (int k = 0; k < kind_count; ++k) {
        const auto has = [&](const std::vector<SizeBin>& bins) {
            const auto same = std::ranges::find(bins, bin.exponent, &SizeBin::exponent);
            return same != bins.end() && same->count[static_cast<std::size_t>(k)] > 0.0;
        };
        if (has(m_predicted) || has(m_pinned) || has(m_measured))
            all.push_back({static_cast<Kind>(k), centre, thickness});
    }
    if (!m_is_logarithmic)
        return all;
    const double each = thickness / static_cast<double>(all.size());
    double left = centre - thickness / 2.0;
    for (Slot& slot : all) {
        slot.centre = all.size() == 1 ? centre : left + each / 2.0;
        slot.thickness = each;
        left += each;
    }
    return all;
}

void MessageHistogramPanel::appendGhosts(BarScene& scene) const
{
    const Theme theme{palette()};
    const auto append = [&](double centre, double thickness, double height) {
        Bar ghost;
        ghost.centre = centre;
        ghost.thickness = thickness;
        ghost.is_ghost = true;
        ghost.segments.push_back({height, theme.faintText(), BarTexture::outline, false, {}, {}});
        scene.bars.push_back(std::move(ghost));
    };
    for (const SizeBin& bin : m_pinned) {
        const double centre = m_measured.empty() ? bin.exponent : bin.exponent - 0.22;
        const double thickness = m_measured.empty() ? 0.96 : 0.5;
        if (!m_is_logarithmic) {
            append(centre, thickness, bin.height(m_height));
            continue;
        }
        for (const Slot& slot : slotsOf(bin, centre, thickness))
            if (bin.count[static_cast<std::size_t>(slot.kind)] > 0.0)
                append(slot.centre, slot.thickness, bin.height(m_height, slot.kind));
    }
}

void MessageHistogramPanel::appendBars(BarScene& scene, bool is_measured)
{
    const std::vector<SizeBin>& bins = is_measured ? m_measured : m_predicted;
    m_sources.resize(scene.bars.size());
    for (std::size_t i = 0; i < bins.size(); ++i) {
        const double centre = bins[i].exponent + (m_measured.empty() ? 0.0 : (is_measured ? 0.22 : -0.22));
        bool is_first = true;
        for (const Slot& slot : slotsOf(bins[i], centre, m_measured.empty() ? 0.78 : 0.4)) {
            if (!(bins[i].count[static_cast<std::size_t>(slot.kind)] > 0.0))
                continue;
            if (is_first || m_is_logarithmic) {
                Bar bar;
                bar.centre = slot.centre;
                bar.thickness = slot.thickness;
                scene.bars.push_back(std::move(bar));
                m_sources.push_back({is_measured, i, {}});
            }
            is_first = false;
            scene.bars.back().segments.push_back(segmentOf(bins[i], slot.kind, is_measured));
            m_sources.back().kinds.push_back(slot.kind);
        }
    }
}

BarSegment MessageHistogramPanel::segmentOf(const SizeBin& bin, Kind kind, bool is_measured) const
{
    const std::optional<Kind> marked = markedKind(m_selection);
    const bool holds_message =
        !m_selection.message
        || std::any_of(bin.messages.begin(), bin.messages.end(),
                       [this](const MessageCount& m) { return m.key == *m_selection.message; });
    return {bin.height(m_height, kind),
            Theme{palette()}.colour(kind),
            is_measured ? BarTexture::striped : BarTexture::solid,
            (marked && *marked != kind) || !holds_message,
            {},
            {}};
}

void MessageHistogramPanel::setAxes(BarScene& scene) const
{
    int first = 1000;
    int last = 0;
    double highest = 1.0;
    for (const std::vector<SizeBin>* bins : {&m_predicted, &m_pinned, &m_measured})
        for (const SizeBin& bin : *bins) {
            first = std::min(first, bin.exponent);
            last = std::max(last, bin.exponent);
            highest = std::max(highest, bin.height(m_height));
        }
    const int last_of_bars = last;
    // A few sizes alone still stand on an axis of sizes.
    constexpr int least_bins = 8;
    for (int missing = least_bins - (last - first + 1); missing > 0; --missing) {
        if (missing % 2 == 0 && first > 0)
            --first;
        else
            ++last;
    }
    scene.category_low = first - 0.5;
    scene.category_high = last + 0.5;
    // A label stands at the lower border of its bin: the power of two itself.
    for (int exponent = first; exponent <= last_of_bars; ++exponent)
        scene.category_labels.push_back({exponent - 0.5, bytesText(std::exp2(exponent))});
    scene.keeps_last_label = true;
    scene.category_title = QStringLiteral("message size");
    scene.value_title =
        (m_height == HistogramHeight::bytes ? QStringLiteral("bytes of ") : QStringLiteral("calls of "))
        + whose();
    scene.unit = m_height == HistogramHeight::bytes ? AxisUnit::bytes : AxisUnit::count;
    scene.is_logarithmic = m_is_logarithmic;
    if (m_is_logarithmic) {
        scene.value_low = 0.5; // one call is as high as two are higher
        scene.value_high = highest * std::pow(highest / scene.value_low, 0.06);
    } else {
        scene.value_high = ceilingTick(highest, scene.unit);
    }
}

} // namespace shardscope
