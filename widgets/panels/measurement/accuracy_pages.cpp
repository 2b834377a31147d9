#include "widgets/panels/measurement/accuracy_pages.h"

#include "core/scenario/words.h"
#include "widgets/session/shown_text.h"

#include <QObject>

#include <algorithm>
#include <cmath>

namespace shardscope
{

namespace
{

AccuracyGroup named(const std::string& name)
{
    return {0, toQString(name)};
}

AccuracyGroup scaleOf(int gpus)
{
    return gpus <= 8     ? AccuracyGroup{0, QObject::tr("up to 8 GPUs")}
           : gpus <= 64  ? AccuracyGroup{1, QObject::tr("to 64 GPUs")}
           : gpus <= 512 ? AccuracyGroup{2, QObject::tr("to 512 GPUs")}
                         : AccuracyGroup{3, QObject::tr("more than 512 GPUs")};
}

AccuracyGroup sizeOf(double parameters)
{
    return parameters < 1e9     ? AccuracyGroup{0, QObject::tr("below 1 billion")}
           : parameters < 10e9  ? AccuracyGroup{1, QObject::tr("1 to 10 billion")}
           : parameters < 100e9 ? AccuracyGroup{2, QObject::tr("10 to 100 billion")}
                                : AccuracyGroup{3, QObject::tr("100 billion and more")};
}

AccuracyGroup kindOf(const MeasuredStep& step)
{
    return !step.left_open.empty() ? AccuracyGroup{3, QObject::tr("Told in part, never fitted")}
           : step.run.scenario.model.experts.count > 0
               ? AccuracyGroup{2, QObject::tr("With experts, never fitted")}
           : step.source_left_out_s ? AccuracyGroup{0, QObject::tr("Dense, fitted")}
                                    : AccuracyGroup{1, QObject::tr("Dense, never fitted")};
}

// The same group of steps told in part, behind all that are told in full.
AccuracyGroup toldInPart(const AccuracyGroup& group)
{
    constexpr int behind_full = 1'000;
    return {group.order + behind_full, QObject::tr("%1, told in part").arg(group.name)};
}

std::vector<AccuracyGroup> groupsOf(const MeasuredStep& step)
{
    std::vector<AccuracyGroup> groups{named(step.run.source), named(step.run.gpu), scaleOf(step.run.gpus),
                                      sizeOf(step.run.parameters)};
    if (!step.left_open.empty())
        std::ranges::transform(groups, groups.begin(), toldInPart);
    groups.push_back(kindOf(step));
    return groups;
}

// "left open by its source: recomputation, micro-batch"
QString leftOpenText(const std::vector<std::string>& left_open)
{
    QStringList words;
    for (const std::string& word : left_open)
        words.push_back(toQString(word));
    return QObject::tr("left open by its source: %1").arg(words.join(", "));
}

AccuracyGroup countedOf(MemoryMeasure measure)
{
    switch (measure) {
    case MemoryMeasure::allocated:
        return {0, QObject::tr("Allocated tensors")};
    case MemoryMeasure::reserved:
        return {1, QObject::tr("Reserved by PyTorch")};
    case MemoryMeasure::device:
        break;
    }
    return {2, QObject::tr("The whole device (nvidia-smi)")};
}

AccuracyGroup messageSizeOf(std::int64_t bytes)
{
    constexpr std::int64_t mebibyte = 1 << 20;
    return bytes < 16 * mebibyte   ? AccuracyGroup{0, QObject::tr("below 16 MiB")}
           : bytes < 64 * mebibyte ? AccuracyGroup{1, QObject::tr("16 to 64 MiB")}
                                   : AccuracyGroup{2, QObject::tr("64 MiB and more")};
}

AccuracyGroup counted(std::int64_t count, const QString& of)
{
    return {static_cast<int>(count), of.arg(count)};
}

// What every run tells of itself; takes its scenario over.
AccuracyPoint pointOf(PublishedCase run, double measured, double predicted)
{
    AccuracyPoint point;
    point.name = toQString(run.id);
    point.about = {toQString(run.source), toQString(run.reference)};
    point.measured = measured;
    point.predicted = predicted;
    point.scenario = std::move(run.scenario);
    return point;
}

QString timesAreOfDetailedModel()
{
    return QObject::tr("Every time here is predicted by the <b>detailed</b> time model.");
}

QString fitsNote(const std::vector<MeasuredMemory>& runs, const std::vector<MeasuredStep>& steps)
{
    const auto went_out = [](const MeasuredMemory& run) { return !run.measured_bytes; };
    const auto said_not_to = [](const MeasuredMemory& run) { return !run.measured_bytes && !run.fits; };
    return QObject::tr("Of %1 published steps that ran, <b>%2</b> are said to fit into the GPU's memory; of "
                       "%3 runs that went out of it, <b>%4</b> are said not to.")
        .arg(steps.size())
        .arg(std::ranges::count_if(steps, &MeasuredStep::fits))
        .arg(std::ranges::count_if(runs, went_out))
        .arg(std::ranges::count_if(runs, said_not_to));
}

} // namespace

AccuracyPage stepsPage(std::vector<MeasuredStep> steps)
{
    AccuracyPage page;
    page.title = QObject::tr("Training &steps");
    page.note = timesAreOfDetailedModel();
    page.hint = QObject::tr(
        "Each point is a published training step, a hollow one where the source leaves something open; "
        "dashed: 10 % off. A double click opens its configuration as the scenario. The band beside a "
        "predicted "
        "time is what four of five lie within, by type of GPU and source; docs/accuracy.md in the sources "
        "tells "
        "how it was measured.");
    page.x_name = QObject::tr("measured");
    page.y_name = QObject::tr("predicted");
    page.bias_tip = QObject::tr("The mean with its sign: above 0, predictions are too slow");
    page.is_of_time_model = true;
    page.groupings = {QObject::tr("Source"), QObject::tr("GPU"), QObject::tr("Number of GPUs"),
                      QObject::tr("Size of the model"), QObject::tr("Kind")};
    page.unseen = {QObject::tr("By constants that never saw the s&ource"),
                   QObject::tr("Predicted by constants that were found without any step of the same source: "
                               "what to expect of a run that nobody has measured. Off: by the constants that "
                               "ship, which have seen every step but those that were never fitted.")};
    page.in_part = {QObject::tr("Steps told in &part"),
                    QObject::tr("Hollow points: steps whose sources leave something open, which has the "
                                "program's default. They count by themselves; the band beside a predicted "
                                "time knows nothing of them."),
                    true};
    for (MeasuredStep& step : steps) {
        const std::vector<AccuracyGroup> groups = groupsOf(step);
        AccuracyPoint point = pointOf(std::move(step.run), step.measured_s, step.predicted_s);
        point.unseen = step.source_left_out_s;
        if (!point.unseen)
            point.about.push_back(QObject::tr("never fitted: its constants are those of other steps"));
        point.in_part = !step.left_open.empty();
        if (point.in_part)
            point.about.push_back(leftOpenText(step.left_open));
        point.groups = groups;
        page.points.push_back(std::move(point));
    }
    return page;
}

AccuracyPage schedulesPage(std::vector<MeasuredSchedule> schedules)
{
    AccuracyPage page;
    page.title = QObject::tr("Sche&dules");
    page.note = QObject::tr("What a pipeline's schedule trains in the time that 1F1B takes at the same "
                            "configuration. Nothing was fitted to these runs. ")
                + timesAreOfDetailedModel();
    page.hint = QObject::tr("Each point is a published schedule at one configuration; dashed: 10 % off. A "
                            "double click opens it as the scenario.");
    page.x_name = QObject::tr("measured throughput over 1F1B's");
    page.y_name = QObject::tr("predicted throughput over 1F1B's");
    page.bias_tip = QObject::tr("The mean with its sign: above 0, schedules are predicted to gain too much");
    page.unit = AxisUnit::share;
    page.is_of_time_model = true;
    page.groupings = {QObject::tr("Schedule"), QObject::tr("Model"), QObject::tr("Stages"),
                      QObject::tr("Micro-batches")};
    for (MeasuredSchedule& schedule : schedules) {
        const Scenario& scenario = schedule.run.scenario;
        const double billions = schedule.run.parameters / 1e9;
        const std::vector<AccuracyGroup> groups{
            {static_cast<int>(scenario.parallel.schedule), toQString(word(scenario.parallel.schedule))},
            {static_cast<int>(std::lround(10.0 * billions)),
             QObject::tr("%1 billion parameters").arg(billions, 0, 'f', 1)},
            counted(scenario.parallel.pipeline, QObject::tr("%1 stages")),
            counted(scenario.microBatches(), QObject::tr("%1 micro-batches"))};
        page.points.push_back(
            pointOf(std::move(schedule.run), schedule.measured_gain, schedule.predicted_gain));
        page.points.back().groups = groups;
    }
    return page;
}

AccuracyPage memoryPage(std::vector<MeasuredMemory> runs, const std::vector<MeasuredStep>& steps)
{
    AccuracyPage page;
    page.title = QObject::tr("&Memory");
    page.note = fitsNote(runs, steps);
    page.hint = QObject::tr("Each point is what the fullest GPU of a published run held at its peak; dashed: "
                            "10 % off. A double click opens its configuration as the scenario.");
    page.x_name = QObject::tr("measured");
    page.y_name = QObject::tr("predicted");
    page.bias_tip = QObject::tr("The mean with its sign: above 0, predictions are too large");
    page.unit = AxisUnit::bytes;
    page.groupings = {QObject::tr("Source"), QObject::tr("GPU"), QObject::tr("Number of GPUs"),
                      QObject::tr("What was counted")};
    for (MeasuredMemory& memory : runs) {
        if (!memory.measured_bytes)
            continue;
        const std::vector<AccuracyGroup> groups{named(memory.run.source), named(memory.run.gpu),
                                                scaleOf(memory.run.gpus),
                                                countedOf(memory.run.scenario.conventions.memory_measure)};
        page.points.push_back(pointOf(std::move(memory.run), *memory.measured_bytes, memory.predicted_bytes));
        page.points.back().groups = groups;
    }
    return page;
}

AccuracyPage messagesPage(const std::vector<MeasuredMessage>& messages, const Presets& presets)
{
    AccuracyPage page;
    page.title = QObject::tr("Messa&ges");
    page.note = QObject::tr("Collectives by themselves, as nccl-tests measures them: predicted with the "
                            "constants of their system's preset.");
    page.hint = QObject::tr("Each point is a message of a published curve; dashed: 10 % off. A double click "
                            "takes its system over as the scenario's cluster.");
    page.x_name = QObject::tr("measured");
    page.y_name = QObject::tr("predicted");
    page.bias_tip = QObject::tr("The mean with its sign: above 0, predictions are too slow");
    page.groupings = {QObject::tr("System"), QObject::tr("Curve"), QObject::tr("Collective"),
                      QObject::tr("Size of the message"), QObject::tr("Number of GPUs")};
    page.unseen = {QObject::tr("As if nobody had measured its &links"),
                   QObject::tr("Predicted by the constants that links of an unknown kind get: what to expect "
                               "of a system whose links nobody has measured. Within a node they are those "
                               "of the A100, whose own messages stay where they are."),
                   false};
    for (const MeasuredMessage& message : messages) {
        const ClusterPreset* system = presets.cluster(message.system);
        AccuracyPoint point;
        point.name = toQString(message.curve);
        point.measured = message.measured_s;
        point.predicted = message.predicted_s;
        point.unseen = message.other_links_s;
        point.system = toQString(message.system);
        point.groups = {named(system == nullptr ? message.system : system->title), named(message.curve),
                        named(std::string{word(message.op)}), messageSizeOf(message.message_bytes),
                        scaleOf(message.ranks)};
        point.about = {
            QObject::tr("%1 of %2 over %3 GPUs, %4 GB/s of bus bandwidth measured")
                .arg(toQString(word(message.op)), bytesText(static_cast<double>(message.message_bytes)))
                .arg(message.ranks)
                .arg(message.busbw_GBps, 0, 'g', 3),
            point.groups.front().name, toQString(message.source)};
        page.points.push_back(std::move(point));
    }
    return page;
}

} // namespace shardscope
