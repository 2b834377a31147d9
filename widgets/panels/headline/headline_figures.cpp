#include "widgets/panels/headline/headline_figures.h"

#include "widgets/session/shown_text.h"

#include "core/prediction/memory/memory.h"
#include "core/report/prediction_report.h"
#include "core/scenario/words.h"

#include <array>
#include <cmath>

namespace shardscope
{

namespace
{

QString layoutText(const PredictedScenario& shown)
{
    const Parallel& parallel = shown.scenario.parallel;
    QString text =
        QString{"p %1 · t %2 · d %3"}.arg(parallel.pipeline).arg(parallel.tensor).arg(parallel.data);
    if (parallel.context > 1)
        text += QString{" · c %1"}.arg(parallel.context);
    if (parallel.expert > 1)
        text += QString{" · ep %1"}.arg(parallel.expert);
    if (parallel.expert > 1 && parallel.holdsExpertsWhole())
        text += QStringLiteral(" · etp 1");
    return text;
}

// It fits, but may not: the same as in sweeps.
bool isNearlyFullMemory(const PredictedScenario& shown)
{
    const MemoryPrediction& memory = shown.prediction.memory;
    return memory.fits && isNearlyFull(memory.device_bytes, shown.scenario.cluster);
}

QString excessText(const MemoryPrediction& memory)
{
    const QString capacity = bytesText(static_cast<double>(memory.capacity_bytes));
    const bool looks_equal = bytesText(static_cast<double>(memory.device_bytes)) == capacity;
    if (!looks_equal)
        return QObject::tr("more than %1").arg(capacity);
    const std::int64_t beyond = memory.device_bytes - memory.capacity_bytes;
    return QObject::tr("%1 too much").arg(bytesText(static_cast<double>(beyond)));
}

// Whether the figure above fits, all of it, and what the run's own report would count of it.
QString memoryText(const PredictedScenario& shown)
{
    const MemoryPrediction& memory = shown.prediction.memory;
    const MemoryMeasure measure = shown.scenario.conventions.memory_measure;
    const QString counted = measure == MemoryMeasure::device
                                ? QString{}
                                : QObject::tr("%1 %2").arg(bytesText(static_cast<double>(memory.peak_bytes)),
                                                           toQString(word(measure)));
    const QString capacity = bytesText(static_cast<double>(memory.capacity_bytes));
    const bool is_sure = memory.fits && !isNearlyFullMemory(shown);
    const QString fits = is_sure       ? QObject::tr("fits %1").arg(capacity)
                         : memory.fits ? QObject::tr("nearly full: %1").arg(capacity)
                                       : excessText(memory);
    return counted.isEmpty() ? fits : fits + QStringLiteral("; ") + counted;
}

QString timeText(const PredictedScenario& shown)
{
    const QString band = toQString(timeBandText(shown.scenario, shown.prediction.time));
    if (band.isEmpty())
        return toQString(countedSentence(shown.prediction.micro_batches, "1 micro-batch", "# micro-batches"));
    const qsizetype end = band.indexOf(QLatin1String{": "});
    return end < 0 ? band : band.left(end) + QObject::tr(" (4 of 5)") + band.mid(end);
}

QString perGpuText(const PredictedScenario& shown)
{
    const double rate = shown.prediction.time.tokens_per_s / static_cast<double>(shown.prediction.world_size);
    return QObject::tr("%1 each GPU").arg(countText(rate));
}

QString bubbleText(const PredictedScenario& shown)
{
    const TimePrediction& time = shown.prediction.time;
    const QString text = secondsText(time.bubble_s);
    const StagePrediction* longest = stageOfLongestBubble(shown.prediction);
    if (!longest)
        return text;
    const QString share = ratioText(longest->use.bubble_s() / time.iteration_s);
    return QObject::tr("%1; stage %2: %3").arg(text).arg(longest->stage).arg(share);
}

// Li et al.'s formula leaves attention's operations out of its time, and they count here.
bool isBeyondPeak(const PredictedScenario& shown)
{
    return shown.prediction.time.hfu > 1.0;
}

QString hardwareText(const PredictedScenario& shown)
{
    return isBeyondPeak(shown) ? QObject::tr("more than GPUs can: too short a time")
                               : QObject::tr("HFU %1").arg(ratioText(shown.prediction.time.hfu));
}

// The rank's first, as little room leaves the end out.
QString parametersText(const PredictedScenario& shown)
{
    const ParameterCount& parameters = shown.prediction.parameters;
    const QString of_rank =
        QObject::tr("%1 on a rank").arg(countText(static_cast<double>(parameters.per_rank_max)));
    if (parameters.active == parameters.total)
        return of_rank;
    return QObject::tr("%1; %2 active").arg(of_rank, countText(static_cast<double>(parameters.active)));
}

constexpr std::array figures{
    HeadlineFigure{
        "Parameters", Figure::parameters_total,
        [](const PredictedScenario& shown) { return static_cast<double>(shown.prediction.parameters.total); },
        countText, parametersText, 0, false},
    HeadlineFigure{
        "GPUs", Figure::world_size,
        [](const PredictedScenario& shown) { return static_cast<double>(shown.prediction.world_size); },
        [](double number) { return groupedText(std::llround(number)); }, layoutText, 0, false},
    HeadlineFigure{"Memory, fullest GPU", Figure::peak_memory,
                   [](const PredictedScenario& shown) {
                       return static_cast<double>(shown.prediction.memory.device_bytes);
                   },
                   bytesText, memoryText, -1, false},
    HeadlineFigure{"Iteration", Figure::iteration_time,
                   [](const PredictedScenario& shown) { return shown.prediction.time.iteration_s; },
                   secondsText, timeText, -1, false},
    HeadlineFigure{"Tokens/s", Figure::tokens_per_second,
                   [](const PredictedScenario& shown) { return shown.prediction.time.tokens_per_s; },
                   countText, perGpuText, 1, false},
    HeadlineFigure{"MFU", Figure::mfu,
                   [](const PredictedScenario& shown) { return shown.prediction.time.mfu; }, ratioText,
                   hardwareText, 1, true},
    HeadlineFigure{"Communication", Figure::communication_ratio,
                   [](const PredictedScenario& shown) { return shown.prediction.time.communication_ratio; },
                   ratioText,
                   [](const PredictedScenario& shown) {
                       const double exposed_s = shown.prediction.time.exposed_communication_s;
                       return QObject::tr("%1 exposed").arg(secondsText(exposed_s));
                   },
                   -1, true},
    HeadlineFigure{"Bubble", Figure::bubble_ratio,
                   [](const PredictedScenario& shown) { return shown.prediction.time.bubble_ratio; },
                   ratioText, bubbleText, -1, true},
};

bool isNoChange(double change)
{
    return std::round(change * 1000.0) == 0.0;
}

// "▲ +12.3 %" or, for ratios, "▼ −1.4 points".
QString changeText(double change, bool in_points)
{
    const QString size = QString::number(std::fabs(change) * 100.0, 'f', 1);
    return QString{"%1 %2%3 %4"}.arg(change > 0 ? "▲" : "▼", change > 0 ? "+" : "−", size,
                                     in_points ? QObject::tr("points") : "%");
}

HeadlineValue::Judgement judge(double change, int better)
{
    if (better == 0 || isNoChange(change))
        return HeadlineValue::Judgement::neutral;
    return (change > 0) == (better > 0) ? HeadlineValue::Judgement::better : HeadlineValue::Judgement::worse;
}

// The pinned value stands before the detail, which is of the value now.
QString ofNow(const QString& detail)
{
    return detail.isEmpty() ? detail : QObject::tr("now %1").arg(detail);
}

// Two formulas of time give two times: their difference is no gain or loss.
bool isTime(Figure figure)
{
    return figure != Figure::parameters_total && figure != Figure::world_size
           && figure != Figure::peak_memory;
}

QString timeModelName(TimeModel model)
{
    return model == TimeModel::li ? QObject::tr("Li et al.") : QObject::tr("detailed");
}

// Of the two figures that a tile shows the one that reads other than the pinned one's, as it was; empty:
// none.
QString otherThanShown(const HeadlineFigure& figure, const PredictedScenario& shown,
                       const PredictedScenario& pinned)
{
    const QString value = figure.text(figure.number(pinned));
    if (value != figure.text(figure.number(shown)))
        return value;
    const QString detail = beginningOf(figure.detail(pinned));
    return detail == beginningOf(figure.detail(shown)) ? QString{} : detail;
}

} // namespace

std::span<const HeadlineFigure> headlineFigures()
{
    return figures;
}

HeadlineValue headlineValue(const HeadlineFigure& figure, const PredictedScenario& shown,
                            const PredictedScenario* pinned)
{
    const double number = figure.number(shown);
    HeadlineValue value;
    value.wrong = (figure.figure == Figure::peak_memory && !shown.prediction.memory.fits)
                  || (figure.figure == Figure::mfu && isBeyondPeak(shown));
    value.warned = value.wrong || (figure.figure == Figure::peak_memory && isNearlyFullMemory(shown));
    value.value = (value.wrong ? "✕ " : "") + figure.text(number); // not by colour alone
    value.detail = figure.detail(shown);
    if (figure.figure == Figure::tokens_per_second && shown.scenario.model.kind != ModelKind::transformer)
        value.title = QObject::tr("Samples/s");
    if (!pinned)
        return value;
    const double before = figure.number(*pinned);
    if (isTime(figure.figure) && shown.scenario.time_model != pinned->scenario.time_model) {
        value.change = timeModelName(pinned->scenario.time_model) + ": " + figure.text(before);
        value.detail = ofNow(value.detail);
        return value;
    }
    const double change = figure.change_in_points ? number - before
                          : before != 0.0         ? number / before - 1.0
                                                  : 0.0;
    if (isNoChange(change) && figure.better != 0) {
        const QString other = otherThanShown(figure, shown, *pinned);
        value.change = other.isEmpty() ? QObject::tr("= pinned") : QObject::tr("pinned %1").arg(other);
        value.detail = other.isEmpty() ? value.detail : ofNow(value.detail);
    } else if (change != 0.0) {
        value.change = changeText(change, figure.change_in_points);
    }
    value.judgement = judge(change, figure.better);
    return value;
}

} // namespace shardscope
