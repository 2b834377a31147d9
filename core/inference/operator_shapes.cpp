#include "core/inference/operator_shapes.h"

#include "core/analysis/gpu_time/profiler_steps.h"
#include "core/import/chrome/event_arguments.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

namespace shardscope
{

namespace
{

std::vector<EventIndex> eventsOf(const TraceStore& store, std::span<const std::string_view> names)
{
    std::set<NameId> wanted;
    for (std::size_t id = 0; id < store.names().size(); ++id)
        if (std::ranges::find(names, store.names().text(static_cast<NameId>(id))) != names.end())
            wanted.insert(static_cast<NameId>(id));
    const std::vector<ProfilerStep> steps = profilerSteps(store);
    std::vector<EventIndex> events;
    for (std::uint32_t row = 0; row < store.size(); ++row) {
        const EventIndex event{row};
        if (!wanted.contains(store.nameId(event)))
            continue;
        const TraceTime start = store.start(event);
        if (steps.empty() || (start >= steps.front().start && start < steps.back().end))
            events.push_back(event);
    }
    return events;
}

// Whether events lie within one that PyTorch's autograd runs: what a layer computes there it computes again.
class BackwardPass
{
public:
    explicit BackwardPass(const TraceStore& store) : m_store{store}
    {
        const NameTable& names = store.names();
        std::vector<bool> is_backward(names.size());
        for (std::uint32_t id = 0; id < names.size(); ++id)
            is_backward[id] = names.text(NameId{id}).starts_with(run_by_autograd);
        for (const Track& track : store.tracks()) {
            m_spans.emplace_back();
            for (std::uint32_t i = 0; i < track.count; ++i) {
                const EventIndex event{static_cast<std::uint32_t>(track.first) + i};
                if (is_backward[static_cast<std::size_t>(store.nameId(event))])
                    addSpan(store.start(event), store.end(event));
            }
        }
    }

    bool has(EventIndex event) const
    {
        const std::vector<Span>& spans = m_spans[static_cast<std::size_t>(m_store.track(event))];
        const TraceTime start = m_store.start(event);
        const auto after = std::ranges::upper_bound(spans, start, {}, &Span::start);
        return after != spans.begin() && start < std::prev(after)->end;
    }

private:
    struct Span {
        TraceTime start = 0;
        TraceTime end = 0;
    };
    static constexpr std::string_view run_by_autograd = "autograd::engine::evaluate_function";

    // Of the last track; by start, those within others left out.
    void addSpan(TraceTime start, TraceTime end)
    {
        std::vector<Span>& spans = m_spans.back();
        if (spans.empty() || start >= spans.back().end)
            spans.push_back({start, end});
        else
            spans.back().end = std::max(spans.back().end, end);
    }

    const TraceStore& m_store;
    std::vector<std::vector<Span>> m_spans; // by track
};

// "[\"float\", \"c10::Half\"]": the first of them.
std::string firstWord(std::string_view list)
{
    const std::size_t from = list.find('"');
    const std::size_t to = from == std::string_view::npos ? from : list.find('"', from + 1);
    return to == std::string_view::npos ? std::string{} : std::string{list.substr(from + 1, to - from - 1)};
}

} // namespace

bool OperatorShape::isOneOf(std::span<const std::string_view> names) const
{
    return std::ranges::find(names, name) != names.end();
}

const Shape& OperatorShape::input(std::size_t index) const
{
    static const Shape none;
    return index < inputs.size() ? inputs[index] : none;
}

std::vector<Shape> shapesFromText(std::string_view text)
{
    std::vector<Shape> shapes;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char letter = text[i];
        if (letter == '[' && ++depth == 2)
            shapes.emplace_back();
        else if (letter == ']')
            --depth;
        else if (depth == 2 && letter >= '0' && letter <= '9') {
            std::int64_t number = 0;
            const char* const begin = text.data() + i;
            const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
            if (error != std::errc{})
                return {};
            shapes.back().push_back(number);
            i += static_cast<std::size_t>(end - begin) - 1;
        }
    }
    return shapes;
}

Result<std::vector<OperatorShape>> readOperatorShapes(const TraceFile& file,
                                                      std::span<const std::string_view> names)
{
    std::vector<OperatorShape> shapes;
    if (!file.store)
        return shapes;
    struct Count {
        std::int64_t outside = 0;
        std::int64_t repeated = 0;
    };
    std::map<std::tuple<std::string, std::string, std::string>, Count> counts;
    const BackwardPass backward{*file.store};
    const auto take = [&](EventIndex event, const std::vector<EventArgument>& arguments) {
        std::string dimensions;
        std::string types;
        for (const EventArgument& argument : arguments) {
            if (argument.name == "Input Dims")
                dimensions = argument.value;
            if (argument.name == "Input type")
                types = argument.value;
        }
        if (dimensions.empty())
            return;
        Count& count = counts[{std::string{file.store->name(event)}, dimensions, firstWord(types)}];
        ++(backward.has(event) ? count.repeated : count.outside);
    };
    if (const auto error = readEventArguments(file, eventsOf(*file.store, names), take))
        return *error;
    for (const auto& [key, count] : counts)
        shapes.push_back({std::get<0>(key), shapesFromText(std::get<1>(key)), std::get<2>(key), count.outside,
                          count.repeated});
    return shapes;
}

} // namespace shardscope
