#include "core/base/file.h"
#include "core/base/json_writer.h"
#include "core/scenario/rank_order.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/words.h"

namespace shardscope
{

namespace
{

// A visitor of Fields that writes each key with its value. Sections take a line for each key, what is in them
// one line.
class FieldWriter
{
public:
    FieldWriter(JsonWriter& json, const Scenario& scenario) : m_json{json}, m_scenario{scenario} {}

    template<class T>
    void operator()(std::string_view key, const T& member)
    {
        if constexpr (HasWords<T>)
            m_json.member(key, word(member));
        else if constexpr (HasFields<T>)
            writeObject(key, member);
        else
            m_json.member(key, member);
    }

    void operator()(std::string_view key, const std::string& text)
    {
        m_json.key(key);
        if (key == "preset" && text.empty())
            m_json.null();
        else
            m_json.value(text);
    }

    // Only parameter lists have operations of their own; in a transformer they follow from the sizes.
    void operator()(std::string_view key, double number)
    {
        if (key != "flops_per_sample" || m_scenario.model.kind == ModelKind::parameter_list)
            m_json.member(key, number);
    }

    void operator()(std::string_view key, const RankOrder& order)
    {
        const Parallel& parallel = m_scenario.parallel;
        m_json.member(key, rankOrderWord(order, parallel.context > 1 || parallel.expert > 1));
    }

    // A list that is empty is the same as none.
    void operator()(std::string_view key, const std::vector<std::int64_t>& numbers)
    {
        if (numbers.empty())
            return;
        m_json.key(key);
        m_json.beginArray(JsonWriter::Layout::line);
        for (const std::int64_t number : numbers)
            m_json.value(number);
        m_json.endArray();
    }

    void operator()(std::string_view key, const std::vector<ParameterTensor>& tensors)
    {
        if (tensors.empty())
            return;
        m_json.key(key);
        m_json.beginArray();
        for (const ParameterTensor& tensor : tensors) {
            m_json.beginObject(JsonWriter::Layout::line);
            Fields<ParameterTensor>::visit(tensor, *this);
            m_json.endObject();
        }
        m_json.endArray();
    }

private:
    template<class T>
    void writeObject(std::string_view key, const T& member)
    {
        m_json.key(key);
        m_json.beginObject(m_depth == 0 ? JsonWriter::Layout::block : JsonWriter::Layout::line);
        ++m_depth;
        Fields<T>::visit(member, *this);
        --m_depth;
        m_json.endObject();
    }

    JsonWriter& m_json;
    const Scenario& m_scenario;
    int m_depth = 0;
};

} // namespace

void writeScenario(const Scenario& scenario, JsonWriter& json)
{
    json.beginObject();
    json.member("shardscope", 1);
    FieldWriter writer{json, scenario};
    Fields<Scenario>::visit(scenario, writer);
    json.endObject();
}

std::string writeScenario(const Scenario& scenario, int indent)
{
    JsonWriter json{indent};
    writeScenario(scenario, json);
    return json.take();
}

Result<bool> saveScenarioFile(const std::filesystem::path& file, const Scenario& scenario)
{
    auto written = replaceFile(file, writeScenario(scenario) + '\n');
    if (!written)
        return Error{file.string() + ": " + written.error().sentence};
    return written;
}

} // namespace shardscope
