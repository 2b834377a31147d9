#include "core/scenario/megatron/script_reading.h"

#include "core/scenario/megatron/megatron_option.h"
#include "core/scenario/shell/shell_expansion.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace shardscope
{

namespace
{

constexpr int most_quotes = 4;             // strings in strings
constexpr std::size_t most_values = 1'000; // one for each layer

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

template<class Words>
bool isAmong(const Words& words, std::string_view word)
{
    return std::ranges::find(words, word) != words.end();
}

// Options in a string: "--bf16", "$BASE --num-layers 4".
bool holdsOptions(std::string_view text)
{
    for (std::size_t at = text.find("--"); at != std::string_view::npos; at = text.find("--", at + 2)) {
        const bool begins =
            at == 0 || std::string_view{" \t\n\"'(\\"}.find(text[at - 1]) != std::string_view::npos;
        if (begins && at + 2 < text.size() && isLetter(text[at + 2]))
            return true;
    }
    return false;
}

std::size_t optionLength(std::string_view text)
{
    std::size_t length = 0;
    while (length < text.size()
           && (isLetter(text[length]) || (text[length] >= '0' && text[length] <= '9') || text[length] == '-'
               || text[length] == '_'))
        ++length;
    return length;
}

// One option, "--lr" or "--lr=1"; a string of several is none.
bool isOption(std::string_view plain)
{
    if (!plain.starts_with("--") || plain.size() < 3 || !isLetter(plain[2]))
        return false;
    const std::string_view rest = plain.substr(2 + optionLength(plain.substr(2)));
    return rest.empty() || rest.starts_with('=');
}

// Words of the language before a command.
bool isBeforeCommand(std::string_view word)
{
    static constexpr auto words = std::to_array<std::string_view>(
        {"if",    "then",    "else",     "elif", "while", "until", "do",      "{",
         "}",     "!",       "time",     "exec", "nohup", "env",   "eval",    "export",
         "local", "declare", "readonly", "fi",   "done",  "esac",  "function"});
    return isAmong(words, word);
}

// They print or compare words.
bool onlyShowsWords(std::string_view command)
{
    return command == "echo" || command == "printf" || command == "[" || command == "[[" || command == "test";
}

// Their options are their own, unless they run Python.
bool hasOwnOptions(std::string_view command)
{
    static constexpr auto commands = std::to_array<std::string_view>(
        {"srun",   "sbatch",      "salloc",     "scontrol", "mpirun",   "mpiexec", "docker", "podman",
         "enroot", "singularity", "apptainer",  "kubectl",  "ssh",      "pdsh",    "ray",    "nsys",
         "ncu",    "numactl",     "nvidia-smi", "pip",      "pip3",     "git",     "conda",  "module",
         "apt",    "apt-get",     "curl",       "wget",     "rsync",    "scp",     "tar",    "cp",
         "mv",     "rm",          "ls",         "mkdir",    "find",     "grep",    "sed",    "awk",
         "sort",   "cat",         "tee",        "date",     "hostname", "set"});
    return isAmong(commands, command);
}

std::string_view fileName(std::string_view path)
{
    return path.substr(path.find_last_of('/') + 1); // npos + 1 is 0
}

// Whether the word is made of the variable: "$NAME", "${NAME:-8}", "$((NAME * 2))".
bool mentions(std::string_view word, std::string_view variable)
{
    if (word.find('$') == std::string_view::npos)
        return false;
    const auto belongsToName = [](char c) { return isLetter(c) || c == '_' || (c >= '0' && c <= '9'); };
    for (std::size_t at = word.find(variable); at != std::string_view::npos;
         at = word.find(variable, at + 1)) {
        const std::size_t end = at + variable.size();
        const bool begins = at > 0 && !belongsToName(word[at - 1]);
        if (begins && (end == word.size() || !belongsToName(word[end])))
            return true;
    }
    return false;
}

// Whether what cannot be told, "$LAYERS, which ...", is the whole of a value: "${LAYERS}".
bool isNamedIn(std::string_view unknown, std::string_view written)
{
    const bool is_output = written.find("$((") > 1 && (written.find("$(") < 2 || written.find('`') < 2);
    if (!unknown.starts_with('$'))
        return is_output || unknown.find("output") == std::string_view::npos;
    const auto bare = [](std::string text) {
        std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == '"'; });
        return text;
    };
    return bare(std::string{unknown.substr(0, unknown.find(", which"))}) == bare(std::string{written});
}

bool isAssignment(std::string_view word)
{
    const std::size_t name = nameLength(word);
    return name > 0 && (word.substr(name).starts_with('=') || word.substr(name).starts_with("+="));
}

} // namespace

