#include <QTest>

#include "core/analysis/run_difference.h"

#include <algorithm>

using namespace shardscope;

namespace
{

constexpr std::int64_t ms = 1'000'000;

KernelRow kernel(const std::string& name, std::int64_t count, std::int64_t sum_ns)
{
    KernelRow row;
    row.name = name;
    row.of = EventClass::compute;
    row.count = count;
    row.sum_ns = sum_ns;
    return row;
}

MeasuredCollective call(Kind kind, std::int64_t bytes, std::int64_t count, std::int64_t sum_ns)
{
    MeasuredCollective call;
    call.op = Op::all_reduce;
    call.kind = kind;
    call.message_bytes = bytes;
    call.group_size = 8;
    call.count = count;
    call.sum_ns = sum_ns;
    call.exposed_ns = sum_ns;
    return call;
}

// Computes for 6 ms, has messages of dp for so long, and stands idle for 1 ms.
RankMeasurement rankOf(std::int64_t number, std::int64_t dp_ms)
{
    RankMeasurement rank;
    rank.rank = number;
    rank.has_timeline = true;
    rank.window_ns = (7 + dp_ms) * ms;
    rank.busy_ns = (6 + dp_ms) * ms;
    rank.idle_ns = ms;
    rank.compute_ns = 6 * ms;
    rank.communication_ns = dp_ms * ms;
    rank.non_compute_ns = dp_ms * ms;
    rank.exposed_communication_ns = dp_ms * ms;
    rank.compute_count = 2;
    rank.communication_count = 1;
    rank.exposed_of_kind_ns[static_cast<std::size_t>(Kind::dp)] = dp_ms * ms;
    rank.kernels = {kernel("gemm", 2, 6 * ms)};
    rank.collectives = {call(Kind::dp, 1024, 1, dp_ms * ms)};
    return rank;
}

struct Run {
    TraceSet traces;
    Measurement measurement;

    explicit Run(std::vector<RankMeasurement> ranks, std::int64_t world_size = 0)
    {
        for (const RankMeasurement& rank : ranks) {
            TraceFile file;
            file.rank = rank.rank;
            file.rank_is_known = true;
            file.world_size = world_size;
            file.calls.resize(1);
            traces.files.push_back(file);
        }
        measurement.ranks = std::move(ranks);
    }
    operator AnalysedRun() const { return {traces, measurement}; }
};

double addedTo(const RunDifference& difference, IterationPart part)
{
    const auto found = std::ranges::find(difference.parts, part, &PartChange::part);
    return found == difference.parts.end() ? 0.0 : found->added_s();
}

} // namespace

class TestRunDifference : public QObject
{
    Q_OBJECT
private slots:
    void theRunAgainstItselfHasNoDifference()
    {
        const Run run{{rankOf(0, 3), rankOf(1, 5)}};
        const RunDifference difference = differenceOf(run, run);
        QCOMPARE(difference.before_iteration_s, difference.after_iteration_s);
        for (const PartChange& part : difference.parts)
            QCOMPARE(part.added_s(), 0.0);
        for (const CallsChange& calls : difference.calls)
            QCOMPARE(calls.amount.added_s(), 0.0);
        for (const KernelChange& row : difference.kernels)
            QCOMPARE(row.amount.added_s(), 0.0);
        QCOMPARE(difference.notes.size(), std::size_t{2}); // neither run marks steps
    }

    void theTimeThatIsAddedIsOfThePartThatGrew()
    {
        const Run before{{rankOf(0, 3), rankOf(1, 5)}};
        const Run after{{rankOf(0, 9), rankOf(1, 11)}};
        const RunDifference difference = differenceOf(before, after);
        QCOMPARE(difference.before_iteration_s, 12e-3); // nothing marks steps: both last as the longer one
        QCOMPARE(difference.after_iteration_s, 18e-3);
        QCOMPARE(addedTo(difference, IterationPart::communication), 6e-3);
        QVERIFY(std::abs(addedTo(difference, IterationPart::compute)) < 1e-12);
        QVERIFY(std::abs(addedTo(difference, IterationPart::idle)) < 1e-12);
        double sum_s = 0.0;
        for (const PartChange& part : difference.parts)
            sum_s += part.after_s;
        QCOMPARE(sum_s, difference.after_iteration_s);
    }

