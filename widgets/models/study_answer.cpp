#include "widgets/models/study_answer.h"

#include "widgets/models/measured_calls.h"

#include "core/sweep/layout_search.h"

#include <algorithm>
#include <thread>
#include <tuple>
#include <utility>

namespace shardscope
{

namespace
{

MapGrid gridOf(const StudyQuestion& question)
{
    const Scenario& scenario = question.predicted->scenario;
    return mapGrid(scenario, question.map_x, question.map_y, mapSide(question.map_model, scenario),
                   question.shown_grid);
}

TimeMap mapOf(const StudyQuestion& question, const MapGrid& grid, const std::atomic<bool>* stop)
{
    TimeMap map;
    map.x_axis = question.map_x;
    map.y_axis = question.map_y;
    map.model = question.map_model;
    map.x_values = grid.x_values;
    map.y_values = grid.y_values;
    fillMap(map, question.predicted->scenario, stop);
    return map;
}

// Numbers of GPUs that were measured are predicted too.
void addGiven(const std::vector<GivenSpeedup>& given, Sweep& sweep)
{
    for (const GivenSpeedup& each : given)
        sweep.values.push_back(static_cast<double>(each.gpus));
    std::ranges::sort(sweep.values);
    const auto rest = std::ranges::unique(sweep.values);
    sweep.values.erase(rest.begin(), rest.end());
}

const RankMeasurement* measuredRank(const StudyQuestion& question)
{
    const RankMeasurement* first = nullptr;
    for (const RankMeasurement& rank : question.measured->measurement.ranks) {
        if (!rank.has_timeline)
            continue;
        if (question.rank && rank.rank == *question.rank)
            return &rank;
        if (first == nullptr)
            first = &rank;
    }
    return first;
}

// The run's own scenario is the one whose messages it sends; else the user may have pinned it.
void addOwnSize(const StudyQuestion& question, MeasuredSizes& answer)
{
    const Scenario* of_run = question.measured->scenario.get();
    answer.is_against_pinned = of_run == nullptr && question.pinned;
    if (answer.is_against_pinned)
        of_run = &question.pinned->scenario;
    if (of_run == nullptr)
        return;
    const Scenario& own = question.predicted->scenario;
    const Parallel& here = own.parallel;
    const Parallel& there = of_run->parallel;
    answer.has_scenario = true;
    answer.is_other_layout = own.model.layers != of_run->model.layers || here.pipeline != there.pipeline
                             || here.tensor != there.tensor || here.context != there.context
                             || here.expert != there.expert;
    const Resizing times = resizingOf(own, *of_run);
    answer.sizes.push_back(
        {QStringLiteral("scenario"), times, resized(answer.sizes.front().operators, times)});
}

MeasuredSizes measuredSizes(const StudyQuestion& question)
{
    MeasuredSizes answer;
    const RankMeasurement* rank = question.measured ? measuredRank(question) : nullptr;
    if (rank == nullptr)
        return answer;
    answer.rank = rank->rank;
    const OperatorSeconds measured =
        operatorSeconds(*rank, MeasuredCalls{question.measured}.iterations(rank->rank));
    answer.sizes.push_back({QStringLiteral("measured"), {}, measured});
    addOwnSize(question, answer);
    for (const auto& [letter, figure] :
         {std::pair{"h", &Resizing::hidden}, {"s", &Resizing::sequence}, {"b", &Resizing::batch}})
        for (const int times : {2, 4}) {
            Resizing resizing;
            resizing.*figure = times;
            answer.sizes.push_back({QStringLiteral("%1 × %2").arg(QLatin1String{letter}).arg(times), resizing,
                                    resized(measured, resizing)});
        }
    return answer;
}

// Beside the window's own thread.
unsigned searchingThreads()
{
    return std::max(2U, std::thread::hardware_concurrency()) - 1U;
}

void answerBars(StudyAnswer& answer, const Scenario& scenario, const std::atomic<bool>* stop)
{
    const StudyQuestion& question = answer.question;
    answer.sweep = sweepOf(*question.study, scenario);
    if (question.study->isScaling())
        addGiven(question.given, answer.sweep);
    answer.points = runSweep(answer.sweep, stop);
    if (!question.pinned)
        return;
    Sweep pinned = answer.sweep;
    pinned.base = question.pinned->scenario;
    answer.pinned_points = runSweep(pinned, stop);
}

// Idle figures apart: the schedule of a single stage, sequence parallelism of a single rank.
bool isSameLayout(const SweepPoint& point, const PredictedScenario& own)
{
    const auto figures = [](const Scenario& scenario) {
        const Parallel& parallel = scenario.parallel;
        return std::tuple{parallel.pipeline,
                          parallel.tensor,
                          parallel.context,
                          parallel.data,
                          parallel.expert,
                          scenario.training.micro_batch_size,
                          scenario.training.recompute,
                          scenario.training.recompute_layers,
                          scenario.training.recompute_modules};
    };
    return figures(point.scenario) == figures(own.scenario)
           && point.time.iteration_s == own.prediction.time.iteration_s
           && point.device_bytes == own.prediction.memory.device_bytes;
}

void addLayout(StudyAnswer& answer, SweepPoint point)
{
    answer.sweep.values.push_back(static_cast<double>(answer.points.size()));
    answer.points.push_back(std::move(point));
}

// What the user compares the others with.
void addOwnLayout(StudyAnswer& answer, const LayoutSearch& search)
{
    const PredictedScenario& predicted = *answer.question.predicted;
    const auto found = std::ranges::find_if(
        answer.points, [&](const SweepPoint& point) { return isSameLayout(point, predicted); });
    OwnLayout own{static_cast<std::size_t>(found - answer.points.begin()), found != answer.points.end(),
                  search.faster + 1, search.faster_is_exact};
    if (!own.is_of_front)
        addLayout(answer, pointOf(predicted.scenario));
    answer.layouts.own = own;
}

// The front up to twice the fastest time, as what is slower serves nobody, thinned to what can be told apart
// as bars.
void answerLayouts(StudyAnswer& answer, const Scenario& scenario, const std::atomic<bool>* stop,
                   std::atomic<double>* share)
{
    constexpr std::size_t most_points = 8; // more leave no room for what tells equal degrees apart
    constexpr double slowest_shown = 2.0;
    const double own_s = answer.question.predicted->prediction.time.iteration_s;
    const Result<LayoutSearch> search =
        searchLayouts(scenario, scenario.worldSize(), {searchingThreads(), 1, stop, share, own_s});
    if (!search) {
        answer.problem = search.error().sentence;
        return;
    }
    const std::vector<FoundLayout>& found = search.value().found;
    std::vector<std::size_t> front = search.value().front;
    std::erase_if(front, [&](std::size_t place) {
        return found[place].time.iteration_s > slowest_shown * found.front().time.iteration_s;
    });
    answer.layouts = {search.value().possible,
                      search.value().fitting(),
                      search.value().may_be_fastest,
                      static_cast<std::int64_t>(front.size()),
                      std::min(most_points, front.size()),
                      {}};
    if (found.empty()) {
        answer.problem = "None of " + std::to_string(search.value().possible)
                         + " layouts fits into memory; choose more GPUs or GPUs with more memory";
        return;
    }
    answer.sweep.base = scenario;
    const std::size_t count = answer.layouts.drawn;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = count == 1 ? 0 : i * (front.size() - 1) / (count - 1);
        addLayout(answer, pointOf(withLayout(scenario, found[front[place]].layout)));
    }
    addOwnLayout(answer, search.value());
}

} // namespace

