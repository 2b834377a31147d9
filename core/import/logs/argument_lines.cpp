// What a log tells of the run's settings: Megatron's table of all arguments, DeepSpeed's of its engine, the
// vocabulary as it was padded, and how many parameters each place in the layout holds:
//   ------------------------ arguments ------------------------
//     hidden_size ..................................... 6144
//     scaled_upper_triang_masked_softmax_fusion  False
//   -------------------- end of arguments ---------------------
//    > padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)
//    > number of parameters on (tensor, pipeline) model parallel rank (0, 1): 1132938240
//   [INFO] [config.py:904:print]   zero_optimization_stage ...... 3
// A launcher may have put something before each line, and others write lines between. Paths and free text may
// tell of people and machines, and no figure needs them: they are not kept.
#include "core/import/logs/log_lines.h"
#include "core/import/text_fields.h"

#include "core/base/most_ranks.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::size_t most_letters = 4000; // of a value

// A name and what stands behind it.
struct ArgumentRow {
    std::string_view name;
    std::string_view value;
};

bool isIdentifier(std::string_view word)
{
    constexpr std::size_t longest = 200;
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    const auto is_letter = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
    };
    return !word.empty() && word.size() <= longest && !is_digit(word.front())
           && std::ranges::all_of(word, [&](char each) { return is_letter(each) || is_digit(each); });
}

// Behind dots that fill the column of names; only a name as long as the column has none. DeepSpeed's column
// is the narrowest.
std::string_view valueBehind(std::string_view name, std::string_view text)
{
    constexpr std::size_t narrowest_column = 29;
    if (!text.starts_with(" ."))
        return text.starts_with("  ") && name.size() >= narrowest_column ? trimmed(text) : std::string_view();
    const std::size_t end = text.find_first_not_of('.', 1);
    return end != std::string_view::npos && text[end] == ' ' ? trimmed(text.substr(end)) : std::string_view();
}

// Two blanks and a name, wherever in the line they stand.
std::optional<ArgumentRow> rowIn(std::string_view line)
{
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1); // npos + 1 is 0
    std::size_t at = line.find("  ");
    while (at != std::string_view::npos) {
        at = line.find_first_not_of(' ', at);
        const std::string_view behind = line.substr(at);
        const std::string_view name = behind.substr(0, behind.find(' '));
        const std::string_view value = valueBehind(name, behind.substr(name.size()));
        if (!value.empty() && isIdentifier(name))
            return ArgumentRow{name, value};
        at = line.find("  ", at);
    }
    return std::nullopt;
}

// Python's lists of words: "['p2p', 'a2a']" is "[p2p, a2a]".
std::string withoutQuotesOfList(std::string_view value)
{
    std::string plain{value};
    if (value.starts_with('['))
        std::erase_if(plain, [](char letter) { return letter == '\'' || letter == '"'; });
    return plain;
}

// Letters that steer a terminal come from other programs' lines.
bool mayBeKept(std::string_view name, std::string_view value)
{
    return value.size() <= most_letters
           && (value.find_first_of("/'\"`\x1b\b") == std::string_view::npos || isLayerPattern(name, value));
}

// "(size: 50257)"
std::optional<std::int64_t> numberBehind(std::string_view text, std::string_view name)
{
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::string_view behind = text.substr(at + name.size());
    return wholeNumber(trimmed(behind.substr(0, behind.find(')'))));
}

// "0, 1): 1132938240", with anything behind.
std::optional<PlaceParameters> placeIn(std::string_view text)
{
    constexpr std::size_t longest = 80;
    text = text.substr(0, longest);
    const std::size_t comma = text.find(',');
    const std::size_t close = text.find("):");
    if (close == std::string_view::npos || comma > close)
        return std::nullopt;
    const auto tensor_rank = wholeNumber(trimmed(text.substr(0, comma)));
    const auto stage = wholeNumber(trimmed(text.substr(comma + 1, close - comma - 1)));
    const std::string_view count = trimmed(text.substr(close + 2));
    const std::size_t end = std::min(count.find_first_not_of("0123456789"), count.size());
    const auto parameters = wholeNumber(count.substr(0, end));
    const bool is_rounded = count.substr(end).starts_with('.');
    const auto is_rank = [](const std::optional<std::int64_t>& rank) {
        return rank && *rank >= 0 && *rank < most_ranks;
    };
    if (!is_rank(tensor_rank) || !is_rank(stage) || !parameters || *parameters <= 0 || is_rounded)
        return std::nullopt;
    return PlaceParameters{*tensor_rank, *stage, *parameters};
}

// In the order in which the names came up; the last value of a name counts.
class ArgumentList
{
public:
    const std::vector<RunArgument>& all() const { return m_arguments; }
    void set(std::string name, std::string value);

private:
    std::vector<RunArgument> m_arguments;
    std::unordered_map<std::string, std::size_t> m_rows;
};

void ArgumentList::set(std::string name, std::string value)
{
    constexpr std::size_t most_arguments = 4096;
    const auto found = m_rows.find(name);
    if (found != m_rows.end()) {
        m_arguments[found->second].value = std::move(value);
    } else if (m_arguments.size() < most_arguments) {
        m_rows.emplace(name, m_arguments.size());
        m_arguments.push_back({std::move(name), std::move(value)});
    }
}

