#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// A pattern over names, whatever their case: matches anywhere in a name; `*` stands for any characters, `^`
// in front and
// `$` behind tie it to the name's ends.
class NamePattern
{
public:
    explicit NamePattern(std::string_view pattern);
    // `lower_case_name`: as lowerCase() gives it.
    bool matches(std::string_view lower_case_name) const;

private:
    std::vector<std::string> m_pieces; // between the stars
    bool m_at_start = false;
    bool m_at_end = false;
};

// ASCII alone: names are code.
std::string lowerCase(std::string_view name);

} // namespace shardscope
