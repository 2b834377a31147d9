#include <QTest>

#include "core/analysis/analyze.h"
#include "core/analysis/calibration/run_points.h"
#include "core/base/resources.h"
#include "core/import/importer.h"
#include "core/scenario/scenario_json.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <array>

using namespace shardscope;

// What the sample run and its scenario give to fit to: an iteration took 0.57 s.
class TestRunPoints : public QObject
{
    Q_OBJECT

    Scenario m_scenario;
    TraceSet m_traces;
    Measurement m_measurement;
    std::vector<std::string> m_notes;

    // The iterations among the points.
    std::vector<CalibrationPoint> iterations(const Measurement& measurement, const Scenario& scenario)
    {
        m_notes.clear();
        std::vector<CalibrationPoint> points = pointsOfRun(m_traces, measurement, scenario, {}, m_notes);
        std::erase_if(points, [](const CalibrationPoint& point) { return !point.step; });
        return points;
    }

    bool isNoted(const char* part) const
    {
        return std::ranges::any_of(
            m_notes, [part](const std::string& note) { return note.find(part) != std::string::npos; });
    }

private slots:
    void initTestCase()
    {
        const std::filesystem::path folder = SHARDSCOPE_SOURCE_FOLDER "/sample_traces";
        const Presets presets = Presets::load(resourcesFolder() / "presets").value();
        m_scenario = readScenarioFile(folder / "sample.scenario.json", presets).value().scenario;
        m_traces = importTraces(std::array{folder / "p2t2d2"}, {}).value();
        AnalysisOptions options;
        options.layout = &m_scenario;
        m_measurement = analyze(m_traces, options);
    }

    void theRunsScenarioTakesItsIteration()
    {
        const auto found = iterations(m_measurement, m_scenario);
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY(found.front().measured_s > 0.5 && found.front().measured_s < 0.6);
        QCOMPARE(found.front().step->name, m_scenario.name);
        QVERIFY(!found.front().collective);
        QVERIFY(isNoted("is that of the traces, 1 iteration of 8 ranks"));
    }

    void collectivesArePointsBesideIt()
    {
        std::vector<std::string> notes;
        const auto all = pointsOfRun(m_traces, m_measurement, m_scenario, {}, notes);
        const auto collectives = calibrationPoints(m_measurement, m_scenario, {}, notes);
        QCOMPARE(all.size(), collectives.size() + 1);
        QVERIFY(
            std::ranges::all_of(collectives, [](const auto& point) { return point.collective.has_value(); }));
    }

    void anIterationOfAnotherScenarioIsNotUsed()
    {
        Scenario other = m_scenario;
        other.model.layers *= 2;
        QVERIFY(iterations(m_measurement, other).empty());
        QVERIFY(isNoted("is not used: the scenario is not the run's: counts or sizes differ in "));
        other.parallel.tensor = 3; // no such layout
        QVERIFY(iterations(m_measurement, other).empty());
        QVERIFY(isNoted("the traces' iteration is not used: "));
    }

    void anIterationOfForwardPassesAloneIsNotUsed()
    {
        TraceBuilder builder;
        builder.addEvent(builder.addTrack({}), 0, 10, "aten::mm", "cpu_op");
        TraceSet forward;
        forward.files.emplace_back();
        forward.files.front().store = builder.finish();
        std::swap(forward, m_traces);
        QVERIFY(iterations(m_measurement, m_scenario).empty());
        QVERIFY(isNoted("is not used: no backward pass was recorded"));
        std::swap(forward, m_traces);
        QCOMPARE(iterations(m_measurement, m_scenario).size(), std::size_t{1});
    }

    // A log is without the profiler's share.
    void aLogsIterationGoesFirst()
    {
        Measurement logged = m_measurement;
        logged.timers = {{std::string{iteration_timer}, 12, 0.25}};
        const auto found = iterations(logged, m_scenario);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found.front().measured_s, 0.25);
        QVERIFY(isNoted("the median of 12 lines of the log"));
    }

    void whatHasNoMessagesIsNotKnownToBeTheScenarios()
    {
        Scenario alone;
        Measurement silent;
        silent.ranks.emplace_back();
        silent.ranks.front().has_timeline = true;
        silent.ranks.front().window_ns = 1'000'000'000;
        QVERIFY(iterations(silent, alone).empty());
        QVERIFY(isNoted("(1 s) is not used: no messages tell"));
        silent.ranks.front().has_timeline = false;
        QVERIFY(iterations(silent, alone).empty());
        QVERIFY(!isNoted("is not used")); // nothing told one
    }
};

QTEST_APPLESS_MAIN(TestRunPoints)
#include "tst_run_points.moc"
