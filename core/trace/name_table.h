#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace shardscope
{

enum class NameId : std::uint32_t {}; // row in the name table
inline constexpr NameId no_name{0};   // the empty string

// Each string once. Row 0 is the empty string. Texts stay where they are while the table lives.
class NameTable
{
public:
    NameTable();
    NameTable(NameTable&&) = default;
    NameTable& operator=(NameTable&&) = default;

    NameId intern(std::string_view name);
    std::string_view text(NameId id) const { return m_texts[static_cast<std::size_t>(id)]; }
    std::size_t size() const { return m_texts.size(); }

private:
    std::string_view keep(std::string_view name);
    void grow();

    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t row = 0; // 0: free; the empty string is never looked up here
    };
    std::vector<Slot> m_slots; // open addressing, a power of two, at most half full
    std::vector<std::string_view> m_texts;
    std::vector<std::unique_ptr<char[]>> m_blocks;
    std::size_t m_block_left = 0;
    char* m_block_next = nullptr;
};

} // namespace shardscope
