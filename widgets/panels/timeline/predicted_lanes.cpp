#include "widgets/panels/timeline/predicted_lanes.h"

#include "core/base/nanoseconds.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace shardscope
{

namespace
{

// Chunks are counted from 1 on where they are named.
LanePaint ofChunk(LanePaint paint, int chunk)
{
    if (chunk % 2 == 0)
        return paint;
    return paint == LanePaint::forward ? LanePaint::forward_of_even_chunk : LanePaint::backward_of_even_chunk;
}

LanePaint paintOf(const TimelineSpan& span)
{
    switch (span.activity) {
    case Activity::forward:
        return ofChunk(LanePaint::forward, span.chunk);
    case Activity::backward:
        return span.phase == Phase::step ? LanePaint::optimizer : ofChunk(LanePaint::backward, span.chunk);
    case Activity::weight_gradient:
        return LanePaint::weight_gradient;
    case Activity::bubble:
        return LanePaint::bubble;
    case Activity::communication:
        break;
    }
    return paintOf(span.kind);
}

// What is computed again looks like the forward pass that it repeats.
LanePaint paintOf(const PassPart& part, int chunk)
{
    if (part.is_message)
        return paintOf(part.kind);
    return ofChunk(part.phase == Phase::backward ? LanePaint::backward : LanePaint::forward, chunk);
}

int chunkOf(const PredictedTimeline& timeline, std::size_t pass)
{
    const std::size_t place = pass / pass_form_count;
    return static_cast<int>(place) / timeline.stages;
}

PredictedRow::Patterns patternsOf(const PredictedTimeline& timeline, StageRow row)
{
    auto patterns = std::make_shared<std::vector<PassPattern>>();
    patterns->reserve(timeline.passes.size());
    for (std::size_t i = 0; i < timeline.passes.size(); ++i) {
        const PassParts& pass = timeline.passes[i];
        const int chunk = chunkOf(timeline, i);
        patterns->push_back(patternOf(partsIn(pass, row), pass.duration_s,
                                      [row, chunk](const PassPart& part) -> std::optional<LanePaint> {
                                          if (part.is_message == (row == StageRow::computing))
                                              return std::nullopt;
                                          return paintOf(part, chunk);
                                      }));
    }
    return patterns;
}

bool haveParts(const PredictedRow::Patterns& patterns)
{
    return std::ranges::any_of(*patterns, [](const PassPattern& pattern) { return !pattern.parts.empty(); });
}

LaneSpan placeOf(double start_s, double end_s, LanePaint paint, std::size_t source)
{
    const TraceTime start = nanoseconds(start_s);
    return {start, nanoseconds(end_s) - start, paint, static_cast<std::uint32_t>(source)};
}

// Fills the rows of all stages from the spans of the timeline.
class RowsMaker
{
public:
    explicit RowsMaker(PredictedLanes& lanes) : m_lanes{lanes}, m_timeline{lanes.timeline}
    {
        for (const StageRow row : {StageRow::computing, StageRow::messages, StageRow::beneath})
            m_patterns[static_cast<std::size_t>(row)] = patternsOf(m_timeline, row);
        m_lanes.shown = {StageRow::computing, StageRow::messages};
        if (haveParts(m_patterns[static_cast<std::size_t>(StageRow::beneath)]))
            m_lanes.shown.push_back(StageRow::beneath);
        if (!m_timeline.sends.empty())
            m_lanes.shown.push_back(StageRow::sends);
        if (!m_timeline.hidden.empty())
            m_lanes.shown.push_back(StageRow::replicas);
        m_lanes.stages.resize(static_cast<std::size_t>(m_timeline.stages));
        for (std::vector<PredictedRow>& rows : m_lanes.stages)
            for (const StageRow row : m_lanes.shown)
                rows.emplace_back(m_patterns[static_cast<std::size_t>(row)],
                                  row == StageRow::computing ? PredictedRow::FromAfar::bar
                                                             : PredictedRow::FromAfar::shares);
    }

    void make()
    {
        for (std::size_t i = 0; i < m_timeline.spans.size(); ++i)
            addSpan(i);
        addBeneath(StageRow::sends, sendsInTurn(m_timeline));
        addBeneath(StageRow::replicas, m_timeline.hidden);
    }

private:
    void addBeneath(StageRow row, const std::vector<TimelineSpan>& spans)
    {
        const auto shown = std::ranges::find(m_lanes.shown, row);
        for (std::size_t i = 0; i < spans.size(); ++i)
            if (spans[i].duration_s > 0.0)
                rowsOf(spans[i])[static_cast<std::size_t>(shown - m_lanes.shown.begin())].add(
                    placeOf(spans[i].start_s, spans[i].end_s(), paintOf(spans[i]), i));
    }

    std::vector<PredictedRow>& rowsOf(const TimelineSpan& span)
    {
        return m_lanes.stages[static_cast<std::size_t>(span.stage)];
    }

    // Messages that the timeline puts behind a pass are in its parts.
    void addSpan(std::size_t source)
    {
        const TimelineSpan& span = m_timeline.spans[source];
        if (span.stage != m_stage) {
            m_stage = span.stage;
            m_pass_end_s = 0.0;
        }
        if (span.start_s + 0.5 * span.duration_s < m_pass_end_s)
            return;
        std::vector<PredictedRow>& rows = rowsOf(span);
        if (span.pass < 0) {
            const std::size_t row = span.activity == Activity::communication ? 1 : 0;
            rows[row].add(placeOf(span.start_s, span.end_s(), paintOf(span), source));
            return;
        }
        const PassParts& pass = m_timeline.passes[static_cast<std::size_t>(span.pass)];
        m_pass_end_s = span.start_s + pass.duration_s;
        const LaneSpan place = placeOf(span.start_s, m_pass_end_s, paintOf(span), source);
        for (std::size_t row = 0; row < rows.size(); ++row)
            if (m_lanes.shown[row] != StageRow::sends && m_lanes.shown[row] != StageRow::replicas)
                rows[row].add(place, span.pass);
    }

    PredictedLanes& m_lanes;
    const PredictedTimeline& m_timeline;
    PredictedRow::Patterns m_none = std::make_shared<const std::vector<PassPattern>>();
    std::array<PredictedRow::Patterns, stage_row_count> m_patterns{nullptr, nullptr, nullptr, m_none, m_none};
    int m_stage = -1;
    double m_pass_end_s = 0.0;
};

// What kinds of messages passes send: of one kind some may be of passes (a reported loss) and some not.
using PassMessages = std::set<std::tuple<Kind, Op, Phase>>;

// What a rank sends in a pass; messages between stages are not among it.
class PassBytes
{
public:
    // A part's bytes, from the start of the pass.
    struct Sent {
        Kind kind = Kind::unknown;
        double start_s = 0.0;
        double end_s = 0.0;
        double bytes = 0.0;
    };

    explicit PassBytes(const PassParts& pass)
    {
        struct Sum {
            double seconds = 0.0;
            double bytes = 0.0;
        };
        std::map<Calls, Sum> sums;
        eachMessage(pass, [&](const PassPart& part) {
            Sum& sum = sums[callsOf(part)];
            sum.seconds += part.duration_s;
            sum.bytes += part.is_rest ? 0.0 : bytesOf(part);
            m_bytes[part.kind] += part.is_rest ? 0.0 : bytesOf(part);
            m_messages.emplace(part.kind, part.op, part.phase);
        });
        // What of calls is hidden stands beside what is not: both have their part by their time.
        eachMessage(pass, [&](const PassPart& part) {
            const Sum& sum = sums[callsOf(part)];
            const double bytes = sum.seconds > 0.0 ? sum.bytes * part.duration_s / sum.seconds
                                 : part.is_rest    ? 0.0
                                                   : bytesOf(part);
            m_sent.push_back({part.kind, part.start_s, part.end_s(), bytes});
        });
    }
    const std::map<Kind, double>& bytes() const { return m_bytes; }
    const std::vector<Sent>& sent() const { return m_sent; }
    const PassMessages& messages() const { return m_messages; }

private:
    // Parts of the same calls, one of them hidden, agree in all of it; so do calls of a layer that are alike.
    using Calls = std::tuple<int, Kind, Op, Phase, std::string_view, std::int64_t, double>;
    static Calls callsOf(const PassPart& part)
    {
        return {part.layer, part.kind, part.op, part.phase, part.what, part.message_bytes, part.calls};
    }
    static double bytesOf(const PassPart& part)
    {
        return part.calls * wireBytes(part.op, part.group_size, part.message_bytes);
    }
    template<class Visit>
    static void eachMessage(const PassParts& pass, Visit visit)
    {
        for (const std::vector<PassPart>* parts : {&pass.in_turn, &pass.beside})
            for (const PassPart& part : *parts)
                if (part.is_message)
                    visit(part);
    }

    std::map<Kind, double> m_bytes;
    std::vector<Sent> m_sent;
    PassMessages m_messages;
};

// What one rank sends once in an iteration, by kind: gradients and parameters that no pass sends.
std::map<Kind, double> bytesOfStep(const StagePrediction& stage, const PassMessages& of_passes)
{
    std::map<Kind, double> bytes;
    for (const Message& message : stage.messages) {
        if (isOfReplicas(message.kind)
            && (message.phase == Phase::step
                || !of_passes.contains({message.kind, message.op, message.phase})))
            bytes[Kind::dp] += message.wire_bytes;
    }
    return bytes;
}

// What one rank sends in the calls of a span.
double sentBytes(const TimelineSpan& span, const Prediction& prediction)
{
    for (const Message& message : prediction.stages[static_cast<std::size_t>(span.stage)].messages)
        if (message.kind == span.kind && message.message_bytes == span.message_bytes
            && message.phase == span.phase && message.op != Op::recv && message.count > 0)
            return message.wire_bytes / static_cast<double>(message.count) * static_cast<double>(span.count);
    return 0.0;
}

class TrafficMaker
{
public:
    TrafficMaker(const PredictedTimeline& timeline, const PredictedScenario& predicted)
        : m_timeline{timeline}, m_prediction{predicted.prediction}
    {
        const Parallel& parallel = predicted.scenario.parallel;
        m_ranks = static_cast<double>(parallel.tensor * parallel.context * parallel.data);
        for (const PassParts& pass : timeline.passes) {
            m_passes.emplace_back(pass);
            m_of_passes.insert(m_passes.back().messages().begin(), m_passes.back().messages().end());
        }
        m_is_fine = isFine();
    }

    std::map<Kind, CumulativeBytes> make()
    {
        for (const TimelineSpan& span : m_timeline.spans)
            if (span.pass >= 0)
                addPass(span);
            else if (isSentBetweenPasses(span))
                add(span.kind, span.start_s, span.end_s(), sentBytes(span, m_prediction));
        for (const TimelineSpan& span : m_timeline.sends)
            add(span.kind, span.start_s, span.end_s(), sentBytes(span, m_prediction));
        addSteps();
        std::map<Kind, CumulativeBytes> traffic;
        for (auto& [kind, list] : m_sendings)
            traffic[kind] = cumulative(std::move(list));
        return traffic;
    }

private:
    // Messages between stages, and of the step those by themselves; the replicas' are shared out by
    // addSteps().
    bool isSentBetweenPasses(const TimelineSpan& span) const
    {
        if (span.activity != Activity::communication)
            return false;
        return span.phase == Phase::step ? span.kind != Kind::dp
                                         : span.kind == Kind::pp || m_timeline.passes.empty();
    }

    void add(Kind kind, double start_s, double end_s, double bytes)
    {
        const TraceTime start = nanoseconds(start_s);
        m_sendings[kind].push_back({start, nanoseconds(end_s) - start, m_ranks * bytes});
    }

    // Where its messages stand; of very many passes evenly over each.
    void addPass(const TimelineSpan& span)
    {
        const auto pass = static_cast<std::size_t>(span.pass);
        if (!m_is_fine)
            for (const auto& [kind, bytes] : m_passes[pass].bytes())
                add(kind, span.start_s, span.start_s + m_timeline.passes[pass].duration_s, bytes);
        else
            for (const PassBytes::Sent& sent : m_passes[pass].sent())
                add(sent.kind, span.start_s + sent.start_s, span.start_s + sent.end_s, sent.bytes);
    }

    bool isFine() const
    {
        constexpr std::size_t most_parts = 30'000; // of a frame
        std::size_t parts = 0;
        for (const TimelineSpan& span : m_timeline.spans)
            if (span.pass >= 0) {
                const PassParts& pass = m_timeline.passes[static_cast<std::size_t>(span.pass)];
                parts += pass.in_turn.size() + pass.beside.size();
            }
        return parts <= most_parts;
    }

    // Over the time in which a stage sends them, seen and unseen.
    void addSteps()
    {
        std::vector<double> seconds(static_cast<std::size_t>(m_timeline.stages));
        forEachStep([&](const TimelineSpan& span) {
            seconds[static_cast<std::size_t>(span.stage)] += span.duration_s;
        });
        forEachStep([&](const TimelineSpan& span) {
            const auto stage = static_cast<std::size_t>(span.stage);
            const double share = span.duration_s / seconds[stage];
            for (const auto& [kind, bytes] : bytesOfStep(m_prediction.stages[stage], m_of_passes))
                add(kind, span.start_s, span.end_s(), share * bytes);
        });
    }

    template<class Visit>
    void forEachStep(Visit visit)
    {
        for (const std::vector<TimelineSpan>* spans : {&m_timeline.spans, &m_timeline.hidden})
            for (const TimelineSpan& span : *spans)
                if (span.activity == Activity::communication && span.phase == Phase::step
                    && isOfReplicas(span.kind))
                    visit(span);
    }

    const PredictedTimeline& m_timeline;
    const Prediction& m_prediction;
    double m_ranks = 1.0; // of a stage
    std::vector<PassBytes> m_passes;
    PassMessages m_of_passes;
    bool m_is_fine = false; // messages by themselves
    std::map<Kind, std::vector<Sending>> m_sendings;
};

} // namespace

std::shared_ptr<const PredictedLanes> predictedLanes(std::shared_ptr<const PredictedScenario> source)
{
    auto lanes = std::make_shared<PredictedLanes>();
    const PredictedScenario& predicted = *source;
    lanes->source = std::move(source);
    lanes->timeline = predictTimeline(predicted.scenario, predicted.prediction);
    lanes->iteration_ns = std::max<TraceTime>(1, nanoseconds(lanes->timeline.iteration_s));
    RowsMaker{*lanes}.make();
    lanes->traffic = TrafficMaker{lanes->timeline, predicted}.make();
    return lanes;
}

} // namespace shardscope
