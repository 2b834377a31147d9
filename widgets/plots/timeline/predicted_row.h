#pragma once

#include "core/prediction/timeline/pass_parts.h"
#include "widgets/plots/timeline/lane_bars.h"
#include "widgets/plots/timeline/row_sums.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace shardscope
{

// What a pass of a micro-batch shows in one row of its stage, the same for all micro-batches.
struct PassPattern {
    struct Share {
        LanePaint paint = LanePaint::other;
        double of_pass = 0.0; // at most 1
    };
    std::vector<LaneSpan> parts; // from the start of the pass; source: row of the parts that it was made of
    PaintDurations sums{};
    std::vector<Share> shares; // what it looks like from afar
    TraceTime duration_ns = 1; // of the pass
};

// The parts of a pass that belong into a row, as `paint` has them; nothing: not into this one.
PassPattern patternOf(const std::vector<PassPart>& parts, double pass_s,
                      const std::function<std::optional<LanePaint>(const PassPart&)>& paint);

// A row of a predicted stage: spans, and passes that show their parts where those of every pass are wide
// enough on screen, so that all lanes show as much. A bar is a span, a pass, or a part of one.
class PredictedRow
{
public:
    using Patterns = std::shared_ptr<const std::vector<PassPattern>>; // by pass
    enum class FromAfar : unsigned char { bar, shares };              // what a pass looks like

    PredictedRow(Patterns patterns, FromAfar passes);

    // In order; they do not overlap. `pass`: row of the patterns, below 0 for a span that is none.
    void add(const LaneSpan& span, int pass = -1);
    bool isEmpty() const { return m_spans.empty(); }

    void draw(const TimeRange& range, int width, LanePicture& picture) const;
    // The bar that fills most of a pixel column, as it is drawn; no_span: none.
    std::uint32_t barAt(const TimeRange& range, int width, int column) const;
    // A bar's place; source: row of the timeline's spans.
    LaneSpan bar(std::uint32_t bar) const;
    // Which of the pass's parts a bar is; nothing: it is no part.
    std::optional<std::size_t> part(std::uint32_t bar) const;
    // The pass that a bar is, or is a part of; below 0: none.
    int pass(std::uint32_t bar) const { return m_pass[place(bar).first]; }
    // The bar of a row of the timeline's spans; no_span: it is in another row.
    std::uint32_t barOf(std::uint32_t source) const;
    // Calls visit(bar) for those with some part in the range: of passes their parts, or the passes.
    void forEachBar(const TimeRange& range, bool parts,
                    const std::function<void(std::uint32_t)>& visit) const;
    std::size_t partCount(const TimeRange& range) const;
    // Adds what lies in the range, cut at its edges.
    void addDurations(const TimeRange& range, PaintDurations& durations) const;

private:
    static constexpr std::uint32_t part_bit = 0x8000'0000;

    const PassPattern* pattern(std::size_t span) const
    {
        return m_pass[span] < 0 ? nullptr : &(*m_patterns)[static_cast<std::size_t>(m_pass[span])];
    }
    // Pre: the span is a pass with parts.
    const std::vector<LaneSpan>& partsOf(std::size_t span) const
    {
        return (*m_patterns)[static_cast<std::size_t>(m_pass[span])].parts;
    }
    // Span and part of a bar.
    std::pair<std::size_t, std::size_t> place(std::uint32_t bar) const;
    std::uint32_t barOfPart(std::size_t span, std::size_t part) const
    {
        return part_bit | (m_first_part[span] + static_cast<std::uint32_t>(part));
    }
    bool showsParts(const TimeRange& range, int width) const;
    static void drawShares(const LaneSpan& span, const PassPattern& pattern, PictureWriter& writer);

    Patterns m_patterns;
    FromAfar m_passes;
    double m_part_ns = 0.0; // on average, in the pass whose parts are shortest; 0: none has parts
    std::vector<LaneSpan> m_spans;
    std::vector<int> m_pass;                 // of each span
    std::vector<std::uint32_t> m_first_part; // of each span, among those of all
    std::uint32_t m_parts = 0;
};

} // namespace shardscope
