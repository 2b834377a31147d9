#include "app/cli/whole_key.h"

#include "core/scenario/validation/validation.h"

#include <algorithm>

namespace shardscope
{

std::string withWholeKey(const std::string& sentence, const Scenario& scenario)
{
    const std::vector<Problem> problems = validate(scenario);
    const auto problem = std::ranges::find(problems, sentence, &Problem::sentence);
    if (problem == problems.end())
        return sentence;
    const std::size_t section = problem->field.find('.');
    if (section == std::string::npos || !sentence.starts_with(problem->field.substr(section + 1) + " is "))
        return sentence;
    return problem->field.substr(0, section + 1) + sentence;
}

} // namespace shardscope
