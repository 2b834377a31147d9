#include "core/import/records/pickle.h"

#include "core/import/json/json_members.h"

#include <nlohmann/json.hpp>

#include <bit>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardscope
{

namespace
{

using Json = nlohmann::json;

constexpr std::size_t most_values = 8'000'000; // references can make a small file a huge value
constexpr int most_nesting = 64;

// Values refer to each other as in Python: a list may stand in many places and be filled later.
struct Value {
    enum class Kind { plain, list, dict };
    Kind kind = Kind::plain;
    Json plain;
    std::vector<Value*> items; // of a dict: key, value, key, value ...
};

// The machine that a pickle is a program for, without the instructions that could do harm.
class Machine
{
public:
    explicit Machine(std::string_view bytes) : m_bytes(bytes) {}

    Result<PickleOutcome> run(Json& value);

private:
    enum class Step { ok, stop, cut, refused };

    Step step();
    Step pushContainer(unsigned char code);
    Step pushNumber(unsigned char code);
    Step pushText(unsigned char code);
    Step fill(unsigned char code);
    Step remember(unsigned char code);
    Step recall(unsigned char code);

    bool take(std::size_t count, std::string_view& bytes);
    bool takeUnsigned(std::size_t count, std::uint64_t& number);
    Value* make(Json plain);
    Value* makeContainer(Value::Kind kind, std::vector<Value*> items);
    Step push(Value* value);
    Step pushOf(std::size_t count);
    bool popToMark(std::vector<Value*>& items);
    void collapse();
    bool convert(const Value& from, int depth, Json& to);

    std::string_view m_bytes;
    std::size_t m_at = 0;
    std::deque<Value> m_values;  // every value there is, so that references may go round in circles
    std::vector<Value*> m_stack; // null: a mark
    std::unordered_map<std::uint64_t, Value*> m_memo;
    std::size_t m_converted = 0;
};

bool Machine::take(std::size_t count, std::string_view& bytes)
{
    if (count > m_bytes.size() - m_at)
        return false;
    bytes = m_bytes.substr(m_at, count);
    m_at += count;
    return true;
}

// Little-endian.
bool Machine::takeUnsigned(std::size_t count, std::uint64_t& number)
{
    std::string_view bytes;
    if (!take(count, bytes))
        return false;
    number = 0;
    for (std::size_t i = count; i > 0; --i)
        number = (number << 8) | static_cast<unsigned char>(bytes[i - 1]);
    return true;
}

Value* Machine::make(Json plain)
{
    m_values.push_back({Value::Kind::plain, std::move(plain), {}});
    return &m_values.back();
}

Value* Machine::makeContainer(Value::Kind kind, std::vector<Value*> items)
{
    m_values.push_back({kind, nullptr, std::move(items)});
    return &m_values.back();
}

Machine::Step Machine::push(Value* value)
{
    m_stack.push_back(value);
    return Step::ok;
}

// A tuple of the topmost values.
Machine::Step Machine::pushOf(std::size_t count)
{
    if (m_stack.size() < count)
        return Step::refused;
    const std::vector<Value*> items(m_stack.end() - static_cast<std::ptrdiff_t>(count), m_stack.end());
    m_stack.resize(m_stack.size() - count);
    return push(makeContainer(Value::Kind::list, items));
}

bool Machine::popToMark(std::vector<Value*>& items)
{
    for (std::size_t i = m_stack.size(); i > 0; --i) {
        if (m_stack[i - 1] != nullptr)
            continue;
        items.assign(m_stack.begin() + static_cast<std::ptrdiff_t>(i), m_stack.end());
        m_stack.resize(i - 1);
        return true;
    }
    return false;
}

// One instruction. The codes are those of Python's pickletools.
Machine::Step Machine::step()
{
    std::string_view code_byte;
    if (!take(1, code_byte))
        return Step::cut;
    const auto code = static_cast<unsigned char>(code_byte[0]);
    std::string_view skipped;
    switch (code) {
    case 0x80: // PROTO
        return take(1, skipped) ? Step::ok : Step::cut;
    case 0x95: // FRAME
        return take(8, skipped) ? Step::ok : Step::cut;
    case '.': // STOP
        return Step::stop;
    case '(': // MARK
        return push(nullptr);
    case '0': // POP
        if (m_stack.empty())
            return Step::refused;
        m_stack.pop_back();
        return Step::ok;
    case 'N':
        return push(make(nullptr));
    case 0x88:
        return push(make(true));
    case 0x89:
        return push(make(false));
    default:
        break;
    }
    for (const auto member : {&Machine::pushContainer, &Machine::pushNumber, &Machine::pushText,
                              &Machine::fill, &Machine::remember, &Machine::recall}) {
        const Step outcome = (this->*member)(code);
        if (outcome != Step::refused)
            return outcome;
    }
    return Step::refused;
}

Machine::Step Machine::pushContainer(unsigned char code)
{
    std::vector<Value*> items;
    switch (code) {
    case ']':
        return push(makeContainer(Value::Kind::list, {}));
    case '}':
        return push(makeContainer(Value::Kind::dict, {}));
    case ')':
        return push(makeContainer(Value::Kind::list, {}));
    case 0x85: // TUPLE1 to TUPLE3
    case 0x86:
    case 0x87:
        return pushOf(code - 0x84U);
    case 't':
    case 'l':
    case 'd':
        if (!popToMark(items))
            return Step::refused;
        return push(makeContainer(code == 'd' ? Value::Kind::dict : Value::Kind::list, std::move(items)));
    default:
        return Step::refused;
    }
}

Machine::Step Machine::pushNumber(unsigned char code)
{
    std::uint64_t number = 0;
    std::string_view bytes;
    switch (code) {
    case 'J': // BININT
        return takeUnsigned(4, number) ? push(make(static_cast<std::int32_t>(number))) : Step::cut;
    case 'K': // BININT1
        return takeUnsigned(1, number) ? push(make(number)) : Step::cut;
    case 'M': // BININT2
        return takeUnsigned(2, number) ? push(make(number)) : Step::cut;
    case 0x8a: { // LONG1: two's complement of as many bytes as it says
        std::uint64_t size = 0;
        if (!takeUnsigned(1, size) || !take(size, bytes))
            return Step::cut;
        if (size > 8)
            return push(make(nullptr)); // beyond 64 bits: nothing of ours is
        m_at -= size;
        takeUnsigned(size, number);
        if (size > 0 && size < 8 && (bytes.back() & 0x80) != 0)
            number |= ~std::uint64_t{0} << (8 * size);
        return push(make(static_cast<std::int64_t>(number)));
    }
    case 'G': { // BINFLOAT: big-endian
        if (!take(8, bytes))
            return Step::cut;
        for (const char byte : bytes)
            number = (number << 8) | static_cast<unsigned char>(byte);
        return push(make(std::bit_cast<double>(number)));
    }
    default:
        return Step::refused;
    }
}

Machine::Step Machine::pushText(unsigned char code)
{
    std::size_t width = 0; // of the length
    switch (code) {
    case 'X': // BINUNICODE
    case 'T': // BINSTRING
        width = 4;
        break;
    case 0x8c: // SHORT_BINUNICODE
    case 'U':  // SHORT_BINSTRING
        width = 1;
        break;
    case 0x8d: // BINUNICODE8
        width = 8;
        break;
    default:
        return Step::refused;
    }
    std::uint64_t size = 0;
    std::string_view text;
    if (!takeUnsigned(width, size) || !take(size, text))
        return Step::cut;
    return push(make(repairedUtf8(text).value_or(std::string(text))));
}

Machine::Step Machine::fill(unsigned char code)
{
    const bool is_dict = code == 's' || code == 'u';
    std::vector<Value*> items;
    if (code == 'a' || code == 's') { // APPEND, SETITEM
        const std::size_t count = code == 'a' ? 1 : 2;
        if (m_stack.size() <= count)
            return Step::refused;
        items.assign(m_stack.end() - static_cast<std::ptrdiff_t>(count), m_stack.end());
        m_stack.resize(m_stack.size() - count);
    } else if ((code != 'e' && code != 'u') || !popToMark(items)) { // APPENDS, SETITEMS
        return Step::refused;
    }
    Value* const container = m_stack.empty() ? nullptr : m_stack.back();
    if (container == nullptr || container->kind != (is_dict ? Value::Kind::dict : Value::Kind::list))
        return Step::refused;
    container->items.insert(container->items.end(), items.begin(), items.end());
    return Step::ok;
}

Machine::Step Machine::remember(unsigned char code)
{
    std::uint64_t place = m_memo.size(); // MEMOIZE
    if (code != 'q' && code != 'r' && code != 0x94)
        return Step::refused;
    if (m_stack.empty() || m_stack.back() == nullptr)
        return Step::refused;
    if (code != 0x94 && !takeUnsigned(code == 'q' ? 1 : 4, place))
        return Step::cut;
    m_memo[place] = m_stack.back();
    return Step::ok;
}

Machine::Step Machine::recall(unsigned char code)
{
    std::uint64_t place = 0;
    if (code != 'h' && code != 'j')
        return Step::refused;
    if (!takeUnsigned(code == 'h' ? 1 : 4, place))
        return Step::cut;
    const auto found = m_memo.find(place);
    return found != m_memo.end() ? push(found->second) : Step::refused;
}

// Puts what waits above each mark into the container below it, as the instruction that was cut off would
// have.
void Machine::collapse()
{
    std::vector<Value*> items;
    while (popToMark(items)) {
        Value* const container = m_stack.empty() ? nullptr : m_stack.back();
        if (container != nullptr && container->kind != Value::Kind::plain)
            container->items.insert(container->items.end(), items.begin(), items.end());
        items.clear();
    }
}

bool Machine::convert(const Value& from, int depth, Json& to)
{
    if (++m_converted > most_values || depth > most_nesting)
        return false;
    if (from.kind == Value::Kind::plain) {
        to = from.plain;
        return true;
    }
    to = from.kind == Value::Kind::list ? Json::array() : Json::object();
    if (from.kind == Value::Kind::list) {
        for (const Value* item : from.items) {
            to.push_back(nullptr);
            if (item == nullptr || !convert(*item, depth + 1, to.back()))
                return false;
        }
        return true;
    }
    for (std::size_t i = 0; i + 1 < from.items.size(); i += 2) {
        const Value* const key = from.items[i];
        if (key == nullptr || key->kind != Value::Kind::plain || from.items[i + 1] == nullptr)
            return false;
        const std::string text = key->plain.is_string() ? key->plain.get<std::string>() : key->plain.dump();
        if (!convert(*from.items[i + 1], depth + 1, to[text]))
            return false;
    }
    return true;
}

Result<PickleOutcome> Machine::run(Json& value)
{
    Step outcome = Step::ok;
    while (outcome == Step::ok)
        outcome = step();
    if (outcome == Step::refused)
        return Error{
            "the pickle holds more than plain data, or is damaged, at byte " + std::to_string(m_at)
            + "; nothing in it was executed. A flight recorder dump is plain data: was this file made by "
              "something else?"};
    if (outcome == Step::cut)
        collapse();
    if (m_stack.empty() || m_stack.front() == nullptr || (outcome == Step::stop && m_stack.size() != 1))
        return Error{"the pickle is cut off at its beginning"};
    if (!convert(*m_stack.front(), 0, value))
        return Error{"the pickle is nested or repeated beyond all measure"};
    return PickleOutcome{outcome == Step::cut};
}

} // namespace

Result<PickleOutcome> readPickle(std::string_view bytes, Json& value)
{
    return Machine(bytes).run(value);
}

} // namespace shardscope
