#pragma once

#include "core/base/result.h"
#include "core/collectives/collective.h"
#include "core/trace/trace_store.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope {

// What an event counts as in the breakdown. The last ones are drawn, but not counted.
enum class EventClass : std::uint8_t { compute, communication, memory, cpu, runtime, annotation, other };

// Which names are communication, and which kind a name or annotation belongs to. A text file that the user can edit:
// one rule a line; the shipped one is resources/rules/communication.rules.
class ClassificationRules
{
public:
    static ClassificationRules shipped();
    static Result<ClassificationRules> parse(std::string_view text);
    const std::string& text() const { return m_text; }

    bool isCommunication(std::string_view name) const;
    // The kind that a rule gives to this name; unknown where none does.
    Kind kindOf(std::string_view name) const;

private:
    struct Rule {
        std::string pattern; // lower case; matches anywhere in a name
        Kind kind = Kind::unknown;
    };
    std::string m_text;
    std::vector<Rule> m_communication;
    std::vector<Rule> m_kinds;
};

// The class of every event of a store, found once: by category, then by name.
class EventClasses
{
public:
    EventClasses(const TraceStore& store, const ClassificationRules& rules);
    EventClass of(EventIndex event) const { return m_class[static_cast<std::size_t>(event)]; }

private:
    std::vector<EventClass> m_class;
};

} // namespace shardscope
