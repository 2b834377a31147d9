#include <QApplication>
#include <QElapsedTimer>

#include "bench/quantile.h"
#include "bench/scenarios.h"
#include "core/prediction/predict.h"
#include "core/trace/trace_builder.h"
#include "widgets/panels/timeline/predicted_lanes.h"
#include "widgets/panels/timeline/timeline_lanes.h"
#include "widgets/plots/timeline/range_table.h"
#include "widgets/plots/timeline/timeline_search.h"
#include "widgets/plots/timeline/timeline_view.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <random>

// Repainting a timeline of 64 GPU streams at 1600 x 1000: from the whole run down to a thousandth of it. The
// cost has to be that of the pixels: 10 million events as fast as one.

using namespace shardscope;

namespace
{

constexpr int streams = 64;

// Kernels back to back, some much longer than others, with pauses between bursts.
std::shared_ptr<const MeasuredRun> runOf(std::int64_t events)
{
    static std::map<std::int64_t, std::shared_ptr<const MeasuredRun>> made;
    std::shared_ptr<const MeasuredRun>& known = made[events];
    if (known)
        return known;
    std::mt19937 random{1};
    TraceBuilder builder;
    const NameId kernel = builder.intern("kernel");
    std::vector<NameId> names;
    for (int i = 0; i < 50; ++i)
        names.push_back(
            builder.intern((i % 4 == 0 ? "ncclDevKernel_AllReduce_" : "gemm_") + std::to_string(i)));
    for (int stream = 0; stream < streams; ++stream) {
        const TrackIndex track = builder.addTrack("0", std::to_string(stream), true);
        TraceTime now = 1'700'000'000'000'000'000;
        for (std::int64_t i = 0; i < events / streams; ++i) {
            const auto duration =
                static_cast<TraceTime>(random() % 300 == 0 ? 400'000 : 500 + random() % 8'000);
            builder.addEvent(track, now, duration, names[random() % names.size()], kernel);
            now +=
                duration + static_cast<TraceTime>(random() % 2'000 + (random() % 5'000 == 0 ? 5'000'000 : 0));
        }
    }
    auto run = std::make_shared<MeasuredRun>();
    TraceFile file;
    file.store = builder.finish();
    run->traces.files.push_back(std::move(file));
    known = run;
    return known;
}

std::shared_ptr<const MeasuredLanes> lanesOf(std::int64_t events)
{
    static std::map<std::int64_t, std::shared_ptr<const MeasuredLanes>> made;
    std::shared_ptr<const MeasuredLanes>& lanes = made[events];
    if (!lanes)
        lanes = measuredLanes(runOf(events));
    return lanes;
}

TimelineView& viewOf(std::int64_t events)
{
    static TimelineView view;
    view.resize(1600, 1000);
    TimelineScene scene;
    scene.measured = lanesOf(events);
    view.setScene(std::move(scene));
    view.showAll();
    return view;
}

void repaint(benchmark::State& state)
{
    TimelineView& view = viewOf(state.range(0));
    QImage screen{view.size(), QImage::Format_RGB32};
    const TimeRange whole = view.range();
    const TraceTime length = whole.length_ns / state.range(1);
    TraceTime start = whole.start_ns + whole.length_ns / 3;
    for ([[maybe_unused]] auto frame : state) {
        view.setRange({start, length}); // a pan step: nothing of the last frame can be kept
        start += length / 100;
        if (start > whole.start_ns + whole.length_ns / 2)
            start = whole.start_ns + whole.length_ns / 3;
        view.render(&screen, {}, {}, QWidget::DrawChildren);
    }
}

// What of a pan step depends on the events: the pictures of the rows, without their pixels.
void drawRows(benchmark::State& state)
{
    const std::shared_ptr<const MeasuredLanes> lanes = lanesOf(state.range(0));
    constexpr int width = 1400;
    const TimeRange whole = viewOf(state.range(0)).range();
    const TraceTime length = whole.length_ns / state.range(1);
    TraceTime start = whole.start_ns + whole.length_ns / 3;
    LanePicture picture;
    for ([[maybe_unused]] auto frame : state) {
        start += length / 100;
        if (start > whole.start_ns + whole.length_ns / 2)
            start = whole.start_ns + whole.length_ns / 3;
        for (const MeasuredTrack& track : lanes->ranks.front().tracks)
            for (const TraceRow& row : track.rows)
                row.draw({lanes->origin_ns + start, length}, width, picture);
    }
}

// 64 stages and 1,024 micro-batches, with sequence parallelism: three rows a stage, 18 million parts.
std::shared_ptr<const PredictedScenario> deepPipeline()
{
    Scenario scenario = detailed(gpt175b());
    scenario.model.layers = 128;
    scenario.parallel.pipeline = 64;
    scenario.parallel.virtual_stages = 2;
    scenario.parallel.tensor = 8;
    scenario.parallel.data = 2;
    scenario.parallel.sequence_parallel = true;
    scenario.conventions.tp_overlap = true;
    scenario.training.global_batch_size = scenario.training.micro_batch_size * 2 * 1024;
    Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    return std::make_shared<const PredictedScenario>(scenario, std::move(prediction).value());
}