void ScriptReading::read(std::string_view text, ShellText kind)
{
    ShellWords tokens{text, kind};
    Words words;
    std::string_view array;
    const auto finish = [&] {
        if (array.empty())
            readCommand(words);
        else
            readArray(array, words);
        array = {};
        words.clear();
    };
    while (const auto token = tokens.next()) {
        switch (token->kind) {
        case ShellToken::Kind::word:
            words.push_back(token->text);
            break;
        case ShellToken::Kind::array:
            finish();
            array = token->text;
            break;
        case ShellToken::Kind::pipe:
            if (words.size() == 1 && isOption(words.front())) // "--help | -h)"
                words.clear();
            finish();
            break;
        case ShellToken::Kind::case_pattern:
            m_branches += !words.empty() && words.front() == "case" ? 1 : 0;
            words.clear();
            break;
        case ShellToken::Kind::end:
            finish();
            break;
        }
    }
    finish();
}

// A string that is a script, as behind bash -c, or options.
void ScriptReading::readQuoted(std::string_view word)
{
    if (m_depth >= most_quotes)
        return;
    ++m_depth;
    const std::string text = withoutQuotes(word);
    const std::size_t first = text.find_first_not_of(" \t\n\\");
    const bool is_options = first != std::string::npos && (text[first] == '-' || text[first] == '$');
    read(text, is_options ? ShellText::quoted_words : ShellText::quoted_script);
    --m_depth;
}

void ScriptReading::readCommand(const Words& words)
{
    std::size_t command = 0;
    while (command < words.size() && (isBeforeCommand(words[command]) || isAssignment(words[command]))) {
        const std::string_view word = words[command++];
        m_branches += word == "if" ? 1 : 0;
        m_branches -= m_branches > 0 && (word == "fi" || word == "esac") ? 1 : 0;
    }
    if (command == words.size()) {
        readWords(words, 0);
        return;
    }
    const std::string_view name = words[command];
    if (onlyShowsWords(name))
        return;
    if (name == "for") {
        readLoop(words, command);
        return;
    }
    if (name == ":") // read for what ${NAME:=value} sets
        for (const std::string_view word : words)
            expandedWord(word, m_variables);
    readWords(words, firstOfScript(words, command));
}

// for NAME in a b c
void ScriptReading::readLoop(const Words& words, std::size_t loop)
{
    if (words.size() < loop + 4 || words[loop + 2] != "in")
        return;
    const std::string_view name = words[loop + 1];
    for (std::size_t i = loop + 3; i < words.size(); ++i) {
        ShellValue value = expandedWord(words[i], m_variables);
        if (value.is_list)
            value = {.unknown = "$" + std::string{name} + ", which runs over a list"};
        ShellWords pieces{value.text, ShellText::quoted_words};
        auto piece = pieces.next();
        if (!piece)
            m_variables.assign(name, value);
        for (; piece; piece = pieces.next())
            m_variables.assign(name, {.text = std::string{piece->text}});
    }
}

void ScriptReading::readArray(std::string_view head, const Words& values)
{
    const std::string_view name = head.substr(0, nameLength(head));
    const bool extends = head.ends_with("+=") || std::ranges::any_of(values, [&](std::string_view value) {
                             return mentions(value, name);
                         });
    if (!extends)
        m_options.overwrite(name);
    const std::string_view outer = std::exchange(m_owner, name);
    const bool is_command = !values.empty() && !values.front().starts_with('-');
    readWords(values, is_command ? firstOfScript(values, 0) : 0);
    m_owner = outer;
    m_variables.assign(name, {.is_list = true});
}

// Of options before the training script, only the numbers of processes count.
void ScriptReading::readWords(const Words& words, std::size_t first_of_script)
{
    const bool outer = std::exchange(m_is_launcher, !m_owner.empty());
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        noteUses(word);
        walkLauncher(word);
        if (isAssignment(word))
            assign(word);
        else if (isOption(asOption(word)))
            i += readOption(words, i, i >= first_of_script);
        else if (holdsOptions(word))
            readQuoted(word);
    }
    m_is_launcher = outer;
}

// A variable in its own value is none.
void ScriptReading::noteUses(std::string_view word)
{
    const std::string_view own = isAssignment(word) ? word.substr(0, nameLength(word)) : m_owner;
    for (std::size_t at = word.find('$'); at != std::string_view::npos; at = word.find('$', at + 1)) {
        const std::size_t begin = word.substr(at + 1).starts_with('{') ? at + 2 : at + 1;
        const std::string_view name = word.substr(begin, nameLength(word.substr(begin)));
        if (!name.empty() && name != own)
            m_options.use(name);
    }
}

// Without its quotes; "--$PRECISION" as the variable says.
std::string ScriptReading::asOption(std::string_view word)
{
    std::string plain = withoutQuotes(word);
    return plain.starts_with("--$") ? expandedWord(word, m_variables).text : plain;
}

