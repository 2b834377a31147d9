#include <QApplication>
#include <QElapsedTimer>

#include "bench/kineto_file.h"
#include "bench/quantile.h"
#include "widgets/main_window/main_window.h"
#include "widgets/panels/picture/picture_panel.h"
#include "widgets/plots/timeline/timeline_view.h"
#include "widgets/session/session.h"

#include "core/base/resources.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <vector>

// The whole window at 1600 x 1000 with its six pictures: from a slider's step to the last repainted pixel,
// and from nothing to a window that answers. Offscreen unless QT_QPA_PLATFORM says otherwise; a real window:
// QT_QPA_PLATFORM=xcb xvfb-run -a build/bench/bin/bench_window

using namespace shardscope;

namespace
{

double threadCpu_ms()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Until no picture computes and nothing is left to paint: a plot replots in one turn and paints in the next.
void settle(const QList<PicturePanel*>& pictures)
{
    do {
        for (int turn = 0; turn < 3; ++turn)
            QCoreApplication::processEvents();
    } while (
        std::any_of(pictures.begin(), pictures.end(), [](const auto* panel) { return panel->isBusy(); }));
}

void settle(const MainWindow& window)
{
    while (!window.isSettled())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    settle(window.findChildren<PicturePanel*>());
}

enum Laid : std::int64_t { nothing, sample_traces, many_sizes };

// A trace in which no two calls are of one size, as all_to_alls of uneven experts are.
QString writeTraceOfManySizes()
{
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / "bench_window_many_sizes.json";
    std::ofstream file{path};
    file << R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8},
"traceEvents": [)";
    for (int call = 0; call < 20'000; ++call) {
        const int elements = 4'096 + 64 * call;
        file << (call == 0 ? "" : ",\n")
             << R"({"ph": "X", "cat": "kernel", "pid": 0, "tid": 7, "dur": 60, "ts": )" << 100 * call
             << R"(, "name": "ncclDevKernel_SendRecv", "args": {"stream": 7, "dtype": "BFloat16", )"
             << R"("Collective name": "all_to_all", "Group size": 8, "In msg nelems": )" << elements
             << R"(, "Out msg nelems": )" << elements << "}}";
    }
    file << "]}";
    return QString::fromStdString(path.string());
}

QStringList opened(std::int64_t laid)
{
    const QString folder = QString::fromStdString(sampleTracesFolder().string());
    QStringList paths{folder + "/sample.scenario.json"};
    if (laid == sample_traces)
        paths.append(folder + "/p2t2d2");
    if (laid == many_sizes)
        paths.append(writeTraceOfManySizes());
    return paths;
}

Presets presets()
{
    return Presets::load(resourcesFolder() / "presets").value();
}

constexpr int slider_steps = 64;

// The median of the step that takes longest, each of them made again and again: what the window itself does
// not do within a frame. The 99th percentile also counts when the machine was busy with something else.
double slowestStep_ms(const std::vector<double>& wall_ms)
{
    double slowest = 0.0;
    for (std::size_t step = 0; step < slider_steps; ++step) {
        std::vector<double> repeats;
        for (std::size_t i = step; i < wall_ms.size(); i += slider_steps)
            repeats.push_back(wall_ms[i]);
        slowest = std::max(slowest, quantile(repeats, 0.5));
    }
    return slowest;
}

// Argument: what is laid over the prediction.
void sliderToRepaint(benchmark::State& state)
{
    MainWindow window{presets(), false};
    window.resize(1600, 1000);
    window.show();
    window.session().open(opened(state.range(0)));
    settle(window);
    const QList<PicturePanel*> pictures = window.findChildren<PicturePanel*>();
    Scenario scenario = window.session().scenario();
    const auto length = scenario.model.sequence_length;
    std::vector<double> wall_ms;
    std::vector<double> cpu_ms;
    int step = 0;
    for ([[maybe_unused]] auto frame : state) {
        scenario.model.sequence_length = length + 8 * (++step % slider_steps);
        QElapsedTimer clock;
        clock.start();
        const double before_ms = threadCpu_ms();
        window.session().editScenario(scenario, "Sequence length", 1);
        settle(pictures);
        wall_ms.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        cpu_ms.push_back(threadCpu_ms() - before_ms);
    }
    state.counters["median_ms"] = quantile(wall_ms, 0.5);
    state.counters["p99_ms"] = quantile(wall_ms, 0.99);
    state.counters["slowest_step_ms"] = slowestStep_ms(wall_ms);
    state.counters["cpu_median_ms"] = quantile(cpu_ms, 0.5);
    state.counters["cpu_p99_ms"] = quantile(cpu_ms, 0.99);
}

// Presets, window, scenario and all pictures painted; the sample traces come later, off this thread.
void startToWindow(benchmark::State& state)
{
    for ([[maybe_unused]] auto start : state) {
        MainWindow window{presets(), false};
        window.resize(1600, 1000);
        window.show();
        window.session().open(opened(nothing));
        settle(window);
    }
}

// From opening a large trace to its first lanes on screen, while the rest is still read. Argument: 1 for
// gzip.
void openToFirstLanes(benchmark::State& state)
{
    const bool gzip = state.range(0) != 0;
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / (gzip ? "bench_window.json.gz" : "bench_window.json");
    writeKinetoFile(file, std::int64_t{512} << 20, gzip);
    MainWindow window{presets(), false};
    window.resize(1600, 1000);
    window.show();
    window.session().open(opened(nothing));
    settle(window);
    const auto* view = window.findChild<TimelineView*>();
    for ([[maybe_unused]] auto opening : state) {
        window.session().open({QString::fromStdString(file.string())});
        while (!view->scene().measured || view->scene().measured->ranks.empty())
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
        settle(window.findChildren<PicturePanel*>());
        state.PauseTiming();
        window.session().cancelImport();
        window.session().closeTraces();
        settle(window);
        state.ResumeTiming();
    }
    std::filesystem::remove(file);
}

} // namespace

BENCHMARK(sliderToRepaint)
    ->ArgName("traces")
    ->Arg(nothing)
    ->Arg(sample_traces)
    ->Arg(many_sizes)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(500);
BENCHMARK(startToWindow)->Unit(benchmark::kMillisecond);
BENCHMARK(openToFirstLanes)
    ->ArgName("gzip")
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(20);

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application{argc, argv};
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
