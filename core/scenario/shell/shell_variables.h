#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace shardscope
{

// What a word of a script becomes when it is run, as far as the script tells.
struct ShellValue {
    std::string text = {};
    // Why it cannot be told, "$LAYERS, which the script does not set"; empty where it can.
    std::string unknown = {};
    bool is_unset = false;    // that is so for the reason alone that nothing sets it
    std::string varying = {}; // "$LAYERS", of which it is made and which the script sets to different values
    // Of a path that cannot be told what stands behind its last slash, where that can.
    std::string file_name = {};
    bool is_list = false; // made of an array or of a variable that holds options: words of their own
};

// The variables of a script, in the order in which it sets them.
class ShellVariables
{
public:
    // What is used before it is set has the value of `later`: a function is run later than it is written.
    explicit ShellVariables(const ShellVariables* later = nullptr) : m_later{later} {}

    // The last value that can be told counts. `builds_on_itself`: the new value is made of the old one.
    void assign(std::string_view name, ShellValue value, bool builds_on_itself = false);
    const ShellValue* find(std::string_view name) const;      // nothing where it is not set
    const ShellValue* findSoFar(std::string_view name) const; // ... up to here

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
    };
    std::unordered_map<std::string, ShellValue, Hash, std::equal_to<>> m_values;
    const ShellVariables* m_later;
};

} // namespace shardscope
