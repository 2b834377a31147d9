#include <QTest>

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/analysis/activity.h"
#include "core/import/importer.h"

#include <cmath>

using namespace shardscope;

// Real traces against what HolisticTraceAnalysis 0.6.1 answered for them. Traces of whole microseconds alone:
// HTA cuts finer ones.
class TestHtaFigures : public QObject
{
    Q_OBJECT

    static QString shared(const QString& path)
    {
        return QStringLiteral(SHARDSCOPE_SHARED_FOLDER "/traces/") + path;
    }

    static QJsonObject reference(const QString& name)
    {
        QFile file{shared("reference/hta/" + name + ".json")};
        return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                              : QJsonObject{};
    }

    static const RankActivity* rankOf(const std::vector<RankActivity>& ranks, qint64 rank)
    {
        for (const RankActivity& activity : ranks)
            if (activity.rank == rank)
                return &activity;
        return nullptr;
    }

    // "stream 7" in 2021.
    static const StreamActivity* streamOf(const RankActivity& rank, qint64 stream)
    {
        const std::string number = std::to_string(stream);
        for (const StreamActivity& activity : rank.streams)
            if (activity.stream == number || activity.stream == "stream " + number)
                return &activity;
        return nullptr;
    }

    static void sets()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("folder");
        QTest::newRow("two sampled ranks") << "hta_sampled_2ranks.with_last_step"
                                           << "hta_sampled_2ranks";
        QTest::newRow("DLRM on 8 V100") << "dlrm8_v100.with_last_step"
                                        << "dlrm8_v100/kineto";
        QTest::newRow("Megatron TP 8 on A100") << "megatron_tp8_a100.with_last_step"
                                               << "megatron_tp8_ranks01";
        QTest::newRow("ResNet-50 of 2021") << "kineto_resnet50.with_last_step"
                                           << "kineto_resnet50_2021";
    }

    // The set of the row at hand; empty, and skipped, where it is not there.
    static std::vector<RankActivity> activityOf(const QString& folder)
    {
        const std::filesystem::path path{shared(folder).toStdString()};
        const Result<TraceSet> traces = importTraces(std::span{&path, 1});
        return traces ? measureActivity(traces.value()) : std::vector<RankActivity>{};
    }

