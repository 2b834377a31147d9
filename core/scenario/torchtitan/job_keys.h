#pragma once

#include "core/scenario/asked_names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Where a key is written: up to three paths, as it has moved over the years, the newest first. Each is what
// torchtitan's command line calls the key: "parallelism.tensor_parallel_degree".
class KeyPaths
{
public:
    constexpr KeyPaths(std::initializer_list<std::string_view> paths) : m_count{paths.size()}
    {
        std::copy(paths.begin(), paths.end(), m_paths.begin());
    }

    constexpr const std::string_view* begin() const { return m_paths.data(); }
    constexpr const std::string_view* end() const { return m_paths.data() + m_count; }

private:
    std::array<std::string_view, 3> m_paths;
    std::size_t m_count;
};

// Reads single keys of a job configuration. Keys of no interest are many and passed over; the first value
// that is wrong becomes the failure.
class JobKeys
{
public:
    static constexpr std::int64_t most = 1'000'000; // products of three of them can be counted

    explicit JobKeys(const nlohmann::json& root) : m_root{root} {}

    bool has(const KeyPaths& paths) const { return find(paths) != nullptr; }
    std::optional<std::int64_t> count(const KeyPaths& paths, std::int64_t largest = most,
                                      std::int64_t least = 1);
    // -1 is a number of its own there: what is left, or what follows from other keys; nothing.
    std::optional<std::int64_t> countUnlessOpen(const KeyPaths& paths);
    bool isOn(const KeyPaths& paths);
    std::optional<std::string> text(const KeyPaths& paths);
    // A list of words, or a text with commas between them.
    std::vector<std::string> words(const KeyPaths& paths);

    // "parallelism.tensor_parallel_degree = 8", of the path that is there; empty: none is.
    std::string written(const KeyPaths& paths) const;

    void fail(const KeyPaths& paths, std::string_view need);
    void fail(const std::string& sentence);
    const std::string& failure() const { return m_failure; }
    // Of the keys that were not asked for by now, what was probably meant.
    std::vector<std::string> misspelt() const;

private:
    const nlohmann::json* find(std::string_view path) const;
    const nlohmann::json* find(const KeyPaths& paths) const;

    const nlohmann::json& m_root;
    mutable AskedNames m_asked;
    std::string m_failure;
};

} // namespace shardscope
