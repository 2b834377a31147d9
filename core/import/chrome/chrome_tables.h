#pragma once

#include "core/import/chrome/chrome_rows.h"
#include "core/import/json/json_members.h"
#include "core/trace/name_table.h"
#include "core/trace/trace_store.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardscope
{

// What the categories of PyTorch's profiler mean to the importer.
enum class CategoryClass : std::uint8_t { other, kernel, gpu, launch, cpu_op, user_annotation, mtia, kineto };

// The names and tracks that one thread has met. Rows of the first categories are fixed, so that an event's
// class is a look into an array.
class ChromeTables
{
public:
    ChromeTables();

    NameId name(const JsonValue& value);
    NameId category(const JsonValue& value);
    NameId intern(std::string_view text) { return m_names.intern(text); }
    CategoryClass classOf(NameId category) const
    {
        const auto row = static_cast<std::size_t>(category);
        return row < m_classes.size() ? m_classes[row] : CategoryClass::other;
    }
    TrackIndex track(const JsonValue& pid, const JsonValue& tid);
    void markGpu(TrackIndex track) { m_tracks[static_cast<std::size_t>(track)].is_gpu = true; }

    const NameTable& names() const { return m_names; }
    const std::vector<TrackKey>& tracks() const { return m_tracks; }

private:
    NameTable m_names;
    std::vector<CategoryClass> m_classes;
    std::vector<TrackKey> m_tracks;
    std::unordered_map<std::string, std::uint32_t> m_track_rows;
    std::array<std::uint32_t, 64> m_recent_tracks{};
    std::string m_key;
    NameId m_last_category{};
};

// A value as text: escapes resolved; "" where there is none.
std::string plainText(const JsonValue& value);

} // namespace shardscope
