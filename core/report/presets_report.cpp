#include "core/report/presets_report.h"

#include "core/base/json_writer.h"
#include "core/scenario/figure_text.h"
#include "core/scenario/scenario_fields.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>

namespace shardscope
{

namespace
{

void writeSources(const std::vector<FigureSource>& sources, JsonWriter& json)
{
    json.key("sources");
    json.beginObject();
    for (const FigureSource& figure : sources)
        json.member(figure.key, figure.source);
    json.endObject();
}

void writeMissing(const std::vector<std::string>& missing, JsonWriter& json)
{
    json.key("assumed");
    json.beginArray(JsonWriter::Layout::line);
    for (const std::string& key : missing)
        json.value(key);
    json.endArray();
}

// Figures that have the same source share a line: "layers 54, hidden_size 2000: Table 3".
template<class Section>
void appendFigures(const Section& section, const std::vector<FigureSource>& sources, std::string& text)
{
    std::vector<FigureSource> grouped;
    for (const FigureSource& figure : sources) {
        const std::string value = figureText(section, figure.key);
        const std::string shown = figure.key + (value.empty() ? "" : " " + value);
        const auto same = std::ranges::find(grouped, figure.source, &FigureSource::source);
        if (same == grouped.end())
            grouped.push_back({shown, figure.source});
        else
            same->key += ", " + shown;
    }
    for (const FigureSource& group : grouped)
        text += "    " + group.key + ": " + group.source + "\n";
}

void appendAssumptions(const ClusterPreset& preset, std::string& text)
{
    if (!preset.cluster.calibrated)
        text += "    not calibrated: counts and sizes hold, times must not be used as predictions\n";
    if (preset.missing.empty())
        return;
    text += "    not published, assumed:";
    for (const std::string& key : preset.missing)
        text += (key == preset.missing.front() ? " " : ", ") + key + " " + figureText(preset.cluster, key);
    text += "\n";
}

// The constants of the detailed time model, which clusters have by their GPU.
void writeGpus(const Presets& presets, JsonWriter& json)
{
    json.key("gpus");
    json.beginArray();
    for (const GpuPreset& preset : presets.gpus()) {
        json.beginObject();
        json.member("name", preset.name);
        json.member("title", preset.title);
        json.key("names");
        json.beginArray(JsonWriter::Layout::line);
        for (const std::string& name : preset.names)
            json.value(name);
        json.endArray();
        json.key("compute");
        writeCompute(preset.compute, json);
        writeSources(preset.sources, json);
        json.endObject();
    }
    json.endArray();
}

// Every figure that a GPU has: "gemm_efficiency 0.785, ...".
struct GpuFigures {
    Cluster cluster; // of the GPU
    std::string text;

    void operator()(std::string_view key, const auto&)
    {
        const std::string value = figureText(cluster, "compute." + std::string{key});
        if (!value.empty())
            text += (text.empty() ? "" : ", ") + std::string{key} + ' ' + value;
    }
};

void appendGpu(const GpuPreset& preset, std::string& text)
{
    GpuFigures figures;
    figures.cluster.compute = preset.compute;
    Fields<ComputeLaw>::visit(figures, preset.compute);
    text += "\n  " + preset.name + ": " + preset.title + "\n    " + figures.text + '\n';
    for (const FigureSource& figure : preset.sources)
        text += "    " + figure.key + ": " + figure.source + '\n';
}

} // namespace

std::string presetsJson(const Presets& presets, int indent)
{
    JsonWriter json{indent};
    json.beginObject();
    json.member("shardscope", 1);
    json.key("models");
    json.beginArray();
    for (const ModelPreset& preset : presets.models()) {
        json.beginObject();
        json.member("name", preset.name);
        json.member("title", preset.title);
        json.key("model");
        writeModel(preset.model, json);
        writeSources(preset.sources, json);
        json.endObject();
    }
    json.endArray();
    json.key("clusters");
    json.beginArray();
    for (const ClusterPreset& preset : presets.clusters()) {
        json.beginObject();
        json.member("name", preset.name);
        json.member("title", preset.title);
        json.member("calibrated", preset.cluster.calibrated);
        json.key("cluster");
        writeCluster(preset.cluster, json);
        writeSources(preset.sources, json);
        writeMissing(preset.missing, json);
        json.endObject();
    }
    json.endArray();
    writeGpus(presets, json);
    json.endObject();
    return json.take();
}

std::string presetsText(const Presets& presets)
{
    std::string text = "Models (model.preset)\n";
    for (const ModelPreset& preset : presets.models()) {
        text += "\n  " + preset.name + ": " + preset.title + "\n";
        appendFigures(preset.model, preset.sources, text);
    }
    text += "\nClusters (cluster.preset)\n";
    for (const ClusterPreset& preset : presets.clusters()) {
        text += "\n  " + preset.name + ": " + preset.title + "\n";
        appendFigures(preset.cluster, preset.sources, text);
        appendAssumptions(preset, text);
    }
    text += "\nGPUs (cluster.gpu, by how names begin): what clusters have in cluster.compute\n";
    for (const GpuPreset& preset : presets.gpus())
        appendGpu(preset, text);
    return text;
}

} // namespace shardscope