void makePredicted(benchmark::State& state)
{
    const auto deep = deepPipeline();
    for ([[maybe_unused]] auto time : state)
        benchmark::DoNotOptimize(predictedLanes(deep));
}

// A pan step over it, from all of the iteration down to single passes in their parts.
void repaintPredicted(benchmark::State& state)
{
    static TimelineView view;
    view.resize(1600, 1000);
    TimelineScene scene;
    scene.predicted = predictedLanes(deepPipeline());
    view.setScene(std::move(scene));
    view.showAll();
    QImage screen{view.size(), QImage::Format_RGB32};
    const TimeRange whole = view.range();
    const TraceTime length = whole.length_ns / state.range(0);
    TraceTime start = whole.start_ns + whole.length_ns / 3;
    for ([[maybe_unused]] auto frame : state) {
        view.setRange({start, length});
        start += length / 100;
        if (start > whole.start_ns + whole.length_ns / 2)
            start = whole.start_ns + whole.length_ns / 3;
        view.render(&screen, {}, {}, QWidget::DrawChildren);
    }
}

// Zooming in to a thousandth and out again in steps of the wheel, the place moving: every density of events
// comes by.
void zoomThrough(benchmark::State& state)
{
    constexpr int steps = 60; // in, and as many out
    constexpr double deepest = 1'000.0;
    TimelineView& view = viewOf(state.range(0));
    QImage screen{view.size(), QImage::Format_RGB32};
    const TimeRange whole = view.range();
    std::vector<double> frames_ms;
    int step = 0;
    for ([[maybe_unused]] auto frame : state) {
        QElapsedTimer clock;
        clock.start();
        const int depth = step <= steps ? step : 2 * steps - step;
        const double share = std::pow(deepest, -static_cast<double>(depth) / steps);
        const auto length = static_cast<TraceTime>(share * static_cast<double>(whole.length_ns));
        view.setRange({whole.start_ns + (whole.length_ns - length) / 300 * (100 + step), length});
        view.render(&screen, {}, {}, QWidget::DrawChildren);
        frames_ms.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        step = (step + 1) % (2 * steps);
    }
    state.counters["median_ms"] = quantile(frames_ms, 0.5);
    state.counters["p99_ms"] = quantile(frames_ms, 0.99);
}

// From an imported run to lanes that can be drawn at any zoom.
void makeDrawable(benchmark::State& state)
{
    const std::shared_ptr<const MeasuredRun> run = runOf(state.range(0));
    std::shared_ptr<const MeasuredLanes> lanes;
    for ([[maybe_unused]] auto time : state)
        lanes = measuredLanes(run);
    std::size_t bytes = 0;
    for (const MeasuredTrack& track : lanes->ranks.front().tracks)
        for (const TraceRow& row : track.rows)
            bytes += row.bytes();
    state.counters["bytes_an_event"] = static_cast<double>(bytes) / static_cast<double>(state.range(0));
}

void repaintUnchanged(benchmark::State& state)
{
    TimelineView& view = viewOf(state.range(0));
    QImage screen{view.size(), QImage::Format_RGB32};
    view.render(&screen, {}, {}, QWidget::DrawChildren);
    for ([[maybe_unused]] auto frame : state)
        view.render(&screen, {}, {}, QWidget::DrawChildren);
}

void summarizeSelection(benchmark::State& state)
{
    const TimelineView& view = viewOf(state.range(0));
    for ([[maybe_unused]] auto selection : state)
        benchmark::DoNotOptimize(summarize(view.scene(), view.range()));
}

// The table beside the selection, by kind (0), kernel (1) and stream (2).
void tableOfSelection(benchmark::State& state)
{
    const TimelineView& view = viewOf(state.range(0));
    for ([[maybe_unused]] auto selection : state)
        benchmark::DoNotOptimize(
            rangeTable(*view.scene().measured, view.range(), static_cast<RangeGrouping>(state.range(1))));
}

// Typing a name: the count, and the first hit.
void searchByName(benchmark::State& state)
{
    const TimelineView& view = viewOf(state.range(0));
    for ([[maybe_unused]] auto letter : state) {
        const TimelineSearch search{view.scene().measured, QStringLiteral("AllReduce_4")};
        benchmark::DoNotOptimize(search.next(std::nullopt));
    }
}

} // namespace

BENCHMARK(repaint)
    ->ArgNames({"events", "zoom"})
    ->ArgsProduct({{1'000'000, 10'000'000}, {1, 3, 10, 30, 100, 300, 700, 1'000}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(makePredicted)->Unit(benchmark::kMillisecond);
BENCHMARK(repaintPredicted)
    ->ArgName("zoom")
    ->RangeMultiplier(4)
    ->Range(1, 4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(drawRows)
    ->ArgNames({"events", "zoom"})
    ->ArgsProduct({{1'000'000, 10'000'000}, {1, 3, 10, 30, 100, 300, 700, 1'000}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(zoomThrough)
    ->ArgName("events")
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Iterations(1'200)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(makeDrawable)->ArgName("events")->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(repaintUnchanged)->ArgName("events")->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(summarizeSelection)->ArgName("events")->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(tableOfSelection)
    ->ArgNames({"events", "grouping"})
    ->ArgsProduct({{10'000'000}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(searchByName)->ArgName("events")->Arg(10'000'000)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application{argc, argv};
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
