#include "widgets/panels/memory/memory_sweep_view.h"

#include "widgets/panels/memory/memory_parts.h"
#include "widgets/session/shown_text.h"

#include "core/sweep/memory_demand.h"

#include <algorithm>
#include <vector>

namespace shardscope
{

namespace
{

constexpr double reference_demand = 1024.0 * 512.0; // BERT's h * s, 2018
constexpr double reference_memory_GB = 32.0;        // V100, 2018

QString axisTitle(MemoryAxis axis)
{
    return axis == MemoryAxis::sequence_length
               ? QStringLiteral("sequence length (tokens)")
               : QStringLiteral("micro-batch (sequences); as many of them, so the global batch "
                                "grows");
}

// "4K" for lengths that are multiples of 1,024.
QString valueText(std::int64_t value)
{
    if (value >= 1024 && value % 1024 == 0)
        return QStringLiteral("%1K").arg(value / 1024);
    return QString::number(value);
}

QString borderText(const MemorySweep& sweep, MemoryAxis axis, std::int64_t own_value)
{
    const QString unit =
        axis == MemoryAxis::sequence_length ? QStringLiteral("tokens") : QStringLiteral("sequences");
    if (sweep.largest == 0)
        return axis == MemoryAxis::sequence_length ? QStringLiteral("No length fits")
                                                   : QStringLiteral("Not even one sequence fits");
    return QStringLiteral("Up to %1 %2 fit; the scenario has %3")
        .arg(groupedText(sweep.largest), unit, groupedText(own_value));
}

// One bar of the picture over the years.
struct YearBar {
    QString name;
    int year = 0;
    double times = 1.0; // against 2018
    bool is_device = false;
    QString what; // "h 12288, s 2048"
    QString source;
};

YearBar demandBar(const MemoryDemand& demand)
{
    return {QString::fromUtf8(demand.model),
            demand.year,
            static_cast<double>(demand.demand()) / reference_demand,
            false,
            QStringLiteral("h %1, s %2").arg(demand.hidden_size).arg(demand.sequence_length),
            QString::fromUtf8(demand.source)};
}

YearBar deviceBar(const DeviceMemory& device)
{
    return {QString::fromUtf8(device.device),
            device.year,
            device.memory_GB / reference_memory_GB,
            true,
            QStringLiteral("%1 GB").arg(device.memory_GB),
            QString::fromUtf8(device.source)};
}

std::vector<YearBar> yearBars(const Scenario* scenario)
{
    std::vector<YearBar> bars;
    for (const MemoryDemand& demand : memoryDemands())
        bars.push_back(demandBar(demand));
    for (const DeviceMemory& device : deviceMemories())
        bars.push_back(deviceBar(device));
    std::ranges::stable_sort(bars, {}, &YearBar::year);
    if (scenario && scenario->model.kind == ModelKind::transformer) {
        const Model& model = scenario->model;
        bars.push_back({QStringLiteral("this"), 0,
                        static_cast<double>(model.hidden_size) * static_cast<double>(model.sequence_length)
                            / reference_demand,
                        false, QStringLiteral("h %1, s %2").arg(model.hidden_size).arg(model.sequence_length),
                        QStringLiteral("this scenario")});
    }
    return bars;
}

QString timesText(double times)
{
    return QStringLiteral("%1x").arg(times, 0, 'g', 3);
}

} // namespace

BarScene sweepScene(const MemorySweep& sweep, MemoryAxis axis, std::int64_t own_value, const Theme& theme)
{
    BarScene scene;
    if (sweep.points.empty()) {
        scene.hint = QStringLiteral("A list of tensors has no sequence to vary");
        return scene;
    }
    double highest = 0.0;
    for (const MemoryPoint& point : sweep.points) {
        Bar bar = memoryBar(point.fullest, sweep.capacity_bytes, theme, false);
        const auto place = static_cast<double>(scene.bars.size());
        bar.centre = place;
        bar.is_marked = point.value == own_value;
        if (point.value == sweep.largest)
            bar.remark = QStringLiteral("most");
        scene.category_labels.push_back({place, valueText(point.value)});
        scene.bars.push_back(std::move(bar));
        highest = std::max(highest, static_cast<double>(point.fullest.deviceBytes()));
    }
    scene.category_low = -0.5;
    scene.category_high = static_cast<double>(sweep.points.size()) - 0.5;
    scene.category_title = axisTitle(axis);
    setCapacity(scene, highest, sweep.capacity_bytes);
    scene.note = borderText(sweep, axis, own_value);
    return scene;
}

QString sweepSentence(const MemorySweep& sweep, MemoryAxis axis, int bar, int segment)
{
    const MemoryPoint& point = sweep.points[static_cast<std::size_t>(bar)];
    const MemoryPart& part = memory_parts[static_cast<std::size_t>(segment)];
    return QStringLiteral("%1 %2, stage %3, %4: %5 of %6%7")
        .arg(axis == MemoryAxis::sequence_length ? QStringLiteral("s") : QStringLiteral("b"))
        .arg(point.value)
        .arg(point.fullest.stage)
        .arg(QString::fromUtf8(part.name), bytesText(static_cast<double>(point.fullest.*part.bytes)),
             bytesText(static_cast<double>(point.fullest.deviceBytes())),
             point.fits ? QString{} : QStringLiteral(", does not fit"));
}

TableRows sweepTable(const MemorySweep& sweep, MemoryAxis axis)
{
    QStringList head{axis == MemoryAxis::sequence_length ? QStringLiteral("sequence_length")
                                                         : QStringLiteral("micro_batch_size"),
                     QStringLiteral("stage")};
    for (const MemoryPart& part : memory_parts)
        head << QString::fromUtf8(part.name) + QStringLiteral("_bytes");
    head << QStringLiteral("device_bytes") << QStringLiteral("capacity_bytes") << QStringLiteral("fits")
         << QStringLiteral("largest_that_fits");
    TableRows table{head};
    for (const MemoryPoint& point : sweep.points) {
        QStringList row{QString::number(point.value), QString::number(point.fullest.stage)};
        for (const MemoryPart& part : memory_parts)
            row << QString::number(point.fullest.*part.bytes);
        row << QString::number(point.fullest.deviceBytes()) << QString::number(sweep.capacity_bytes)
            << (point.fits ? QStringLiteral("true") : QStringLiteral("false"))
            << QString::number(sweep.largest);
        table.push_back(row);
    }
    return table;
}

BarScene yearsScene(const Scenario* scenario, const Theme& theme)
{
    BarScene scene;
    double highest = 1.0;
    for (const YearBar& year_bar : yearBars(scenario)) {
        const auto place = static_cast<double>(scene.bars.size());
        Bar bar;
        bar.centre = place;
        bar.thickness = 0.74;
        bar.most_pixels = 60.0;
        bar.is_marked = year_bar.year == 0;
        bar.caption = timesText(year_bar.times);
        bar.segments.push_back({year_bar.times,
                                theme.colour(year_bar.is_device ? Hue::limit : Hue::activations),
                                BarTexture::solid, false, QString{}, QString{}});
        scene.bars.push_back(std::move(bar));
        scene.category_labels.push_back({place, year_bar.name});
        highest = std::max(highest, year_bar.times);
    }
    scene.category_low = -0.5;
    scene.category_high = static_cast<double>(scene.bars.size()) - 0.5;
    scene.category_title = QStringLiteral("models and devices, %1 to %2")
                               .arg(deviceMemories().front().year)
                               .arg(deviceMemories().back().year);
    scene.labels_are_names = true;
    scene.is_logarithmic = true;
    scene.value_low = 0.1;
    scene.value_high = 2.0 * highest;
    scene.note = QStringLiteral("h × s against BERT's, a device's memory against the V100's 32 GB "
                                "(Pati et al. 2023, Fig. 6)");
    return scene;
}

QString yearsSentence(const Scenario* scenario, int bar)
{
    const YearBar year_bar = yearBars(scenario)[static_cast<std::size_t>(bar)];
    return QStringLiteral("%1%2: %3, %4 %5 (%6)")
        .arg(year_bar.name, year_bar.year > 0 ? QStringLiteral(", %1").arg(year_bar.year) : QString{},
             year_bar.what, timesText(year_bar.times),
             year_bar.is_device ? QStringLiteral("the V100's memory") : QStringLiteral("BERT's demand"),
             year_bar.source);
}

TableRows yearsTable(const Scenario* scenario)
{
    TableRows table{{"name", "year", "is_device", "times_2018", "figures", "source"}};
    for (const YearBar& bar : yearBars(scenario))
        table.push_back({bar.name, QString::number(bar.year),
                         bar.is_device ? QStringLiteral("true") : QStringLiteral("false"),
                         QString::number(bar.times, 'g', 6), bar.what, bar.source});
    return table;
}

} // namespace shardscope
