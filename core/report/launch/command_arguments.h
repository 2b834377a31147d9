#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Arguments in their order, and what could not be said with them.
class CommandArguments
{
public:
    void flag(std::string_view name) { m_arguments.push_back("--" + std::string{name}); }
    void add(std::string_view name, std::int64_t value) { add(name, std::to_string(value)); }
    void add(std::string_view name, std::string_view value)
    {
        flag(name);
        m_arguments.back() += " " + std::string{value};
    }
    void flagIf(bool holds, std::string_view name)
    {
        if (holds)
            flag(name);
    }
    void remarkIf(bool holds, std::string_view sentence)
    {
        if (holds)
            m_remarks.emplace_back(sentence);
    }

    std::string command(const std::string& head) const
    {
        std::string text;
        for (const std::string& remark : m_remarks)
            text += "# " + remark + "\n";
        text += head;
        for (const std::string& argument : m_arguments)
            text += " \\\n    " + argument;
        return text + "\n";
    }

private:
    std::vector<std::string> m_arguments;
    std::vector<std::string> m_remarks;
};

} // namespace shardscope
