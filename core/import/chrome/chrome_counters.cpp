#include "core/import/chrome/chrome_parser.h"

#include <charconv>
#include <cmath>
#include <optional>

// Counters: C events, and what PyTorch's profiler notes of memory in instants named [memory].

namespace shardscope
{

namespace
{

std::optional<double> numberOf(const JsonValue& value)
{
    if (value.kind != JsonKind::bare && value.kind != JsonKind::string)
        return std::nullopt;
    double number = 0.0;
    const char* const end = value.text.data() + value.text.size();
    const auto [stop, error] = std::from_chars(value.text.data(), end, number);
    if (error != std::errc{} || stop != end || !std::isfinite(number))
        return std::nullopt;
    return number;
}

struct MemoryInstant {
    std::int64_t device_type = 0; // 0: the host
    std::int64_t device = -1;
    std::optional<double> change;
    std::optional<double> allocated;
    std::optional<double> reserved;
};

MemoryInstant readMemoryInstant(std::string_view arguments)
{
    MemoryInstant instant;
    JsonReader reader(arguments);
    JsonMember member;
    while (reader.next(member)) {
        if (member.key == "Device Type")
            instant.device_type = toInteger(member.value).value_or(0);
        else if (member.key == "Device Id")
            instant.device = toInteger(member.value).value_or(-1);
        else if (member.key == "Bytes")
            instant.change = numberOf(member.value);
        else if (member.key == "Total Allocated")
            instant.allocated = numberOf(member.value);
        else if (member.key == "Total Reserved")
            instant.reserved = numberOf(member.value);
    }
    return instant;
}

} // namespace

void ChromeParser::takeCounter(const ChromeEvent& event)
{
    CounterRow row;
    if (event.arguments.kind == JsonKind::none)
        return;
    if (event.arguments.kind != JsonKind::object)
        return warn("counter that is no number");
    if (!readTime(event.time, row.time))
        return;
    std::string name = plainText(event.name);
    if (event.id.kind != JsonKind::none)
        name += "[" + plainText(event.id) + "]";
    row.pid = m_tables->intern(plainText(event.pid));
    JsonReader reader(event.arguments.text);
    JsonMember member;
    while (reader.next(member)) {
        const std::optional<double> value = numberOf(member.value);
        if (!value) {
            warn("counter that is no number");
            continue;
        }
        const bool says_nothing = member.key == "value" || member.key == name;
        row.name = m_tables->intern(says_nothing ? name : name + " " + std::string(member.key));
        row.value = *value;
        m_rows.samples.push_back(row);
    }
}

// Profilers before 2022 tell the changes alone.
void ChromeParser::takeMemoryInstant(const ChromeEvent& event)
{
    if (event.name.text != "[memory]" || event.arguments.kind != JsonKind::object)
        return;
    CounterRow row;
    if (!readTime(event.time, row.time))
        return;
    const MemoryInstant instant = readMemoryInstant(event.arguments.text);
    const std::string device =
        instant.device_type == 0 ? "host memory" : "GPU " + std::to_string(instant.device) + " memory";
    row.pid = m_tables->intern(plainText(event.pid));
    row.is_bytes = true;
    const auto add = [&](const std::string& name, double value, bool is_change) {
        row.name = m_tables->intern(name);
        row.value = value;
        row.is_change = is_change;
        m_rows.samples.push_back(row);
    };
    if (instant.allocated)
        add(device + " allocated", *instant.allocated, false);
    else if (instant.change)
        add(device + " allocated since the recording began", *instant.change, true);
    if (instant.reserved && *instant.reserved > 0.0)
        add(device + " reserved", *instant.reserved, false);
}

} // namespace shardscope