class ArgumentLines final : public LogLines
{
public:
    std::string_view format() const override { return "megatron_log"; }
    void take(std::string_view line) override;
    bool fill(TraceFile& file, std::vector<TraceFile>& further) override;

private:
    void takeTableLine(std::string_view line);
    void takeEngineLine(std::string_view line);
    void takeVocabulary(std::string_view line);
    void takeParameters(std::string_view line);
    void beginTable();
    void compareWithTableBefore();

    ArgumentList m_table;
    ArgumentList m_others;                                                      // what was told beside it
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> m_parameters; // by stage and tensor rank
    bool m_is_in_table = false;
    bool m_begins = false; // a table has, and no argument was read yet: what is older still counts
    std::int64_t m_tables = 0;
    std::vector<RunArgument> m_table_before;
    bool m_tables_differ = false;
};

void ArgumentLines::take(std::string_view line)
{
    if (line.find("- arguments -") != std::string_view::npos)
        m_is_in_table = m_begins = true;
    else if (line.find("config.py:") != std::string_view::npos)
        takeEngineLine(line);
    else if (m_is_in_table)
        takeTableLine(line);
    takeVocabulary(line);
    takeParameters(line);
}

void ArgumentLines::takeTableLine(std::string_view line)
{
    if (line.find("- end of arguments -") != std::string_view::npos) {
        m_is_in_table = false;
        return;
    }
    const std::optional<ArgumentRow> row = rowIn(line);
    if (!row)
        return;
    std::string value = withoutQuotesOfList(row->value);
    if (!mayBeKept(row->name, value))
        return;
    if (m_begins)
        beginTable();
    m_table.set(std::string(row->name), std::move(value));
}

// Whatever was told before is of a run that has ended.
void ArgumentLines::beginTable()
{
    compareWithTableBefore();
    m_table_before = m_table.all();
    m_table = {};
    m_others = {};
    m_parameters.clear();
    m_begins = false;
    ++m_tables;
}

void ArgumentLines::compareWithTableBefore()
{
    if (m_tables > 1 && m_table.all() != m_table_before)
        m_tables_differ = true;
}

// Objects and tables of several lines are no single settings.
void ArgumentLines::takeEngineLine(std::string_view line)
{
    constexpr std::string_view begin = ":print]";
    const std::size_t at = line.find(begin);
    if (at == std::string_view::npos)
        return;
    const std::optional<ArgumentRow> row = rowIn(line.substr(at + begin.size()));
    if (row && mayBeKept(row->name, row->value) && !row->value.starts_with('{')
        && !row->value.starts_with('<'))
        m_others.set("deepspeed." + std::string(row->name), std::string(row->value));
}

void ArgumentLines::takeVocabulary(std::string_view line)
{
    const std::size_t at = line.find("> padded vocab (size:");
    if (at == std::string_view::npos)
        return;
    const std::string_view told = line.substr(at);
    const auto size = numberBehind(told, "(size:");
    const auto padded_size = numberBehind(told, "(new size:");
    if (!size || !padded_size || *size <= 0 || *padded_size < *size)
        return;
    m_others.set("tokenizer_vocab_size", std::to_string(*size));
    m_others.set("padded_vocab_size", std::to_string(*padded_size));
}

// Several ranks may have written into one line.
void ArgumentLines::takeParameters(std::string_view line)
{
    constexpr std::string_view begin = "> number of parameters on (tensor, pipeline) model parallel rank (";
    std::size_t at = line.find(begin);
    while (at != std::string_view::npos) {
        at += begin.size();
        if (const std::optional<PlaceParameters> place = placeIn(line.substr(at)))
            m_parameters[{place->stage, place->tensor_rank}] = place->parameters;
        at = line.find(begin, at);
    }
}

bool ArgumentLines::fill(TraceFile& file, std::vector<TraceFile>& /*further*/)
{
    const bool has_found = m_tables > 0 || !m_parameters.empty();
    if (!has_found && file.format.empty()) // DeepSpeed's settings alone are no measurement
        return false;
    compareWithTableBefore();
    if (m_tables_differ)
        file.notes.push_back("the log has " + std::to_string(m_tables)
                             + " tables of arguments, as of a run that was started again; the last counts");
    const auto ranks = std::ranges::find(m_table.all(), "world_size", &RunArgument::name);
    if (file.world_size == 0 && ranks != m_table.all().end())
        if (const auto told = wholeNumber(ranks->value); told && *told >= 1 && *told <= most_ranks)
            file.world_size = *told;
    for (const RunArgument& other : m_others.all())
        m_table.set(other.name, other.value);
    file.arguments = m_table.all();
    for (const auto& [place, parameters] : m_parameters)
        file.parameters.push_back({place.second, place.first, parameters});
    return has_found;
}

} // namespace

std::unique_ptr<LogLines> makeArgumentLines()
{
    return std::make_unique<ArgumentLines>();
}

} // namespace shardscope
