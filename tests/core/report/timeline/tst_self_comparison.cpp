#include <QTest>

#include <QTemporaryDir>

#include "core/analysis/analyze.h"
#include "core/analysis/comparison.h"
#include "core/report/timeline/timeline_trace.h"
#include "tests/core/prediction/llama_scenario.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/report/timeline/exported_scenarios.h"

#include <cmath>
#include <numeric>

using namespace shardscope;

namespace
{

// A timeline is exported, read back and compared with the prediction that it is of.
Comparison withItself(const Scenario& scenario, const std::vector<std::int64_t>& ranks,
                      TimelineDetail detail = TimelineDetail::layers)
{
    const Result<Prediction> prediction = predict(scenario);
    if (!prediction)
        qFatal("%s", prediction.error().sentence.c_str());
    QTemporaryDir folder;
    if (!saveTimelineTrace(folder.path().toStdString(), scenario, timelineOf(scenario), detail, ranks))
        qFatal("%s", qPrintable(folder.path()));
    const TraceSet traces = imported(folder.path());
    return compare(scenario, prediction.value(), traces, analyze(traces, {}));
}

std::vector<std::int64_t> everyRank(const Scenario& scenario)
{
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(scenario.worldSize()));
    std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
    return ranks;
}

// To a millionth of the iteration: nanoseconds are rounded.
void verifyAlike(const char* what, const std::optional<double>& predicted_s, double measured_s,
                 double iteration_s)
{
    QVERIFY2(predicted_s.has_value(), what);
    QVERIFY2(
        std::abs(*predicted_s - measured_s) < 1e-6 * iteration_s,
        qPrintable(QStringLiteral("%1: %2 s, exported %3 s").arg(what).arg(*predicted_s).arg(measured_s)));
}

void verifyTimes(const Comparison& comparison)
{
    const double iteration_s = comparison.measured_iteration_s;
    QVERIFY(iteration_s > 0.0);
    verifyAlike("iteration", comparison.predicted_iteration_s, iteration_s, iteration_s);
    verifyAlike("compute", comparison.predicted_compute_s, comparison.measured_compute_s, iteration_s);
    verifyAlike("idle", comparison.predicted_idle_s, comparison.measured_idle_s, iteration_s);
    verifyAlike("other", comparison.predicted_other_s, comparison.measured_other_s, iteration_s);
    QVERIFY(!comparison.kinds.empty());
}

void verifyMessages(const Comparison& comparison)
{
    const double iteration_s = comparison.measured_iteration_s;
    for (const KindTime& kind : comparison.kinds)
        verifyAlike(word(kind.kind).data(), kind.predicted_s, kind.measured_s, iteration_s);
    for (const ComparisonRow& row : comparison.rows) {
        const QString what = QStringLiteral("%1 %2 of %3 bytes")
                                 .arg(word(row.kind).data(), word(row.op).data())
                                 .arg(row.message_bytes);
        QVERIFY2(row.equal(), qPrintable(what));
        verifyAlike(qPrintable(what), row.predicted_s, row.measured_s, iteration_s);
    }
}

} // namespace

class TestSelfComparison : public QObject
{
    Q_OBJECT
private slots:
    void whatIsPredictedIsComparedAsEqual_data() { everyScenario(); }
    void whatIsPredictedIsComparedAsEqual()
    {
        QFETCH(const Scenario, scenario);
        const Comparison comparison = withItself(scenario, everyRank(scenario));
        verifyTimes(comparison);
        verifyMessages(comparison);
    }

    void soAreSomeOfTheRanks_data() { everyScenario(); }
    void soAreSomeOfTheRanks()
    {
        QFETCH(const Scenario, scenario);
        const std::int64_t last = scenario.worldSize() - 1;
        for (const std::vector<std::int64_t>& ranks :
             {std::vector<std::int64_t>{0}, std::vector<std::int64_t>{last / 2},
              std::vector<std::int64_t>{1, last}}) {
            const Comparison comparison = withItself(scenario, ranks);
            QCOMPARE(comparison.ranks, static_cast<std::int64_t>(ranks.size()));
            verifyTimes(comparison);
            verifyMessages(comparison);
        }
    }

    // Every message has its receipt.
    void messagesAreMatchedAcrossRanks_data() { everyScenario(); }
    void messagesAreMatchedAcrossRanks()
    {
        QFETCH(const Scenario, scenario);
        QTemporaryDir folder;
        const std::string file = folder.filePath("all.json.gz").toStdString();
        QVERIFY(saveTimelineTrace(file, scenario, timelineOf(scenario), TimelineDetail::layers,
                                  onePipeline(scenario)));
        const TraceSet traces = imported(QString::fromStdString(file));
        for (const TraceFile& each : traces.files) {
            QCOMPARE(each.status, FileStatus::ok);
            QVERIFY(each.warnings.empty());
        }
        QVERIFY(traces.files.front().flows > 0);
        const Measurement measured = analyze(traces, {});
        for (const std::string& note : measured.notes)
            QVERIFY2(note.find("do not name their peer") == std::string::npos, note.c_str());
        QVERIFY(measured.cross_rank.matched > 0);
    }

    // Passes as wholes, with all their messages of a kind behind them, are no calls; what a stage waits for a
    // message is idle time there.
    void wholePassesTakeTheSameTimes_data() { everyScenario(); }
    void wholePassesTakeTheSameTimes()
    {
        QFETCH(const Scenario, scenario);
        const Comparison comparison = withItself(scenario, everyRank(scenario), TimelineDetail::passes);
        const double iteration_s = comparison.measured_iteration_s;
        verifyAlike("iteration", comparison.predicted_iteration_s, iteration_s, iteration_s);
        verifyAlike("compute", comparison.predicted_compute_s, comparison.measured_compute_s, iteration_s);
        verifyAlike("idle", comparison.predicted_idle_s, comparison.measured_idle_s, 1e4 * iteration_s);
    }

    // Li et al.'s formula knows no calls of its own.
    void theFormulasTimesAreThoseOfItsTimeline()
    {
        Scenario scenario = scenarioOf(Schedule::one_f_one_b);
        scenario.time_model = TimeModel::li;
        const Comparison comparison = withItself(scenario, everyRank(scenario));
        verifyTimes(comparison);
        for (const KindTime& kind : comparison.kinds)
            if (kind.predicted_s)
                verifyAlike(word(kind.kind).data(), kind.predicted_s, kind.measured_s,
                            comparison.measured_iteration_s);
    }

    // A stage that is through early has reduced its gradients while others work: exposed, as it computes
    // nothing meanwhile. The prediction's sums have that time in the bubble.
    void whatAnIdleStageSendsIsExposed()
    {
        Scenario scenario = test::laidOut(test::llama70b(), 4, 4, 2);
        scenario.parallel.stage_layers = {1, 2, 4, 5};
        const Comparison comparison = withItself(scenario, {scenario.worldSize() - 1});
        const TimePrediction time = predict(scenario).value().time;
        double sum_s = *comparison.predicted_compute_s + *comparison.predicted_idle_s;
        double dp_s = 0.0;
        for (const KindTime& kind : comparison.kinds) {
            sum_s += *kind.predicted_s;
            dp_s += kind.kind == Kind::dp ? *kind.predicted_s : 0.0;
        }
        QVERIFY(dp_s > 1.05 * time.dp_s);
        QVERIFY(*comparison.predicted_idle_s < time.bubble_s);
        QVERIFY(std::abs(sum_s - time.iteration_s) < 1e-6 * time.iteration_s);
    }
};

QTEST_APPLESS_MAIN(TestSelfComparison)
#include "tst_self_comparison.moc"
