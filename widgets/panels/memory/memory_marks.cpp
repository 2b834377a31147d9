#include "widgets/panels/memory/memory_marks.h"

#include "widgets/session/shown_text.h"

#include "core/report/memory_report.h"

#include <algorithm>

namespace shardscope
{

namespace
{

// One of the two figures that runs tell.
struct MarkedFigure {
    const char* name;
    const char* predicted_by; // the parts of the bar that it is to be held against
    std::optional<ComparedMemory> StagePeaks::*fullest;
    std::int64_t RankMemory::*measured_bytes;
    std::int64_t ComparedMemory::*predicted_bytes;
    bool is_dashed;
};

constexpr MarkedFigure allocated{"allocated",
                                 "the parts up to the buffers",
                                 &StagePeaks::allocated,
                                 &RankMemory::peak_allocated_bytes,
                                 &ComparedMemory::predicted_allocated_bytes,
                                 false};
constexpr MarkedFigure reserved{"reserved",
                                "the parts up to what is cached",
                                &StagePeaks::reserved,
                                &RankMemory::peak_reserved_bytes,
                                &ComparedMemory::predicted_reserved_bytes,
                                true};

double measuredBytes(const MarkedFigure& figure, const ComparedMemory& rank)
{
    return static_cast<double>(rank.measured.*figure.measured_bytes);
}

double predictedBytes(const MarkedFigure& figure, const ComparedMemory& rank)
{
    return static_cast<double>(rank.*figure.predicted_bytes);
}

// The fullest of all stages; null: nothing tells the figure.
const ComparedMemory* fullestOf(const MarkedFigure& figure, const std::vector<StagePeaks>& stages)
{
    const ComparedMemory* fullest = nullptr;
    for (const StagePeaks& stage : stages)
        if (const auto& rank = stage.*figure.fullest;
            rank && (!fullest || measuredBytes(figure, *rank) > measuredBytes(figure, *fullest)))
            fullest = &*rank;
    return fullest;
}

QString rankText(std::int64_t rank)
{
    return rank < 0 ? QStringLiteral("a rank") : QStringLiteral("rank %1").arg(rank);
}

// " (+5.8 %)": predicted against measured.
QString residualText(double predicted_bytes, double measured_bytes)
{
    return measured_bytes > 0.0
               ? QStringLiteral(" (%1)").arg(toQString(formatChange(predicted_bytes / measured_bytes - 1.0)))
               : QString{};
}

} // namespace

MemoryMarks::MemoryMarks(const PredictedScenario& predicted, const MeasuredRun& run)
{
    const MemoryComparison compared =
        compareMemory(predicted.scenario, predicted.prediction, run.traces, run.measurement);
    m_stages = compared.stages();
    m_problem = toQString(compared.problem);
}

const StagePeaks* MemoryMarks::find(int stage) const
{
    const auto found = std::ranges::find(m_stages, stage, &StagePeaks::stage);
    return found == m_stages.end() ? nullptr : &*found;
}

double MemoryMarks::highest_bytes() const
{
    double highest = 0.0;
    for (const MarkedFigure& figure : {allocated, reserved})
        if (const ComparedMemory* rank = fullestOf(figure, m_stages))
            highest = std::max(highest, measuredBytes(figure, *rank));
    return highest;
}

std::vector<BarMark> MemoryMarks::of(int stage, const Theme& theme) const
{
    std::vector<BarMark> marks;
    const StagePeaks* peaks = find(stage);
    for (const MarkedFigure& figure : {allocated, reserved})
        if (peaks && peaks->*figure.fullest)
            marks.push_back({measuredBytes(figure, *(peaks->*figure.fullest)), theme.colour(Hue::measured),
                             figure.is_dashed});
    return marks;
}

std::vector<LegendChip> MemoryMarks::chips(const Theme& theme) const
{
    std::vector<LegendChip> chips;
    for (const MarkedFigure& figure : {allocated, reserved})
        if (const ComparedMemory* rank = fullestOf(figure, m_stages))
            chips.push_back(
                {.id = -1,
                 .text = QStringLiteral("measured: %1, %2 on %3")
                             .arg(QString::fromUtf8(figure.name), bytesText(measuredBytes(figure, *rank)),
                                  rankText(rank->measured.rank)),
                 .colour = theme.colour(Hue::measured),
                 .is_line = true,
                 .is_dashed = figure.is_dashed});
    return chips;
}

QString MemoryMarks::note() const
{
    for (const MarkedFigure& figure : {allocated, reserved})
        if (const ComparedMemory* rank = fullestOf(figure, m_stages))
            return QStringLiteral("%1, stage %2: %3 predicted, %4 measured")
                .arg(QString::fromUtf8(figure.name))
                .arg(rank->stage)
                .arg(bytesText(predictedBytes(figure, *rank)), bytesText(measuredBytes(figure, *rank)));
    return m_problem;
}

QString MemoryMarks::tip(int stage) const
{
    const StagePeaks* peaks = find(stage);
    QString text;
    for (const MarkedFigure& figure : {allocated, reserved}) {
        if (!peaks || !(peaks->*figure.fullest))
            continue;
        const ComparedMemory& rank = *(peaks->*figure.fullest);
        const double measured = measuredBytes(figure, rank);
        const double predicted = predictedBytes(figure, rank);
        text += QStringLiteral("<br>Measured on %1 (%2): %3 %4; %5 are %6%7")
                    .arg(rankText(rank.measured.rank), toQString(memorySource(rank.measured.from)),
                         bytesText(measured), QString::fromUtf8(figure.name),
                         QString::fromUtf8(figure.predicted_by), bytesText(predicted),
                         residualText(predicted, measured));
    }
    return text;
}

QStringList MemoryMarks::cells(int stage) const
{
    const StagePeaks* peaks = find(stage);
    QStringList cells;
    for (const MarkedFigure& figure : {allocated, reserved})
        cells << (peaks && peaks->*figure.fullest
                      ? QString::number((peaks->*figure.fullest)->measured.*figure.measured_bytes)
                      : QString{});
    return cells;
}

} // namespace shardscope
