#include "core/trace/name_table.h"

#include <algorithm>
#include <cstring>

namespace shardscope
{

namespace
{

constexpr std::size_t first_block_bytes = 1024; // a folder may hold a hundred thousand small files
constexpr std::size_t largest_block_bytes = 64 * 1024;

std::uint64_t load(const char* text)
{
    std::uint64_t word = 0;
    std::memcpy(&word, text, sizeof word);
    return word;
}

// The two halves of a product, folded: every bit of both factors moves bits of the outcome.
std::uint64_t mixed(std::uint64_t a, std::uint64_t b)
{
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Sixteen bytes a step, after Wang Yi's wyhash: names of kernels are some hundred bytes long.
std::uint32_t hashOf(std::string_view name)
{
    constexpr std::uint64_t first_secret = 0xa0761d6478bd642fU;
    constexpr std::uint64_t second_secret = 0xe7037ed1a0b428dbU;
    const char* const text = name.data();
    const std::size_t size = name.size();
    std::uint64_t hash = size * second_secret;
    if (size >= 16) {
        for (std::size_t at = 0; at + 16 < size; at += 16)
            hash = mixed(load(text + at) ^ first_secret, load(text + at + 8) ^ hash);
        hash = mixed(load(text + size - 16) ^ first_secret, load(text + size - 8) ^ hash);
    } else if (size >= 8) {
        hash = mixed(load(text) ^ first_secret, load(text + size - 8) ^ hash);
    } else {
        std::uint64_t word = 0;
        std::memcpy(&word, text, size);
        hash = mixed(word ^ first_secret, hash);
    }
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

} // namespace

NameTable::NameTable() : m_slots(256), m_texts{std::string_view{}} {}

NameId NameTable::intern(std::string_view name)
{
    if (name.empty())
        return no_name;
    const std::uint32_t hash = hashOf(name);
    const std::size_t mask = m_slots.size() - 1;
    std::size_t place = hash & mask;
    for (; m_slots[place].row != 0; place = (place + 1) & mask) {
        if (m_slots[place].hash == hash && m_texts[m_slots[place].row] == name)
            return NameId{m_slots[place].row};
    }
    const auto row = static_cast<std::uint32_t>(m_texts.size());
    m_texts.push_back(keep(name));
    m_slots[place] = {hash, row};
    if (m_texts.size() * 2 > m_slots.size())
        grow();
    return NameId{row};
}

// Copies the text into a block of its own making, so that views of it never move.
std::string_view NameTable::keep(std::string_view name)
{
    if (name.size() > m_block_left) {
        const std::size_t usual =
            std::min(first_block_bytes << std::min<std::size_t>(m_blocks.size(), 6), largest_block_bytes);
        const std::size_t bytes = std::max(name.size(), usual);
        m_blocks.push_back(std::make_unique_for_overwrite<char[]>(bytes));
        m_block_next = m_blocks.back().get();
        m_block_left = bytes;
    }
    std::memcpy(m_block_next, name.data(), name.size());
    const std::string_view kept{m_block_next, name.size()};
    m_block_next += name.size();
    m_block_left -= name.size();
    return kept;
}

void NameTable::grow()
{
    std::vector<Slot> wider(m_slots.size() * 2);
    const std::size_t mask = wider.size() - 1;
    for (const Slot& slot : m_slots) {
        if (slot.row == 0)
            continue;
        std::size_t place = slot.hash & mask;
        while (wider[place].row != 0)
            place = (place + 1) & mask;
        wider[place] = slot;
    }
    m_slots = std::move(wider);
}

} // namespace shardscope
