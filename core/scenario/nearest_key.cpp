#include "core/scenario/nearest_key.h"

#include "core/scenario/other_names.h"
#include "core/scenario/scenario_fields.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <utility>

namespace shardscope
{

namespace
{

// Visits a default scenario and writes down the path of each key.
class KeyCollector
{
public:
    KeyCollector(std::string prefix, std::vector<std::string>& keys)
        : m_prefix{std::move(prefix)}, m_keys{keys}
    {
    }

    template<class T>
    void operator()(std::string_view key, const T& member)
    {
        const std::string path = m_prefix + std::string{key};
        m_keys.push_back(path);
        if constexpr (HasFields<T>) {
            KeyCollector inner{path + ".", m_keys};
            Fields<T>::visit(inner, member);
        }
    }

private:
    std::string m_prefix;
    std::vector<std::string>& m_keys;
};

std::string_view sectionOf(std::string_view path)
{
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view leafOf(std::string_view path)
{
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

// Twice the edit distance; a word that is the start or the end of the other counts as one step, a key of
// another section as half a step more.
int unlikeness(std::string_view wrong, std::string_view known, bool same_section)
{
    const std::string_view brief = wrong.size() < known.size() ? wrong : known;
    const std::string_view extended = wrong.size() < known.size() ? known : wrong;
    int distance = editDistance(wrong, known);
    if (brief.size() >= 3 && (extended.starts_with(brief) || extended.ends_with(brief)))
        distance = std::min(distance, 1);
    return 2 * distance + (same_section ? 0 : 1);
}

} // namespace

const std::vector<std::string>& scenarioKeys()
{
    static const std::vector<std::string> keys = [] {
        std::vector<std::string> found{"shardscope"};
        KeyCollector collector{"", found};
        const Scenario scenario;
        Fields<Scenario>::visit(collector, scenario);
        return found;
    }();
    return keys;
}

int editDistance(std::string_view from, std::string_view to)
{
    std::vector<int> before_last(to.size() + 1);
    std::vector<int> last(to.size() + 1);
    std::vector<int> current(to.size() + 1);
    std::iota(last.begin(), last.end(), 0);
    for (std::size_t i = 1; i <= from.size(); ++i) {
        current[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const int change = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            current[j] = std::min({last[j] + 1, current[j - 1] + 1, change});
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                current[j] = std::min(current[j], before_last[j - 2] + 1);
        }
        std::swap(before_last, last);
        std::swap(last, current);
    }
    return last[to.size()];
}

namespace
{

constexpr std::size_t longest_key = 64; // longer ones are noise: their end cannot bring them nearer

int unlikenessOf(std::string_view path, std::string_view known)
{
    return unlikeness(leafOf(path).substr(0, longest_key), leafOf(known),
                      sectionOf(path) == sectionOf(known));
}

std::vector<std::string> keysOfSection(std::string_view section)
{
    std::vector<std::string> keys;
    for (const std::string& known : scenarioKeys())
        if (sectionOf(known) == section)
            keys.push_back(known);
    return keys;
}

// Half of its letters may be wrong.
bool isNear(std::string_view path, std::string_view known)
{
    return unlikenessOf(path, known) <= static_cast<int>(std::min(leafOf(path).size(), longest_key));
}

// Parts of "dgx-h200" with a letter and a figure.
std::vector<std::string_view> gpusIn(std::string_view name)
{
    std::vector<std::string_view> parts;
    while (!name.empty()) {
        const std::size_t end = std::min(name.find('-'), name.size());
        const std::string_view part = name.substr(0, end);
        if (part.find_first_of("0123456789") != std::string_view::npos
            && part.find_first_not_of("0123456789") != std::string_view::npos)
            parts.push_back(part);
        name.remove_prefix(std::min(end + 1, name.size()));
    }
    return parts;
}

bool haveSameGpu(std::string_view a, std::string_view b)
{
    const std::vector<std::string_view> known = gpusIn(b);
    return std::ranges::any_of(
        gpusIn(a), [&](std::string_view part) { return std::ranges::find(known, part) != known.end(); });
}

std::string nearestOf(std::string_view path, const std::vector<std::string>& keys)
{
    // Of two that are as near, the one of about that length.
    const auto unlikenessAndLength = [&](const std::string& known) {
        const auto longer =
            static_cast<std::int64_t>(leafOf(known).size()) - static_cast<std::int64_t>(leafOf(path).size());
        return std::pair{unlikenessOf(path, known), std::abs(longer)};
    };
    return *std::ranges::min_element(keys, {}, unlikenessAndLength);
}

// Another tool's name for a key, alone or in the key's own section.
std::string_view otherNameOf(std::string_view path)
{
    const std::string_view key = keyOfOtherName(leafOf(path));
    return sectionOf(path).empty() || sectionOf(path) == sectionOf(key) ? key : std::string_view{};
}

// "model has layers, hidden_size and ..."
std::string listOf(const std::vector<std::string>& keys, std::string_view section)
{
    std::string list = (section.empty() ? "a scenario" : std::string{section}) + " has ";
    for (const std::string& key : keys)
        list += (&key == &keys.front()  ? ""
                 : &key == &keys.back() ? " and "
                                        : ", ")
                + std::string{leafOf(key)};
    return list;
}

} // namespace

std::string nearestKey(std::string_view path)
{
    if (const std::string_view key = otherNameOf(path); !key.empty())
        return std::string{key};
    std::string nearest = nearestOf(path, scenarioKeys());
    if (isNear(path, nearest))
        return nearest;
    const std::vector<std::string> neighbours = keysOfSection(sectionOf(path));
    return neighbours.empty() ? nearest : nearestOf(path, neighbours);
}

std::string hintAtKeys(std::string_view path)
{
    const std::string nearest = nearestKey(path);
    std::string hint = "the nearest one is " + nearest;
    if (sectionOf(nearest).empty() && !sectionOf(path).empty()) {
        const std::vector<std::string> own = keysOfSection(sectionOf(path));
        return own.empty() ? hint : hint + ", of the scenario itself; " + listOf(own, sectionOf(path));
    }
    if (isNear(path, nearest) || !otherNameOf(path).empty())
        return hint;
    return hint + "; " + listOf(keysOfSection(sectionOf(nearest)), sectionOf(nearest));
}

std::string nearestMachine(std::string_view name, const std::vector<std::string>& names)
{
    std::vector<std::string> same;
    std::ranges::copy_if(names, std::back_inserter(same),
                         [&](const std::string& known) { return haveSameGpu(name, known); });
    return nearestWord(name, same.empty() ? names : same);
}

std::string nearestWord(std::string_view text, const std::vector<std::string>& words)
{
    const std::string_view brief = text.substr(0, 64);
    const auto nearest = std::ranges::min_element(
        words, {}, [&](const std::string& word) { return unlikeness(brief, word, true); });
    return nearest == words.end() ? std::string{} : *nearest;
}

} // namespace shardscope