// How many words behind it are its values.
std::size_t ScriptReading::readOption(const Words& words, std::size_t at, bool is_scripts)
{
    const std::string plain = asOption(words[at]);
    const std::string_view text = std::string_view{plain}.substr(2);
    const std::string_view option = text.substr(0, optionLength(text));
    const MegatronOption known = megatronOption(option);
    std::size_t values = 0;
    std::string written;
    if (const auto count = is_scripts ? readDeepSpeedFile(words, at, option, text) : std::nullopt)
        return *count;
    ShellValue value;
    if (option.size() < text.size()) {
        written = text.substr(option.size() + 1);
        value = expandedWord(written, m_variables);
    } else if (known.flag.empty()) {
        value = valueBehind(words, at, known.takes_several, written, values);
    }
    if (option == "include")
        addIncluded(value);
    if ((!is_scripts && !isCountOfProcesses(known.name)) || isOtherCount(option))
        return values;
    if (value.text.find('$') != std::string::npos) // escaped, for the shell that the text is handed to
        value = expandedWord(value.text, m_variables);
    const bool is_path = written.find('/') != std::string::npos && written.find("$((") == std::string::npos
                         && !isLayerPattern(known.name, {});
    if (!value.unknown.empty() && is_path)
        return values;
    if (!value.unknown.empty())
        value.unknown = (isNamedIn(value.unknown, written) ? "is " : "depends on ") + value.unknown;
    else if (value.text.empty())
        value.unknown = "is given nothing: " + written.substr(0, 40);
    m_options.add(option, std::move(value), m_owner, m_branches > 0);
    return values;
}

// A flag has none: what is next is an option, or a variable that holds some, or nothing. `count`: of words
// up to the last value; a variable that is empty is no word to a shell.
ShellValue ScriptReading::valueBehind(const Words& words, std::size_t option, bool takes_several,
                                      std::string& written, std::size_t& count)
{
    ShellValue value;
    std::size_t values = 0;
    const std::size_t most = takes_several ? most_values : 1;
    for (std::size_t i = option + 1; i < words.size() && values < most; ++i) {
        if (holdsOptions(words[i]) || withoutQuotes(words[i]).starts_with("--"))
            break;
        ShellValue next = expandedWord(words[i], m_variables);
        if (next.is_list)
            break;
        if (next.text.empty() && next.unknown.empty() && words[i].starts_with('$')) {
            written = words[i];
            continue;
        }
        count = i - option;
        if (++values == 1) {
            written = words[i];
            value = std::move(next);
        } else {
            value.text += (next.text.empty() ? "" : " ") + next.text;
            if (value.unknown.empty())
                value.unknown = std::move(next.unknown);
            if (value.varying.empty())
                value.varying = std::move(next.varying);
        }
    }
    if (values == 0 && written.empty())
        value.text = "True";
    return value;
}

void ScriptReading::assign(std::string_view word)
{
    const std::string_view name = word.substr(0, nameLength(word));
    const bool appends = word[name.size()] == '+';
    const std::string_view written = word.substr(name.size() + (appends ? 2 : 1));
    const bool builds_on_itself = appends || mentions(written, name);
    if (!builds_on_itself)
        m_options.overwrite(name);
    ShellValue value;
    if (holdsOptions(written)) {
        const std::string_view outer = std::exchange(m_owner, name);
        readQuoted(written);
        m_owner = outer;
        value.is_list = true;
    } else {
        value = expandedWord(appends ? "${" + std::string{name} + "}" + std::string{written} : written,
                             m_variables);
    }
    m_variables.assign(name, std::move(value), builds_on_itself);
}

// Where the options of the training script begin: behind its name, or behind what runs it.
std::size_t ScriptReading::firstOfScript(const Words& words, std::size_t command)
{
    if (words[command].starts_with('-'))
        return 0;
    for (std::size_t i = command; i < words.size(); ++i)
        if (isPythonScript(words[i]))
            return i + 1;
    for (std::size_t i = command; i < words.size(); ++i)
        if (const std::string_view name = fileName(words[i]);
            name.starts_with("python") || name == "torchrun" || name == "deepspeed" || name == "accelerate")
            return i + 1;
    return hasOwnOptions(fileName(words[command])) ? words.size() : 0;
}

bool ScriptReading::isPythonScript(std::string_view word)
{
    if (word.starts_with('-') || isAssignment(word))
        return false;
    const bool is_expanded = word.starts_with('$') || word.starts_with("\"$");
    return withoutQuotes(word).ends_with(".py")
           || (is_expanded && expandedWord(word, m_variables).text.ends_with(".py"));
}

} // namespace shardscope
