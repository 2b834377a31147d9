#include "core/base/file.h"
#include "core/base/json_writer.h"
#include "core/scenario/layer_form_words.h"
#include "core/scenario/rank_order.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/words.h"

#include <concepts>

namespace shardscope
{

namespace
{

// A visitor of Fields that writes each key with its value. Sections take a line for each key, what is in them
// one line.
class FieldWriter
{
public:
    explicit FieldWriter(JsonWriter& json) : m_json{json} {}

    // An object with the members of one section.
    template<HasFields T>
    void write(const T& section)
    {
        if constexpr (std::same_as<T, Model>) {
            m_is_parameter_list = section.kind == ModelKind::parameter_list;
            m_has_preset = !section.preset.empty();
        }
        if constexpr (std::same_as<T, Training>)
            m_has_preset = false;
        if constexpr (std::same_as<T, Parallel>)
            m_has_cp_or_ep = section.context > 1 || section.expert > 1;
        m_json.beginObject(m_depth == 0 ? JsonWriter::Layout::block : JsonWriter::Layout::line);
        ++m_depth;
        Fields<T>::visit(*this, section);
        --m_depth;
        m_json.endObject();
    }

    template<class T>
    void operator()(std::string_view key, const T& member)
    {
        m_json.key(key);
        if constexpr (HasWords<T>)
            m_json.value(word(member));
        else if constexpr (HasFields<T>)
            write(member);
        else
            m_json.value(member);
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
        if (key != "flops_per_sample" || m_is_parameter_list)
            m_json.member(key, number);
    }

    // A model without multi-token prediction, or without windows, says nothing of it, unless a preset may,
    // nor does training that computes all layers again, or none.
    void operator()(std::string_view key, std::int64_t number)
    {
        const bool can_be_left_out = key == "mtp_layers" || key == "sliding_window"
                                     || key == "full_attention_every" || key == "recompute_layers";
        if (!can_be_left_out || number != 0 || m_has_preset)
            m_json.member(key, number);
    }

    // Nor does a model without recurrences or gates on its attention.
    void operator()(std::string_view key, const Recurrence& recurrence)
    {
        if (recurrence == Recurrence{} && !m_has_preset)
            return;
        m_json.key(key);
        write(recurrence);
    }

    void operator()(std::string_view key, bool flag)
    {
        if (key != "attention_gate" || flag || m_has_preset)
            m_json.member(key, flag);
    }

    void operator()(std::string_view key, const RankOrder& order)
    {
        m_json.member(key, rankOrderWord(order, m_has_cp_or_ep));
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

    void operator()(std::string_view key, const std::vector<LayerForm>& pattern)
    {
        if (!pattern.empty() || m_has_preset)
            m_json.member(key, layerPatternText(pattern));
    }

    template<HasWords Enum>
    void operator()(std::string_view key, const std::vector<Enum>& chosen)
    {
        if (chosen.empty())
            return;
        m_json.key(key);
        m_json.beginArray(JsonWriter::Layout::line);
        for (const Enum each : chosen)
            m_json.value(word(each));
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
            Fields<ParameterTensor>::visit(*this, tensor);
            m_json.endObject();
        }
        m_json.endArray();
    }

private:
    JsonWriter& m_json;
    bool m_is_parameter_list = false;
    bool m_has_preset = false; // of a model, whose figures stand where a file says nothing
    bool m_has_cp_or_ep = false;
    int m_depth = 0;
};

} // namespace

void writeScenario(const Scenario& scenario, JsonWriter& json)
{
    json.beginObject();
    json.member("shardscope", 1);
    FieldWriter writer{json};
    Fields<Scenario>::visit(writer, scenario);
    json.endObject();
}

void writeModel(const Model& model, JsonWriter& json)
{
    FieldWriter writer{json};
    writer.write(model);
}

void writeCluster(const Cluster& cluster, JsonWriter& json)
{
    FieldWriter writer{json};
    writer.write(cluster);
}

void writeCompute(const ComputeLaw& compute, JsonWriter& json)
{
    FieldWriter writer{json};
    writer.write(compute);
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
