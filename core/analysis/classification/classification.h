#pragma once

#include "core/analysis/classification/name_pattern.h"
#include "core/base/result.h"
#include "core/collectives/collective.h"
#include "core/trace/trace_store.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// What an event counts as in the breakdown. The last ones are drawn, but not counted.
enum class EventClass : std::uint8_t { compute, communication, memory, cpu, runtime, annotation, other };

constexpr bool isCounted(EventClass of)
{
    return of == EventClass::compute || of == EventClass::communication || of == EventClass::memory;
}

// Grows when the same rules come to classify events in another way. 2: devices of XLA. 3: its
// sends last until they are done.
inline constexpr int classification_version = 3;

// Which names are communication, and which kind a name or annotation belongs to. A text file that the user
// can edit: one rule a line, described in the shipped one, resources/rules/communication.rules.
class ClassificationRules
{
public:
    // The file among the resources; the copy compiled in where there is none. Error: as load().
    static Result<ClassificationRules> loadShipped();
    // The same, read once; the copy compiled in where the file is wrong.
    static const ClassificationRules& shipped();
    // Error: the sentence names the line and what it should look like.
    static Result<ClassificationRules> parse(std::string_view text);
    static Result<ClassificationRules> load(const std::filesystem::path& file);
    const std::string& text() const { return m_text; }

    bool isCommunication(std::string_view name) const;
    // The kind that the first matching rule gives to a kernel or an annotation of this name, and to a process
    // group of this description or name; unknown where none does.
    Kind kindOf(std::string_view name) const;
    Kind kindOfGroup(std::string_view name) const;

private:
    struct KindRule {
        NamePattern pattern;
        Kind kind = Kind::unknown;
    };
    static Kind firstMatch(const std::vector<KindRule>& rules, std::string_view name);

    std::string m_text;
    std::vector<NamePattern> m_communication;
    std::vector<KindRule> m_kinds;
    std::vector<KindRule> m_groups;
};

// Whether a category is that of PyTorch's operators ("cpu_op", in 2021 "Operator").
bool isOperatorCategory(std::string_view category);

// The class of every event of a store, found once: by category, then by name. Where a GPU worked, its
// kernels, copies and fills are counted. A trace without GPU events is counted over the CPU: communication
// are the calls that its backend names (gloo:all_reduce), compute the operators, but for those that launch or
// wait for communication.
class EventClasses
{
public:
    EventClasses(const TraceStore& store, const ClassificationRules& rules);
    EventClass of(EventIndex event) const { return m_class[static_cast<std::size_t>(event)]; }
    bool onGpu() const { return m_on_gpu; }
    // Takes an event out of what is counted.
    void leaveOut(EventIndex event) { m_class[static_cast<std::size_t>(event)] = EventClass::other; }

private:
    std::vector<EventClass> m_class;
    bool m_on_gpu = false;
};

} // namespace shardscope
