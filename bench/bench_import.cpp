// Import of a PyTorch trace to a store that can be drawn, against a bare pass of simdjson over the same file
// in the same run: machines, and hours on one machine, differ too much for rates alone.
//   bench_import [--megabytes=N] [--folder=WHERE] [Google Benchmark's own options]
#include "bench/kineto_file.h"
#include "core/import/importer.h"

#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;

struct Files {
    fs::path plain;
    fs::path gzip;
    KinetoFileSize size;
};
Files files;

// Time on the wall, and of all processors: the latter tells on a machine that others use.
struct Time {
    double wall_s = 0.0;
    double processor_s = 0.0;
};

Time now()
{
    const auto wall = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration<double>(wall).count(),
            static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC)};
}

template<class Work>
void measure(const Work& work, std::vector<double>& wall_s, std::vector<double>& processor_s)
{
    const Time begin = now();
    work();
    const Time end = now();
    wall_s.push_back(end.wall_s - begin.wall_s);
    processor_s.push_back(end.processor_s - begin.processor_s);
}

// Looks at every member of every event, and takes what a timeline needs.
std::uint64_t walkEvents(simdjson::ondemand::parser& parser, simdjson::padded_string_view text)
{
    std::uint64_t sum = 0;
    simdjson::ondemand::document document = parser.iterate(text);
    for (simdjson::ondemand::object event : document.get_array()) {
        for (auto field : event) {
            const simdjson::ondemand::raw_json_string key = field.key();
            if (key == "name" || key == "cat" || key == "ph") {
                sum += std::string_view(field.value().get_string()).size();
            } else if (key == "ts" || key == "dur") {
                sum += static_cast<std::uint64_t>(double(field.value().get_double()));
            } else if (key == "pid" || key == "tid") {
                std::int64_t number = 0;
                if (field.value().get_int64().get(number) == simdjson::SUCCESS) // some are names
                    sum += static_cast<std::uint64_t>(number);
            }
        }
    }
    return sum;
}

// The whole file in chunks that end behind an event, as the generator lays events out: "\n  }".
std::uint64_t bareSimdjson(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    simdjson::ondemand::parser parser;
    std::vector<char> buffer(2 * chunk_bytes + simdjson::SIMDJSON_PADDING);
    std::size_t kept = 0;
    std::uint64_t sum = 0;
    bool is_first = true;
    while (true) {
        file.read(buffer.data() + kept, static_cast<std::streamsize>(chunk_bytes));
        const std::size_t size = kept + static_cast<std::size_t>(file.gcount());
        const std::string_view text(buffer.data(), size);
        const std::size_t begin = is_first ? text.find("\"traceEvents\": [") + 15 : text.find('{') - 1;
        const std::size_t end = text.rfind("\n  }");
        if (file.gcount() == 0 || end == std::string_view::npos || end <= begin)
            return sum;
        buffer[begin] = '[';
        const char behind = buffer[end + 4];
        buffer[end + 4] = ']';
        sum += walkEvents(parser, simdjson::padded_string_view(buffer.data() + begin, end + 5 - begin,
                                                               buffer.size() - begin));
        buffer[end + 4] = behind;
        kept = size - (end + 4);
        std::memmove(buffer.data(), buffer.data() + end + 4, kept);
        is_first = false;
    }
}

double medianOf(std::vector<double> values)
{
    std::ranges::sort(values);
    return values.empty() ? 0.0 : values[values.size() / 2];
}

double peakBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

void importAgainstSimdjson(benchmark::State& state, bool is_gzip)
{
    const auto threads = static_cast<int>(state.range(0));
    std::vector<double> bare_s;
    std::vector<double> bare_processor_s;
    std::vector<double> import_s;
    std::vector<double> import_processor_s;
    std::size_t slices = 0;
    std::string failure;
    for (auto _ : state) {
        measure([] { benchmark::DoNotOptimize(bareSimdjson(files.plain)); }, bare_s, bare_processor_s);
        measure(
            [&] {
                ImportOptions options;
                options.threads = threads;
                const auto set = importTraces(std::array{is_gzip ? files.gzip : files.plain}, options);
                failure = set ? "" : set.error().sentence;
                slices = set ? set.value().files[0].store->size() : 0;
            },
            import_s, import_processor_s);
        state.SetIterationTime(import_s.back());
        if (!failure.empty()) {
            state.SkipWithError(failure.c_str());
            return;
        }
    }
    const auto bytes = static_cast<double>(files.size.bytes);
    state.counters["import_MBps"] = bytes / medianOf(import_s) / 1e6;
    state.counters["simdjson_MBps"] = bytes / medianOf(bare_s) / 1e6;
    state.counters["ratio"] = medianOf(bare_s) / medianOf(import_s);
    state.counters["processor_ratio"] = medianOf(bare_processor_s) / medianOf(import_processor_s);
    state.counters["slices"] = static_cast<double>(slices);
    // Of the process so far: run one benchmark alone (--benchmark_filter) to tell them apart.
    state.counters["peak_MiB"] = peakBytes() / 1048576.0;
    state.counters["peak_bytes_per_event"] =
        (peakBytes() - 60.0 * 1048576.0) / static_cast<double>(files.size.events);
}

BENCHMARK_CAPTURE(importAgainstSimdjson, plain, false)
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(importAgainstSimdjson, gzip, true)
    ->Arg(1)
    ->Arg(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

// Takes our own options out of the command line.
std::string takeOption(int& count, char** arguments, std::string_view name, std::string value)
{
    for (int i = 1; i < count; ++i) {
        if (!std::string_view(arguments[i]).starts_with(name))
            continue;
        value = arguments[i] + name.size();
        std::copy(arguments + i + 1, arguments + count, arguments + i);
        --count;
        --i;
    }
    return value;
}

} // namespace

int main(int count, char** arguments)
{
    const std::int64_t megabytes = std::stoll(takeOption(count, arguments, "--megabytes=", "128"));
    const fs::path folder = takeOption(count, arguments, "--folder=", fs::temp_directory_path().string());
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments))
        return 2;
    files.plain = folder / "bench_import.pt.trace.json";
    files.gzip = folder / "bench_import.pt.trace.json.gz";
    files.size = writeKinetoFile(files.plain, megabytes * 1000000, false);
    writeKinetoFile(files.gzip, megabytes * 1000000, true);
    benchmark::RunSpecifiedBenchmarks();
    fs::remove(files.plain);
    fs::remove(files.gzip);
    return 0;
}
