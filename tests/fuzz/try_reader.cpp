#include "tests/fuzz/try_reader.h"

#include "core/analysis/digest/digest_figures.h"
#include "core/base/resources.h"
#include "core/import/streams/tar_archive.h"
#include "core/import/trace_format.h"
#include "core/scenario/deepspeed/deepspeed_scenario.h"
#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/json_text.h"
#include "core/scenario/megatron/launched_run.h"
#include "core/scenario/megatron/megatron_run.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "tests/fuzz/memory_stream.h"

#include <cstdio>
#include <cstdlib>

namespace shardscope
{

namespace
{

// What every file must be, read or refused.
void check(bool is_right, const char* what)
{
    if (is_right)
        return;
    std::fprintf(stderr, "a reader broke its word: %s\n", what);
    std::abort();
}

void readArguments(const std::vector<RunArgument>& arguments)
{
    const auto run = megatronRun(arguments, {});
    check(run || !run.error().sentence.empty(), "arguments refused without a sentence");
    if (run)
        validate(run.value().scenario);
}

void readLaunchScript(std::string_view script)
{
    const auto run = launchedRun(script, {}, {});
    check(run || !run.error().sentence.empty(), "a script refused without a sentence");
    if (run)
        validate(run.value().scenario);
}

// Nothing in it is refused once it is JSON.
void readDeepSpeedConfig(std::string_view text)
{
    const auto root = parseJson(text);
    if (!root)
        return;
    DeepSpeedSettings settings = readDeepSpeedSettings(root.value());
    const Scenario read = withDeepSpeed({}, settings, settings.notes);
    const std::int64_t step = read.training.micro_batch_size * read.parallel.data;
    check(step > 0 && read.training.global_batch_size % step == 0, "a batch that comes out uneven");
    for (const std::string& note : settings.notes)
        check(note.ends_with('.'), "a note that is no sentence");
    validate(read);
}

// Whatever a scenario is read from: its own format, config.json, a job of torchtitan, a script.
void readScenarioText(std::string_view text)
{
    static const Presets presets = Presets::load(resourcesFolder() / "presets").value();
    looksLikeScenario(text);
    const auto reading = readScenario(text, presets);
    check(reading || !reading.error().sentence.empty(), "a scenario refused without a sentence");
    if (!reading)
        return;
    for (const std::string& warning : reading.value().warnings)
        check(!warning.empty(), "a warning without a word");
    validate(reading.value().scenario);
    const std::string written = writeScenario(reading.value().scenario);
    const auto again = readScenario(written, presets);
    check(again && writeScenario(again.value().scenario) == written, "a scenario that changes when saved");
}

void readWith(const TraceFormat& format, std::unique_ptr<ByteStream> source)
{
    const ImportOptions options{.on_progress = {}, .threads = 1};
    ImportControl control(options, 0, 1);
    PeekedStream stream(std::move(source));
    ReadJob job{"rank0.json", stream, control};
    TraceFile file;
    const auto rejection = format.read(job, file);
    check(!rejection || !rejection->sentence.empty(), "a refusal without a sentence");
    for (const ImportWarning& warning : job.warnings.warnings())
        check(!warning.what.empty() && warning.count > 0, "an oddity without a word or a count");
    if (file.digest)
        decodeFigures(file.digest->figures);
    readArguments(file.arguments);
    if (rejection || !file.store)
        return;
    for (const Track& track : file.store->tracks()) {
        TraceTime last = file.store->firstStart();
        for (std::uint32_t i = 0; i < track.count; ++i) {
            const EventIndex event{static_cast<std::uint32_t>(track.first) + i};
            check(file.store->start(event) >= last, "events that are not in order");
            check(file.store->duration(event) >= 0, "an event of negative duration");
            last = file.store->start(event);
        }
    }
}

void readRecognised(std::unique_ptr<ByteStream> source)
{
    auto stream = inflateIfCompressed(std::move(source));
    const std::string_view head = stream->peek(head_bytes);
    for (const TraceFormat& format : traceFormats()) {
        if (format.recognises(head))
            return readWith(format, std::move(stream));
    }
}

void readArchive(std::string_view bytes)
{
    const auto stream = inflateIfCompressed(std::make_unique<MemoryStream>(bytes));
    if (!TarArchive::recognises(stream->peek(head_bytes)))
        return readRecognised(std::make_unique<MemoryStream>(bytes));
    TarArchive archive(*stream);
    for (TarMember member; archive.next(member);)
        readRecognised(std::move(member.stream));
}

} // namespace

void tryReader(std::string_view format, std::string_view bytes)
{
    if (format == "archive")
        return readArchive(bytes);
    if (format == "launch_script")
        return readLaunchScript(bytes);
    if (format == "deepspeed_config")
        return readDeepSpeedConfig(bytes);
    if (format == "scenario")
        return readScenarioText(bytes);
    for (const TraceFormat& each : traceFormats()) {
        if (each.name == format)
            readWith(each, std::make_unique<MemoryStream>(bytes));
    }
}

} // namespace shardscope
