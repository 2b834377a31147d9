#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// What a reader asks a file of another program for. Such a file has many names of no interest, which are
// passed over; one that comes near a name that was asked for and is not there is probably that name misspelt.
// Names may be paths: "zero_optimization.stage".
class AskedNames
{
public:
    void add(std::string_view name);
    // A sentence for each of the names that the file has.
    std::vector<std::string> misspelt(std::span<const std::string> written) const;

private:
    std::set<std::string, std::less<>> m_names; // paths and all that they begin with
};

} // namespace shardscope