private slots:
    void init()
    {
        if (!QFile::exists(shared("reference/hta")))
            QSKIP("the shared traces are not here");
    }

    void idleTimesAreThoseOfHta_data() { sets(); }
    void idleTimesAreThoseOfHta()
    {
        QFETCH(QString, name);
        QFETCH(QString, folder);
        const std::vector<RankActivity> ranks = activityOf(folder);
        const QJsonObject expected = reference(name)["idle_time_breakdown"].toObject();
        QVERIFY(!expected.isEmpty());
        int compared = 0;
        for (const QString& number : expected.keys()) {
            const RankActivity* rank = rankOf(ranks, number.toLongLong());
            QVERIFY(rank);
            for (const QJsonValue row : expected[number]["breakdown"].toArray()) {
                const StreamActivity* stream = streamOf(*rank, row["stream"].toInteger());
                QVERIFY(stream);
                // Of kernels whose launch is not in the file HTA takes another event for it.
                if (stream->queue.points != 2 * stream->events)
                    continue;
                const QString cause = row["idle_category"].toString();
                const std::int64_t ours_ns = cause == "host_wait"     ? stream->idle.host_wait_ns
                                             : cause == "kernel_wait" ? stream->idle.kernel_wait_ns
                                                                      : stream->idle.other_ns;
                QCOMPARE(ours_ns, static_cast<std::int64_t>(row["idle_time"].toDouble() * 1000));
                ++compared;
            }
        }
        QVERIFY(compared > 0);
    }

    void queueLengthsAreThoseOfHta_data() { sets(); }
    void queueLengthsAreThoseOfHta()
    {
        QFETCH(QString, name);
        QFETCH(QString, folder);
        const std::vector<RankActivity> ranks = activityOf(folder);
        const QJsonArray expected = reference(name)["queue_length_summary"].toArray();
        QVERIFY(!expected.isEmpty());
        for (const QJsonValue row : expected) {
            const RankActivity* rank = rankOf(ranks, row["rank"].toInteger());
            QVERIFY(rank);
            const StreamActivity* stream = streamOf(*rank, row["stream"].toInteger());
            QVERIFY(stream);
            QCOMPARE(stream->queue.points, row["queue_length_count"].toInteger());
            QCOMPARE(stream->queue.max, row["queue_length_max"].toInteger());
            // At equal times HTA's order is whatever its sort leaves.
            QVERIFY(std::abs(stream->queue.mean - row["queue_length_mean"].toDouble()) < 0.02);
        }
    }

    void memoryBandwidthsAreThoseOfHta_data() { sets(); }
    void memoryBandwidthsAreThoseOfHta()
    {
        QFETCH(QString, name);
        QFETCH(QString, folder);
        const std::vector<RankActivity> ranks = activityOf(folder);
        const QJsonArray expected = reference(name)["memory_bw_summary"].toArray();
        QVERIFY(!expected.isEmpty());
        for (const QJsonValue row : expected) {
            const RankActivity* rank = rankOf(ranks, row["rank"].toInteger());
            QVERIFY(rank);
            const MemoryMoveRow* move = nullptr;
            for (const MemoryMoveRow& candidate : rank->memory_moves)
                move = QString::fromStdString(candidate.name) == row["name"].toString() ? &candidate : move;
            QVERIFY(move);
            QCOMPARE(move->count, row["memory_bw_gbps_count"].toInteger());
            QCOMPARE(move->mean_GBps, row["memory_bw_gbps_mean"].toDouble());
            QCOMPARE(move->min_GBps, row["memory_bw_gbps_min"].toDouble());
            QCOMPARE(move->median_GBps, row["memory_bw_gbps_50%"].toDouble());
            QCOMPARE(move->max_GBps, row["memory_bw_gbps_max"].toDouble());
        }
    }

    // HTA counts cudaLaunchKernel, cudaLaunchKernelExC, and asynchronous copies and fills, but no
    // cuLaunchKernel.
    void launchesAreThoseOfHta_data() { sets(); }
    void launchesAreThoseOfHta()
    {
        QFETCH(QString, name);
        QFETCH(QString, folder);
        const std::vector<RankActivity> ranks = activityOf(folder);
        const QJsonObject expected = reference(name)["cuda_kernel_launch_stats"].toObject();
        QVERIFY(!expected.isEmpty());
        for (const QString& number : expected.keys()) {
            const RankActivity* rank = rankOf(ranks, number.toLongLong());
            QVERIFY(rank);
            LaunchFigures sum;
            for (const LaunchFigures& row : rank->launches)
                if (row.call == "cudaLaunchKernel" || row.call == "cudaLaunchKernelExC"
                    || row.call == "cudaMemcpyAsync" || row.call == "cudaMemsetAsync") {
                    sum.count += row.count;
                    sum.call_ns += row.call_ns;
                    sum.gpu_ns += row.gpu_ns;
                    sum.delay_ns += row.delay_ns;
                    sum.delay_max_ns = std::max(sum.delay_max_ns, row.delay_max_ns);
                }
            const QJsonObject theirs = expected[number].toObject();
            const auto inNs = [&](const char* key) {
                return static_cast<std::int64_t>(theirs[QLatin1String{key}].toDouble() * 1000);
            };
            QCOMPARE(sum.count, theirs["n"].toInteger());
            QCOMPARE(sum.call_ns, inNs("cpu_duration_sum"));
            QCOMPARE(sum.gpu_ns, inNs("gpu_duration_sum"));
            QCOMPARE(sum.delay_ns, inNs("launch_delay_sum"));
            QCOMPARE(sum.delay_max_ns, inNs("launch_delay_max"));
        }
    }

    // HTA leaves the last step out unless told otherwise; of two steps the first remains.
    void aStepIsThatOfHta()
    {
        const std::filesystem::path path{shared("hta_sampled_2ranks").toStdString()};
        const Result<TraceSet> traces = importTraces(std::span{&path, 1});
        QVERIFY(traces);
        AnalysisOptions options;
        options.step = 551;
        const Measurement chosen = analyze(traces.value(), options);
        const Measurement whole = analyze(traces.value());
        const QJsonArray expected = reference("hta_sampled_2ranks")["temporal_breakdown"].toArray();
        QCOMPARE(expected.size(), qsizetype{2});
        for (const QJsonValue row : expected) {
            const auto rank = static_cast<std::size_t>(row["rank"].toInteger());
            const auto inNs = [&](const char* key) {
                return static_cast<std::int64_t>(row[QLatin1String{key}].toDouble() * 1000);
            };
            const RankMeasurement& ours = chosen.ranks[rank];
            QCOMPARE(ours.window_ns, inNs("kernel_time(us)"));
            QCOMPARE(ours.idle_ns, inNs("idle_time(us)"));
            QCOMPARE(ours.compute_ns, inNs("compute_time(us)"));
            QCOMPARE(ours.non_compute_ns, inNs("non_compute_time(us)"));
            QCOMPARE(whole.ranks[rank].steps.size(), std::size_t{2});
            QCOMPARE(whole.ranks[rank].steps[0].number, std::int64_t{551});
            QCOMPARE(whole.ranks[rank].steps[0].times.window_ns, ours.window_ns);
            QCOMPARE(whole.ranks[rank].steps[0].times.idle_ns, ours.idle_ns);
        }
    }

    void partsAddUp_data() { sets(); }
    void partsAddUp()
    {
        QFETCH(QString, folder);
        const std::filesystem::path path{shared(folder).toStdString()};
        const Result<TraceSet> traces = importTraces(std::span{&path, 1});
        QVERIFY(traces);
        const Measurement measurement = analyze(traces.value());
        for (const RankActivity& rank : measureActivity(traces.value())) {
            const RankMeasurement* times = nullptr;
            for (const RankMeasurement& measured : measurement.ranks)
                times = measured.rank == rank.rank ? &measured : times;
            QVERIFY(times);
            const TimeDistribution& parts = rank.distribution;
            QCOMPARE(parts.window_ns, times->window_ns);
            QCOMPARE(parts.communication_ns, times->communication_ns);
            QCOMPARE(parts.kernel_ns, times->compute_ns - times->overlap_ns);
            QCOMPARE(parts.intra_operator_ns + parts.inter_operator_ns, times->idle_ns);
            QCOMPARE(rank.idle.total_ns(), times->idle_ns);
        }
    }
};

QTEST_APPLESS_MAIN(TestHtaFigures)
#include "tst_hta_figures.moc"
