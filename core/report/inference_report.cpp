#include "core/report/inference_report.h"

#include "core/base/json_writer.h"
#include "core/inference/inference_notes.h"
#include "core/report/text_table.h"
#include "core/scenario/scenario_json.h"

#include <cmath>

namespace shardscope
{

namespace
{

std::string_view titleOf(InferredFrom from)
{
    switch (from) {
    case InferredFrom::traces:
        break;
    case InferredFrom::script:
        return "The scenario of the run that the script starts\n";
    case InferredFrom::job:
        return "The scenario of the job that the file configures\n";
    }
    return "The scenario that the traces show\n";
}

} // namespace

std::string inferenceJson(const Inference& inference)
{
    JsonWriter json;
    json.beginObject();
    json.member("shardscope", 1);
    json.key("scenario");
    writeScenario(inference.scenario, json);
    json.key("findings");
    json.beginArray();
    for (const Finding& finding : inference.findings) {
        json.beginObject(JsonWriter::Layout::line);
        json.member("key", std::string_view{finding.key});
        json.member("value", std::string_view{finding.value});
        json.member("confidence", finding.confidence);
        json.member("evidence", std::string_view{finding.evidence});
        json.endObject();
    }
    json.endArray();
    json.key("messages");
    json.beginObject(JsonWriter::Layout::line);
    json.member("classes", inference.comparison.rows.size());
    json.member("as_predicted", inference.comparison.equal_rows);
    json.endObject();
    if (inference.parameters.places > 0) {
        json.key("parameters");
        json.beginObject(JsonWriter::Layout::line);
        json.member("places", inference.parameters.places);
        json.member("as_predicted", inference.parameters.equal);
        json.endObject();
    }
    json.key("notes");
    json.beginArray();
    for (const std::string& note : inference.notes)
        json.value(std::string_view{note});
    json.endArray();
    json.endObject();
    return json.take();
}

std::string inferenceText(const Inference& inference)
{
    TextTable table{{"figure", ">value", ">sure", "because"}};
    for (const Finding& finding : inference.findings)
        table.addRow({finding.key, finding.value,
                      std::to_string(std::lround(100.0 * finding.confidence)) + " %", finding.evidence});
    std::string text = std::string{titleOf(inference.from)} + table.text() + "\n";
    if (inference.from == InferredFrom::traces)
        text += agreementOf(inference) + "\n";
    for (const std::string& note : inference.notes)
        text += "  " + note + "\n";
    return text;
}

} // namespace shardscope
