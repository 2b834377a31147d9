#pragma once

#include "core/scenario/megatron/script_options.h"
#include "core/scenario/shell/shell_variables.h"
#include "core/scenario/shell/shell_words.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardscope
{

// Walks over a launch script: sets its variables and notes the options that it writes, in its commands,
// arrays and strings. Both branches of a choice are taken, one after the other, and loops once.
class ScriptReading
{
public:
    ScriptReading(ShellVariables& variables, ScriptOptions& options)
        : m_variables{variables}, m_options{options}
    {
    }

    void read(std::string_view script) { read(script, ShellText::script); }

private:
    using Words = std::vector<std::string_view>;

    void read(std::string_view text, ShellText kind);
    void readQuoted(std::string_view word);
    void readCommand(const Words& words);
    void readLoop(const Words& words, std::size_t loop);
    void readArray(std::string_view head, const Words& values);
    void readWords(const Words& words, std::size_t first_of_script);
    void noteUses(std::string_view word);
    std::string asOption(std::string_view word);
    std::size_t readOption(const Words& words, std::size_t at, bool is_scripts);
    ShellValue valueBehind(const Words& words, std::size_t option, bool takes_several, std::string& written,
                           std::size_t& count);
    std::optional<std::size_t> readDeepSpeedFile(const Words& words, std::size_t at, std::string_view option,
                                                 std::string_view text);
    void walkLauncher(std::string_view word);
    bool isOtherCount(std::string_view option) const;
    void addIncluded(const ShellValue& value);
    void assign(std::string_view word);
    std::size_t firstOfScript(const Words& words, std::size_t command);
    bool isPythonScript(std::string_view word);

    ShellVariables& m_variables;
    ScriptOptions& m_options;
    std::string_view m_owner; // the variable whose string or array is read
    int m_depth = 0;
    int m_branches = 0;         // that are open
    bool m_is_launcher = false; // the words at hand are of DeepSpeed's launcher, as far as can be told
};

} // namespace shardscope