StudyAnswer answerStudy(const StudyQuestion& question, const std::atomic<bool>* stop,
                        std::atomic<double>* share)
{
    StudyAnswer answer;
    answer.question = question;
    const Scenario& scenario = question.predicted->scenario;
    answer.problem = studyProblem(*question.study, scenario, question.map_x, question.map_y);
    if (!answer.problem.empty())
        return answer;
    switch (question.study->picture) {
    case StudyPicture::bars:
        answerBars(answer, scenario, stop);
        break;
    case StudyPicture::layouts:
        answerLayouts(answer, scenario, stop, share);
        break;
    case StudyPicture::map:
        answer.grid = gridOf(question);
        answer.map = mapOf(question, answer.grid, stop);
        break;
    case StudyPicture::projection:
        answer.sheet = projectSheet(scenario, question.evolution);
        break;
    case StudyPicture::measured:
        answer.measured = measuredSizes(question);
        break;
    case StudyPicture::futures:
        answer.futures = layerFutures(scenario, question.evolution);
        break;
    case StudyPicture::changes:
        answer.changes = singleChanges(scenario, stop);
        break;
    case StudyPicture::steps:
        if (question.pinned)
            answer.steps = changeSteps(question.pinned->scenario, scenario, stop);
        break;
    }
    return answer;
}

} // namespace shardscope
