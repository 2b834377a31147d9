#include "core/import/chrome/chrome_tables.h"

#include <utility>

namespace shardscope
{

namespace
{

using KnownCategory = std::pair<std::string_view, CategoryClass>;

// The names of today and of 2021 (Kernel, Operator, Runtime, Memcpy, Memset).
constexpr std::array<KnownCategory, 29> known_categories{{
    {"kernel", CategoryClass::kernel},
    {"Kernel", CategoryClass::kernel},
    {"gpu_memcpy", CategoryClass::gpu},
    {"Memcpy", CategoryClass::gpu},
    {"gpu_memset", CategoryClass::gpu},
    {"Memset", CategoryClass::gpu},
    {"gpu_user_annotation", CategoryClass::gpu},
    {"cuda_runtime", CategoryClass::launch},
    {"cuda_driver", CategoryClass::launch},
    {"Runtime", CategoryClass::launch},
    {"hip_runtime", CategoryClass::launch},
    {"xpu_runtime", CategoryClass::launch},
    {"xpu_driver", CategoryClass::launch},
    {"mtia_runtime", CategoryClass::launch},
    {"cpu_op", CategoryClass::cpu_op},
    {"Operator", CategoryClass::cpu_op},
    {"user_annotation", CategoryClass::user_annotation},
    {"python_function", CategoryClass::kineto},
    {"overhead", CategoryClass::kineto},
    {"Trace", CategoryClass::kineto},
    {"cuda_sync", CategoryClass::kineto},
    {"cpu_instant_event", CategoryClass::kineto},
    {"fwdbwd", CategoryClass::kineto},
    {"ac2g", CategoryClass::kineto},
    {"mtia_ccp_events", CategoryClass::mtia},
    {"mtia_insight", CategoryClass::kineto},
    {"collective_comm", CategoryClass::kineto},
    {"hpu_op", CategoryClass::kineto},
    {"privateuse1_runtime", CategoryClass::launch},
}};

} // namespace

ChromeTables::ChromeTables() : m_classes(known_categories.size() + 1, CategoryClass::other)
{
    for (const auto& [name, meaning] : known_categories)
        m_classes[static_cast<std::size_t>(m_names.intern(name))] = meaning;
    m_recent_tracks.fill(0);
}

NameId ChromeTables::name(const JsonValue& value)
{
    return value.has_escapes ? m_names.intern(unescaped(value.text)) : m_names.intern(value.text);
}

NameId ChromeTables::category(const JsonValue& value)
{
    if (m_names.text(m_last_category) != value.text || value.has_escapes)
        m_last_category = name(value);
    return m_last_category;
}

TrackIndex ChromeTables::track(const JsonValue& pid, const JsonValue& tid)
{
    // Events of one track come in runs, or alternate between a few.
    std::size_t hash = pid.text.size() * 7 + tid.text.size();
    for (const std::string_view text : {pid.text, tid.text})
        hash = hash * 31 + (text.empty() ? 0 : static_cast<unsigned char>(text.back()));
    std::uint32_t& recent = m_recent_tracks[hash % m_recent_tracks.size()];
    const bool is_plain = !pid.has_escapes && !tid.has_escapes && !pid.text.empty() && !tid.text.empty();
    if (recent < m_tracks.size() && m_tracks[recent].pid == pid.text && m_tracks[recent].tid == tid.text
        && is_plain)
        return TrackIndex{recent};

    TrackKey key{plainText(pid), plainText(tid), false};
    m_key = key.pid;
    m_key += '\0';
    m_key += key.tid;
    const auto [row, is_new] = m_track_rows.try_emplace(m_key, static_cast<std::uint32_t>(m_tracks.size()));
    if (is_new)
        m_tracks.push_back(std::move(key));
    recent = row->second;
    return TrackIndex{recent};
}

std::string plainText(const JsonValue& value)
{
    return value.has_escapes ? unescaped(value.text) : std::string(value.text);
}

} // namespace shardscope