    // What one run alone tells the kinds of would look like less of each kind, and more of none.
    void kindsThatOneRunAloneTellsAreOneSum_data()
    {
        QTest::addColumn<bool>("before_tells");
        QTest::addColumn<bool>("after_tells");
        QTest::addColumn<bool>("one_sum");
        QTest::newRow("before alone") << true << false << true;
        QTest::newRow("after alone") << false << true << true;
        QTest::newRow("both") << true << true << false;
        QTest::newRow("neither") << false << false << false;
    }
    void kindsThatOneRunAloneTellsAreOneSum()
    {
        QFETCH(bool, before_tells);
        QFETCH(bool, after_tells);
        QFETCH(bool, one_sum);
        const auto runOf = [](std::int64_t dp_ms, bool tells) {
            RankMeasurement rank = rankOf(0, dp_ms);
            rank.collectives.push_back(call(Kind::tp, 2048, 6, 2 * ms));
            const std::size_t tp = static_cast<std::size_t>(Kind::tp);
            rank.exposed_of_kind_ns[tp] = 2 * ms;
            if (!tells) {
                rank.exposed_of_kind_ns = {};
                rank.exposed_of_kind_ns[static_cast<std::size_t>(Kind::unknown)] = (dp_ms + 2) * ms;
                for (MeasuredCollective& calls : rank.collectives)
                    calls.kind = Kind::unknown;
            }
            return Run{{rank}};
        };
        const RunDifference difference = differenceOf(runOf(3, before_tells), runOf(4, after_tells));
        double added_s = 0.0;
        std::size_t kinds = 0;
        for (const PartChange& part : difference.parts)
            if (part.part == IterationPart::communication) {
                added_s += part.added_s();
                ++kinds;
            }
        QVERIFY(std::abs(added_s - 1e-3) < 1e-12);
        QCOMPARE(kinds, std::size_t{before_tells && after_tells ? 2U : 1U});
        for (const CallsChange& calls : difference.calls)
            QCOMPARE(calls.amount.before.calls, calls.amount.after.calls);
        QCOMPARE(difference.calls.size(), std::size_t{2});
        const bool is_noted = std::ranges::any_of(difference.notes, [](const std::string& note) {
            return note.find("as one sum") != std::string::npos;
        });
        QCOMPARE(is_noted, one_sum);
    }

    void whatDiffersMostComesFirst()
    {
        Run before{{rankOf(0, 3)}};
        Run after{{rankOf(0, 3)}};
        after.measurement.ranks[0].kernels = {kernel("gemm", 2, 5 * ms), kernel("softmax", 4, 8 * ms)};
        after.measurement.ranks[0].collectives.push_back(call(Kind::tp, 2048, 6, 2 * ms));
        const RunDifference difference = differenceOf(before, after);
        QCOMPARE(difference.kernels[0].name, std::string{"softmax"});
        QCOMPARE(difference.kernels[0].amount.before.calls, 0.0);
        QCOMPARE(difference.kernels[0].amount.after.calls, 4.0);
        QCOMPARE(difference.kernels[0].amount.added_s(), 8e-3);
        QCOMPARE(difference.kernels[1].amount.added_s(), -1e-3);
        QCOMPARE(difference.calls[0].kind, Kind::tp);
        QCOMPARE(difference.calls[0].amount.after.calls, 6.0);
        QCOMPARE(difference.calls[1].amount.added_s(), 0.0);
        QCOMPARE(difference.classes.front().of, KernelClass::reduction);
    }

    // Half of what ran is before the first step: an iteration is half of what the steps have.
    void anIterationIsAMarkedStep()
    {
        RankMeasurement rank = rankOf(0, 4);
        for (const std::int64_t number : {1, 2}) {
            StepMeasurement step;
            step.number = number;
            step.start_ns = number * 6 * ms;
            step.duration_ns = 6 * ms;
            step.times.window_ns = 5 * ms;
            step.times.busy_ns = 4 * ms;
            step.times.compute_ns = 3 * ms;
            step.times.non_compute_ns = ms;
            step.times.exposed_communication_ns = ms;
            step.times.compute_count = 1;
            step.times.communication_count = 1;
            rank.steps.push_back(step);
        }
        rank.communication_count = 4;
        rank.collectives[0].count = 4;
        rank.collectives[0].outside_count = 2;
        rank.collectives[0].outside_ns = 2 * ms;
        const Run run{{rank}};
        const RunDifference difference = differenceOf(run, run);
        QCOMPARE(difference.after_iterations, std::int64_t{2});
        QCOMPARE(difference.after_iteration_s, 6e-3);
        QCOMPARE(difference.calls[0].amount.after.calls, 1.0);
        QCOMPARE(difference.calls[0].amount.after.seconds, 1e-3);
        QCOMPARE(difference.calls[0].amount.after.exposed_s, 1e-3);
        QVERIFY2(difference.notes[0].find("outside the marked steps") != std::string::npos,
                 difference.notes[0].c_str());
    }

