#include "core/report/collective_report.h"

#include "core/base/format.h"
#include "core/base/json_writer.h"
#include "core/report/prediction_report.h"
#include "core/report/text_table.h"

namespace shardscope
{

namespace
{

void writeNumbers(std::string_view key, const auto& numbers, JsonWriter& json)
{
    json.key(key);
    json.beginArray(JsonWriter::Layout::line);
    for (const auto& number : numbers)
        json.value(number);
    json.endArray();
}

void writeBands(const std::vector<std::array<double, 2>>& bands, JsonWriter& json)
{
    json.key("error_band");
    json.beginArray(JsonWriter::Layout::line);
    for (const std::array<double, 2>& band : bands)
        writeBand(band, json);
    json.endArray();
}

} // namespace

std::string collectiveJson(const CollectiveAnswer& answer, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    json.member("op", word(answer.question.op));
    json.member("ranks", answer.question.ranks);
    json.member("per_node", answer.question.per_node);
    writeNumbers("message_bytes", answer.question.message_bytes, json);
    writeNumbers("time_s", answer.time_s, json);
    writeNumbers("busbw_GBps", answer.busbw_GBps, json);
    writeBands(answer.error_band, json);
    writeNumbers("warnings", answer.warnings, json);
    json.endObject();
    return json.take();
}

std::string collectiveText(const CollectiveAnswer& answer)
{
    const CollectiveQuestion& question = answer.question;
    std::string text = std::string{word(question.op)} + " over "
                       + countedSentence(question.ranks, "1 rank", "# ranks") + ", "
                       + std::to_string(question.per_node) + " on a node\n\n";
    TextTable table{{">size", ">bytes", ">time", ">", ">busbw GB/s"}};
    for (std::size_t i = 0; i < question.message_bytes.size(); ++i)
        table.addRow({formatBytes(static_cast<double>(question.message_bytes[i])),
                      formatGrouped(question.message_bytes[i]), formatSeconds(answer.time_s[i]),
                      answer.time_s[i] > 0.0 ? timeBandWords(answer.error_band[i]) : std::string{},
                      formatFixed(answer.busbw_GBps[i], 2)});
    text += table.text();
    for (const std::string& warning : answer.warnings)
        text += "\n  " + warning;
    return text + (answer.warnings.empty() ? "" : "\n");
}

} // namespace shardscope
