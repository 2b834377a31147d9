#include <QApplication>

#include "core/prediction/predict.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "widgets/panels/heatmap/traffic_sources.h"
#include "widgets/plots/heatmap/heatmap_view.h"

#include <benchmark/benchmark.h>

// The heatmap of a 3D-parallel GPT at 700 x 600: unchanged, after a change of the scenario, zoomed in.

using namespace shardscope;

namespace
{

Scenario scenarioOf(std::int64_t ranks)
{
    Scenario scenario;
    scenario.model.layers = 96;
    scenario.model.hidden_size = 12288;
    scenario.model.attention_heads = scenario.model.kv_heads = 96;
    scenario.model.ffn_hidden_size = 49152;
    scenario.parallel.tensor = 8;
    scenario.parallel.pipeline = 16;
    scenario.parallel.data = ranks / 128;
    scenario.training.micro_batch_size = 1;
    scenario.training.global_batch_size = scenario.parallel.data * 16;
    return scenario;
}

constexpr std::int64_t gpus_per_node = 8;

HeatmapScene sceneOf(const Scenario& scenario, const Prediction& prediction, bool by_node = false)
{
    std::shared_ptr<const TrafficRows> rows =
        std::make_shared<PredictedTraffic>(TrafficMatrix{scenario, prediction});
    SquareLayout layout{axisBands(scenario.parallel), gpus_per_node, rows->ranks(), scenario.parallel};
    if (by_node) {
        rows = rows->byNode(gpus_per_node, NodeShare::all);
        layout = byNode(layout);
    }
    HeatmapScene scene;
    scene.squares.push_back({QStringLiteral("Predicted"), rows, layout});
    scene.ranks = rows->ranks();
    const TrafficSummary summary = rows->summary(layout.gpus_per_node);
    scene.span = {summary.least.back(), summary.most.back(), false, HeatScale::logarithmic};
    return scene;
}

HeatmapView& emptyView()
{
    static HeatmapView view;
    view.resize(700, 600);
    return view;
}

void repaintUnchanged(benchmark::State& state)
{
    const Scenario scenario = scenarioOf(state.range(0));
    HeatmapView& view = emptyView();
    view.setScene(sceneOf(scenario, predict(scenario).value()));
    view.finish();
    QImage screen{view.size(), QImage::Format_RGB32};
    view.render(&screen, {}, {}, QWidget::DrawChildren);
    for ([[maybe_unused]] auto frame : state)
        view.render(&screen, {}, {}, QWidget::DrawChildren);
}

// A slider moved: matrix, sums, cells, pixels.
void repaintAfterChange(benchmark::State& state, bool by_node)
{
    const Scenario scenario = scenarioOf(state.range(0));
    const Prediction prediction = predict(scenario).value();
    HeatmapView& view = emptyView();
    QImage screen{view.size(), QImage::Format_RGB32};
    for ([[maybe_unused]] auto frame : state) {
        view.setScene(sceneOf(scenario, prediction, by_node));
        view.finish();
        view.render(&screen, {}, {}, QWidget::DrawChildren);
    }
}

void repaintChanged(benchmark::State& state)
{
    repaintAfterChange(state, false);
}

void repaintChangedByNode(benchmark::State& state)
{
    repaintAfterChange(state, true);
}

// 256 ranks each way, a pan step every frame.
void repaintZoomed(benchmark::State& state)
{
    const Scenario scenario = scenarioOf(state.range(0));
    HeatmapView& view = emptyView();
    view.setScene(sceneOf(scenario, predict(scenario).value()));
    QImage screen{view.size(), QImage::Format_RGB32};
    double first = 0.0;
    for ([[maybe_unused]] auto frame : state) {
        first = first > 500.0 ? 0.0 : first + 1.5;
        view.setWindow({first, first, 256.0});
        view.render(&screen, {}, {}, QWidget::DrawChildren);
    }
}

} // namespace

BENCHMARK(repaintUnchanged)->ArgName("ranks")->Arg(1'024)->Arg(131'072)->Unit(benchmark::kMillisecond);
BENCHMARK(repaintChanged)->ArgName("ranks")->Arg(1'024)->Arg(131'072)->Unit(benchmark::kMillisecond);
BENCHMARK(repaintChangedByNode)->ArgName("ranks")->Arg(1'024)->Arg(131'072)->Unit(benchmark::kMillisecond);
BENCHMARK(repaintZoomed)->ArgName("ranks")->Arg(1'024)->Arg(131'072)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application{argc, argv};
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