    void meansAreOverRanksThatBothRunsHave_data()
    {
        QTest::addColumn<std::int64_t>("size_before");
        QTest::addColumn<std::int64_t>("ranks_before");
        QTest::addColumn<QString>("note");
        QTest::newRow("of as large runs, the common ones")
            << std::int64_t{2} << std::int64_t{1} << "the one rank that was read of both";
        QTest::newRow("of others, all") << std::int64_t{4} << std::int64_t{2} << "of 4 GPUs and of 2";
    }
    void meansAreOverRanksThatBothRunsHave()
    {
        QFETCH(std::int64_t, size_before);
        QFETCH(std::int64_t, ranks_before);
        QFETCH(QString, note);
        const Run before{{rankOf(0, 3), rankOf(1, 5)}, size_before};
        const Run after{{rankOf(0, 3)}, 2};
        const RunDifference difference = differenceOf(before, after);
        QCOMPARE(difference.before_ranks, ranks_before);
        QCOMPARE(difference.after_ranks, std::int64_t{1});
        const QString first = QString::fromStdString(difference.notes.front());
        QVERIFY2(first.contains(note), qPrintable(first));
    }

    // A flight recorder's dump beside a profiler's trace has calls and no times.
    void ranksThatListCallsAloneAreLeftOut()
    {
        RankMeasurement dump;
        dump.rank = 1;
        dump.collectives = {call(Kind::dp, 1024, 50, 0)};
        const Run mixed{{rankOf(0, 3), dump}, 2};
        const Run alone{{rankOf(0, 3)}, 2};
        const RunDifference difference = differenceOf(mixed, alone);
        QCOMPARE(difference.before_iteration_s, difference.after_iteration_s);
        QCOMPARE(difference.calls[0].amount.added_s(), 0.0);
        QCOMPARE(difference.before_ranks, std::int64_t{1});
        QVERIFY(difference.notes[0].find("calls alone") != std::string::npos);
    }

    void ranksWithoutTheStepAreLeftOut()
    {
        Run run{{rankOf(0, 3), rankOf(1, 3)}};
        StepMeasurement step;
        step.number = 2;
        step.duration_ns = 10 * ms;
        step.times = run.measurement.ranks[0];
        run.measurement.ranks[0].steps = {step};
        run.measurement.step = 2;
        const RunDifference difference = differenceOf(run, run);
        QCOMPARE(difference.after_ranks, std::int64_t{1});
        QCOMPARE(difference.after_iteration_s, 10e-3);
        QVERIFY(difference.notes[0].find("not recorded this step") != std::string::npos);
    }

    void whatWasNotReadIsSaid()
    {
        Run before{{rankOf(0, 3)}, 2};
        const Run after{{rankOf(1, 3)}, 2};
        before.traces.warnings.emplace_back().sentence = "2 traces of other runs were left out";
        before.traces.files.emplace_back().status = FileStatus::rejected;
        const RunDifference difference = differenceOf(before, after);
        const auto is_said = [&](const std::string& note) {
            return std::ranges::find(difference.notes, note) != difference.notes.end();
        };
        QVERIFY(is_said("Before: 2 traces of other runs were left out"));
        QVERIFY(is_said("Before: one file was not read"));
        QVERIFY(is_said("No rank was read of both runs: other ranks may do other work"));
    }

    void aLogDividesNothing()
    {
        Run log{{}};
        log.measurement.timers = {{std::string{iteration_timer}, 10, 1.5}};
        const RunDifference difference = differenceOf(log, Run{{rankOf(0, 3)}});
        QCOMPARE(difference.before_iteration_s, 1.5);
        QVERIFY(difference.parts.empty());
    }

    void callsHaveTheirTransferBesideTheirWaiting()
    {
        const Run before{{rankOf(0, 3)}};
        Run after{{rankOf(0, 9)}};
        TransferRow transfer;
        transfer.kind = Kind::dp;
        transfer.op = Op::all_reduce;
        transfer.message_bytes = 1024;
        transfer.group_size = 8;
        transfer.median_ns = 2 * ms;
        after.measurement.cross_rank.transfers.push_back(transfer);
        const CallsChange calls = differenceOf(before, after).calls.front();
        QVERIFY(!calls.before_transfer_s);
        QCOMPARE(calls.after_transfer_s.value_or(0.0), 2e-3);
    }

    void logsTellAnIterationAndTheirTimers()
    {
        Run before{{}};
        Run after{{}};
        before.measurement.timers = {{std::string{iteration_timer}, 10, 1.5}, {"optimizer", 10, 0.1}};
        after.measurement.timers = {{std::string{iteration_timer}, 10, 2.0}, {"forward-compute", 10, 0.7}};
        const RunDifference difference = differenceOf(before, after);
        QCOMPARE(difference.before_iteration_s, 1.5);
        QCOMPARE(difference.after_iteration_s, 2.0);
        QCOMPARE(difference.timers.size(), std::size_t{3});
        QCOMPARE(difference.timers[0].name, std::string{iteration_timer});
        const auto optimizer =
            std::ranges::find(difference.timers, std::string{"optimizer"}, &TimerChange::name);
        QVERIFY(optimizer->before_s && !optimizer->after_s);
        QVERIFY(difference.parts.empty());
    }
};

QTEST_APPLESS_MAIN(TestRunDifference)
#include "tst_run_difference.moc"
