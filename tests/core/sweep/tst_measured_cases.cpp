#include <QTest>

#include "core/base/resources.h"
#include "core/sweep/measured_cases.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <string>

using namespace shardscope;

namespace
{

Presets shippedPresets()
{
    return Presets::load(resourcesFolder() / "presets").value();
}

std::filesystem::path listOf(const char* name)
{
    return resourcesFolder() / "accuracy" / name;
}

// Whether the measured time lies within the band that stands beside the predicted one.
bool isWithinBand(const MeasuredStep& step)
{
    const ComputeLaw& law = step.run.scenario.cluster.compute;
    const double band = step.run.scenario.training.precision == Precision::fp8 ? law.time_error_fp8
                        : step.run.parameters < 1e9                            ? law.time_error_small
                                                                               : law.time_error;
    return std::abs(step.measured_s / step.predicted_s - 1.0) <= band;
}

} // namespace

// The published figures that ship, predicted by the program as it is.
class TestMeasuredCases : public QObject
{
    Q_OBJECT
private slots:
    void theStepsThatShipAreNear()
    {
        const auto steps = readMeasuredSteps(listOf("cases.json"), shippedPresets());
        QVERIFY2(steps, steps ? "" : steps.error().sentence.c_str());
        double sum = 0.0;
        int within_band = 0;
        int never_fitted = 0;
        int with_experts = 0;
        for (const MeasuredStep& step : steps.value()) {
            QVERIFY(!step.run.source.empty() && !step.run.reference.empty() && !step.run.gpu.empty());
            QVERIFY(step.measured_s > 0.0 && step.predicted_s > 0.0);
            QCOMPARE(step.run.scenario.name, step.run.id);
            sum += std::abs(step.predicted_s / step.measured_s - 1.0);
            within_band += isWithinBand(step) ? 1 : 0;
            never_fitted += step.source_left_out_s ? 0 : 1;
            with_experts += step.run.scenario.model.experts.count > 0 ? 1 : 0;
        }
        const auto count = static_cast<double>(steps.value().size());
        QVERIFY(count > 1000);
        QVERIFY2(sum / count <= 0.12, "the goal for all cases");
        QVERIFY2(within_band / count >= 0.8, "bands hold four of five cases");
        QVERIFY(with_experts >= 10);
        QVERIFY(never_fitted >= with_experts + 30);
        QVERIFY(std::ranges::count_if(steps.value(), &MeasuredStep::fits) >= 0.99 * count);
    }

    // They are told by the same public list, and nothing of them is counted among the complete ones.
    void theStepsThatAreToldInPartStandByThemselves()
    {
        const auto in_part = readMeasuredSteps(listOf("partial_steps.json"), shippedPresets());
        QVERIFY2(in_part, in_part ? "" : in_part.error().sentence.c_str());
        const auto in_full = readMeasuredSteps(listOf("cases.json"), shippedPresets());
        QVERIFY(in_full);
        std::set<std::string> told_in_full;
        for (const MeasuredStep& step : in_full.value()) {
            QVERIFY(step.left_open.empty());
            told_in_full.insert(step.run.id);
        }
        double sum = 0.0;
        for (const MeasuredStep& step : in_part.value()) {
            QVERIFY2(!step.left_open.empty(), step.run.id.c_str());
            QVERIFY2(!told_in_full.contains(step.run.id), step.run.id.c_str());
            QVERIFY(!step.source_left_out_s);
            QVERIFY(step.measured_s > 0.0 && step.predicted_s > 0.0);
            sum += std::abs(step.predicted_s / step.measured_s - 1.0);
        }
        QVERIFY(in_part.value().size() >= 100);
        QVERIFY2(sum / static_cast<double>(in_part.value().size()) <= 0.15,
                 "scenarios that are made wrongly are further off");
    }

    void theSchedulesThatShipAreNear()
    {
        const auto schedules = readMeasuredSchedules(listOf("schedules.json"), shippedPresets());
        QVERIFY2(schedules, schedules ? "" : schedules.error().sentence.c_str());
        QVERIFY(schedules.value().size() >= 20);
        for (const MeasuredSchedule& schedule : schedules.value()) {
            QVERIFY(schedule.run.scenario.parallel.schedule != Schedule::one_f_one_b);
            const double off = schedule.predicted_gain / schedule.measured_gain - 1.0;
            QVERIFY2(std::abs(off) <= 0.06, schedule.run.id.c_str());
        }
    }

    void theMemoryThatShipsIsNear()
    {
        const auto runs = readMeasuredMemory(listOf("memory.json"), shippedPresets());
        QVERIFY2(runs, runs ? "" : runs.error().sentence.c_str());
        double sum = 0.0;
        int measured = 0;
        int said_not_to_fit = 0;
        for (const MeasuredMemory& memory : runs.value()) {
            if (!memory.measured_bytes) {
                said_not_to_fit += memory.fits ? 0 : 1;
                continue;
            }
            ++measured;
            sum += std::abs(memory.predicted_bytes / *memory.measured_bytes - 1.0);
        }
        QVERIFY(measured >= 100);
        QVERIFY(sum / measured <= 0.04);
        QVERIFY(said_not_to_fit >= 4);
    }

    void theMessagesThatShipAreNear()
    {
        const auto messages = readMeasuredMessages(listOf("messages.json"), shippedPresets());
        QVERIFY2(messages, messages ? "" : messages.error().sentence.c_str());
        double preset = 0.0;
        double other_links = 0.0;
        for (const MeasuredMessage& message : messages.value()) {
            QVERIFY(message.busbw_GBps > 0.0);
            preset += std::abs(message.predicted_s / message.measured_s - 1.0);
            other_links += std::abs(message.other_links_s / message.measured_s - 1.0);
        }
        const auto count = static_cast<double>(messages.value().size());
        QVERIFY(count >= 300);
        QVERIFY(preset / count <= 0.1);
        QVERIFY(other_links > preset);
    }

    void aFileThatIsNoneIsRefused()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("cases.json").toStdString();
        const auto isRefused = [&] {
            return !readMeasuredSteps(file, Presets{}) && !readMeasuredSchedules(file, Presets{})
                   && !readMeasuredMemory(file, Presets{}) && !readMeasuredMessages(file, Presets{});
        };
        QVERIFY(isRefused()); // not there
        std::ofstream{file} << "{\"cases\": [{\"id\": 3}]}";
        QVERIFY(isRefused());
        std::ofstream{file} << "no JSON";
        QVERIFY(isRefused());
    }
};

QTEST_APPLESS_MAIN(TestMeasuredCases)
#include "tst_measured_cases.moc"
