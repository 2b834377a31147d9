#include "core/scenario/asked_names.h"

#include "core/scenario/nearest_key.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// Of a path; npos + 1 is 0.
std::string_view pathTo(std::string_view path)
{
    return path.substr(0, path.find_last_of('.') + 1);
}

std::string_view nameIn(std::string_view path)
{
    return path.substr(path.find_last_of('.') + 1);
}

// A slip in a short name may be another name.
bool isSlipOf(std::string_view name, std::string_view asked)
{
    constexpr std::size_t shortest = 5;
    constexpr std::size_t with_two_slips = 10;
    constexpr std::size_t longest = 64;
    const std::size_t length = std::min(name.size(), asked.size());
    if (length < shortest || std::max(name.size(), asked.size()) > longest)
        return false;
    return editDistance(name, asked) <= (length < with_two_slips ? 1 : 2);
}

} // namespace

void AskedNames::add(std::string_view name)
{
    for (std::size_t end = name.find('.'); end != std::string_view::npos; end = name.find('.', end + 1))
        m_names.emplace(name.substr(0, end));
    m_names.emplace(name);
}

std::vector<std::string> AskedNames::misspelt(std::span<const std::string> written) const
{
    const std::set<std::string, std::less<>> there{written.begin(), written.end()};
    std::vector<std::string> sentences;
    for (const std::string& name : there) {
        if (m_names.contains(name))
            continue;
        const auto meant = std::ranges::find_if(m_names, [&](const std::string& asked) {
            return pathTo(asked) == pathTo(name) && !there.contains(asked)
                   && isSlipOf(nameIn(name), nameIn(asked));
        });
        if (meant != m_names.end())
            sentences.push_back(name + " is not known here and is left out; " + *meant
                                + " may have been meant.");
    }
    return sentences;
}

} // namespace shardscope
