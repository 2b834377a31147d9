#include "core/analysis/classification/classification.h"

#include "core/trace/step_mark.h"

#include <algorithm>
#include <array>
#include <optional>

namespace shardscope
{

namespace
{

// What a category alone tells. PyTorch 1.9 wrote Kernel, Memcpy, Memset, Operator, Runtime.
enum class CategorySort : std::uint8_t { kernel, memory, operation, cpu, runtime, annotation, other };

CategorySort sortOf(std::string_view category)
{
    struct Row {
        std::string_view name;
        CategorySort sort;
    };
    constexpr std::array rows{Row{"kernel", CategorySort::kernel},
                              Row{"gpu_memcpy", CategorySort::memory},
                              Row{"gpu_memset", CategorySort::memory},
                              Row{"memcpy", CategorySort::memory},
                              Row{"memset", CategorySort::memory},
                              Row{"cpu_op", CategorySort::operation},
                              Row{"operator", CategorySort::operation},
                              Row{"python_function", CategorySort::cpu},
                              Row{"runtime", CategorySort::runtime},
                              Row{"user_annotation", CategorySort::annotation},
                              Row{"gpu_user_annotation", CategorySort::annotation}};
    const std::string name = lowerCase(category);
    for (const Row& row : rows)
        if (row.name == name)
            return row.sort;
    if (name.ends_with("_runtime") || name.ends_with("_driver"))
        return CategorySort::runtime;
    return CategorySort::other;
}

// An answer for each name, asked once.
template<class Answer>
class ByName
{
public:
    explicit ByName(const NameTable& names) : m_answers(names.size()) {}
    template<class Ask>
    Answer get(NameId id, Ask ask)
    {
        auto& answer = m_answers[static_cast<std::size_t>(id)];
        if (!answer)
            answer = ask();
        return *answer;
    }

private:
    std::vector<std::optional<Answer>> m_answers;
};

// What a category says without the event's name.
EventClass classOf(CategorySort sort)
{
    switch (sort) {
    case CategorySort::kernel:
        return EventClass::compute;
    case CategorySort::memory:
        return EventClass::memory;
    case CategorySort::operation:
    case CategorySort::cpu:
        return EventClass::cpu;
    case CategorySort::runtime:
        return EventClass::runtime;
    case CategorySort::annotation:
        return EventClass::annotation;
    case CategorySort::other:
        break;
    }
    return EventClass::other;
}

// Operators that hand a call to a backend, in the thread that asks for it.
bool isDispatch(std::string_view operation)
{
    return operation.starts_with("c10d::") || operation.starts_with("c10d_functional::")
           || operation.starts_with("_c10d_functional::") || operation == "record_param_comms";
}

// Whether one of the sorted times lies in [from, to).
bool anyWithin(const std::vector<TraceTime>& times, TraceTime from, TraceTime to)
{
    const auto first = std::lower_bound(times.begin(), times.end(), from);
    return first != times.end() && *first < to;
}

// Turns the operators of a trace without GPU into compute. One that dispatches a call, or in which a call
// starts, waits for it: it stays cpu, and the operators inside it count. PyTorch's own aten operators never
// wait for one.
void countOperators(const TraceStore& store, std::vector<EventClass>& classes,
                    const std::vector<bool>& is_operation)
{
    std::vector<TraceTime> calls;
    for (std::size_t i = 0; i < store.size(); ++i)
        if (classes[i] == EventClass::communication)
            calls.push_back(store.starts()[i]);
    std::sort(calls.begin(), calls.end());
    for (const Track& track : store.tracks()) {
        const std::size_t first = static_cast<std::size_t>(track.first);
        const std::size_t last = first + track.count;
        std::vector<TraceTime> dispatched;
        for (std::size_t i = first; i < last; ++i)
            if (is_operation[i] && isDispatch(store.name(EventIndex{static_cast<std::uint32_t>(i)})))
                dispatched.push_back(store.starts()[i]);
        for (std::size_t i = first; i < last; ++i) {
            if (!is_operation[i] || classes[i] == EventClass::communication)
                continue;
            const TraceTime start = store.starts()[i];
            const TraceTime end = start + store.durations()[i];
            const std::string_view name = store.name(EventIndex{static_cast<std::uint32_t>(i)});
            if (name.starts_with(step_mark)) // a mark, whatever its category
                continue;
            const bool is_aten = name.starts_with("aten::");
            // A dispatch that takes no time still lies in [start, end].
            const bool waits = anyWithin(dispatched, start, std::max(end, start + 1))
                               || (!is_aten && anyWithin(calls, start, end));
            if (!waits)
                classes[i] = EventClass::compute;
        }
    }
}

} // namespace

bool isOperatorCategory(std::string_view category)
{
    return sortOf(category) == CategorySort::operation;
}

EventClasses::EventClasses(const TraceStore& store, const ClassificationRules& rules)
    : m_class(store.size(), EventClass::other)
{
    ByName<CategorySort> sorts{store.names()};
    ByName<bool> communicates{store.names()};
    const auto isCommunication = [&](NameId name) {
        return communicates.get(name, [&] { return rules.isCommunication(store.names().text(name)); });
    };
    std::vector<bool> is_operation(store.size());
    for (std::size_t i = 0; i < store.size(); ++i) {
        const NameId category = store.categoryIds()[i];
        const CategorySort sort = sorts.get(category, [&] { return sortOf(store.names().text(category)); });
        m_on_gpu = m_on_gpu || sort == CategorySort::kernel || sort == CategorySort::memory;
        is_operation[i] = sort == CategorySort::operation;
        m_class[i] = sort == CategorySort::kernel && isCommunication(store.nameIds()[i])
                         ? EventClass::communication
                         : classOf(sort);
    }
    // A kernel that itself says what it sends communicates, whatever its name. What a call launches beside it
    // may be copies into a flat buffer: there the name decides.
    for (const CollectiveCall& call : store.collectives())
        if (auto& of = m_class[static_cast<std::size_t>(call.event)];
            of == EventClass::compute && !call.is_of_launch)
            of = EventClass::communication;
    if (m_on_gpu)
        return;
    for (std::size_t i = 0; i < store.size(); ++i)
        if (m_class[i] == EventClass::annotation && isCommunication(store.nameIds()[i]))
            m_class[i] = EventClass::communication;
    countOperators(store, m_class, is_operation);
}

} // namespace shardscope
