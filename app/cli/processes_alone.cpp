#include "app/cli/processes.h"

#include <utility>

namespace shardscope
{

Processes::Processes() = default;

Processes::~Processes() = default;

std::vector<std::string> Processes::gather(std::string own) const
{
    std::vector<std::string> all;
    all.push_back(std::move(own));
    return all;
}

} // namespace shardscope
