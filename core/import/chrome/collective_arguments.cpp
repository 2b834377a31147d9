#include "core/import/chrome/collective_arguments.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace shardscope
{

namespace
{

void takeInteger(const JsonValue& value, std::int64_t& into)
{
    if (const auto number = toInteger(value))
        into = *number;
}

// The keys that only communication has.
void takeCommunicationKey(const JsonMember& member, CollectiveArguments& arguments)
{
    const std::string_view key = member.key;
    if (key == "Collective name")
        arguments.name = member.value;
    else if (key == "dtype")
        arguments.dtype = member.value;
    else if (key == "Process Group Name")
        arguments.group = member.value;
    else if (key == "Process Group Description")
        arguments.group_description = member.value;
    else if (key == "Process Group Ranks")
        arguments.group_ranks = member.value;
    else if (key == "In split size")
        arguments.in_splits = member.value;
    else if (key == "In msg nelems")
        takeInteger(member.value, arguments.in_elements);
    else if (key == "Out msg nelems")
        takeInteger(member.value, arguments.out_elements);
    else if (key == "Group size")
        takeInteger(member.value, arguments.group_size);
    else if (key == "Src Rank")
        takeInteger(member.value, arguments.source_rank);
    else if (key == "Dst Rank")
        takeInteger(member.value, arguments.destination_rank);
    else if (key == "Seq")
        takeInteger(member.value, arguments.sequence);
}

// The product of the numbers in "[4, 2048]". False where it holds anything else, or overflows.
bool multiplyDimensions(std::string_view shape, std::int64_t& product)
{
    JsonReader reader(shape);
    JsonMember member;
    product = 1;
    while (reader.next(member)) {
        const std::int64_t length = toInteger(member.value).value_or(-1);
        if (length < 0 || __builtin_mul_overflow(product, length, &product))
            return false;
    }
    return !reader.isBroken();
}

// Bytes of element types, by name.
using Width = std::pair<std::string_view, int>;
constexpr auto element_widths = std::to_array<Width>(
    {{"bf16", 2},        {"bfloat16", 2},     {"bool", 1},           {"byte", 1},         {"char", 1},
     {"complex128", 16}, {"complex64", 8},    {"complexdouble", 16}, {"complexfloat", 8}, {"complexhalf", 4},
     {"double", 8},      {"float", 4},        {"float16", 2},        {"float32", 4},      {"float64", 8},
     {"fp16", 2},        {"fp32", 4},         {"fp64", 8},           {"half", 2},         {"int", 4},
     {"int16", 2},       {"int32", 4},        {"int64", 8},          {"int8", 1},         {"long", 8},
     {"longint", 8},     {"qint32", 4},       {"qint8", 1},          {"quint8", 1},       {"short", 2},
     {"shortint", 2},    {"signedchar", 1},   {"uint16", 2},         {"uint32", 4},       {"uint64", 8},
     {"uint8", 1},       {"unsignedchar", 1}, {"unsignedint", 4}});
static_assert(std::ranges::is_sorted(element_widths, {}, &Width::first));

// Numbers among the inputs, in the words of old versions; new ones say "Scalar". A tensor of one element has
// no dimensions either, but the type of its elements: "int", "long int".
bool isScalar(std::string_view type)
{
    return type == "Int" || type == "Double" || type == "Bool";
}

} // namespace

CollectiveArguments readCollectiveArguments(std::string_view text)
{
    CollectiveArguments arguments;
    JsonReader reader(text);
    JsonMember member;
    while (reader.next(member)) {
        const std::string_view key = member.key;
        if (key == "External id" || key == "external id")
            takeInteger(member.value, arguments.external_id);
        else if (key == "Input Dims")
            arguments.input_dims = member.value;
        else if (key == "Input type")
            arguments.input_types = member.value;
        else if (key == "Concrete Inputs")
            arguments.concrete_inputs = member.value;
        else
            takeCommunicationKey(member, arguments);
    }
    return arguments;
}

int elementBytes(std::string_view dtype)
{
    // What nearly every call has, without a search.
    if (dtype == "BFloat16" || dtype == "c10::BFloat16" || dtype == "Half" || dtype == "c10::Half")
        return 2;
    if (dtype == "Float" || dtype == "float")
        return 4;
    constexpr std::size_t longest = 24; // no type's name has more letters
    std::array<char, longest> letters{};
    std::size_t count = 0;
    for (const char letter : dtype) {
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0)
            continue;
        if (count == longest)
            return 0;
        letters[count++] = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    std::string_view bare(letters.data(), count);
    for (const std::string_view prefix : {"c10", "torch", "at"}) {
        if (bare.starts_with(prefix))
            bare.remove_prefix(prefix.size());
    }
    if (bare.starts_with("float8") || bare.starts_with("fp8") || bare == "float4e2m1fnx2") // two in a byte
        return 1;
    const auto* const found = std::ranges::lower_bound(element_widths, bare, {}, &Width::first);
    return found != element_widths.end() && found->first == bare ? found->second : 0;
}

TensorInputs readTensorInputs(const JsonValue& dims, const JsonValue& types)
{
    TensorInputs inputs;
    if (dims.kind != JsonKind::array)
        return inputs;
    JsonReader dim_reader(dims.text);
    JsonReader type_reader(types.kind == JsonKind::array ? types.text : std::string_view("[]"));
    JsonMember dim;
    JsonMember type;
    while (dim_reader.next(dim)) {
        const std::string_view name = type_reader.next(type) ? type.value.text : std::string_view{};
        const bool is_list = name == "TensorList";
        std::int64_t elements = 0;
        if ((!is_list && elementBytes(name) == 0) || isScalar(name) || !countElements(dim.value, elements))
            continue;
        if (is_list && dim.value.text.find('[', 1) == std::string_view::npos)
            continue; // "[]" for a list: the file keeps its shapes to itself
        inputs.dtype = inputs.dtype.empty() ? name : inputs.dtype;
        inputs.elements = std::max<std::int64_t>(inputs.elements, 0);
        if (__builtin_add_overflow(inputs.elements, elements, &inputs.elements))
            inputs.elements = -1;
    }
    return inputs;
}

bool countElements(const JsonValue& shape, std::int64_t& elements)
{
    if (shape.kind != JsonKind::array)
        return false;
    if (shape.text.find('[', 1) == std::string_view::npos)
        return multiplyDimensions(shape.text, elements);
    JsonReader reader(shape.text);
    JsonMember member;
    elements = 0;
    while (reader.next(member)) {
        std::int64_t one = 0;
        if (member.value.kind != JsonKind::array || !multiplyDimensions(member.value.text, one)
            || __builtin_add_overflow(elements, one, &elements))
            return false;
    }
    return !reader.isBroken();
}

std::int64_t lastConcreteInput(const JsonValue& concrete)
{
    if (concrete.kind != JsonKind::array)
        return 0;
    JsonReader reader(concrete.text);
    JsonMember member;
    std::int64_t last = 0;
    while (reader.next(member))
        last = toInteger(member.value).value_or(0);
    return std::max<std::int64_t>(last, 0);
}

} // namespace shardscope
