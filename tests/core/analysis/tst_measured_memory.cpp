#include <QtTest>

#include "core/analysis/analyze.h"
#include "core/analysis/measured_memory.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace shardscope;

namespace
{

TraceFile logOf(std::vector<MemoryRecord> memory, std::int64_t world_size = 0)
{
    TraceFile log;
    log.path = "run.log";
    log.format = "megatron_log";
    log.world_size = world_size;
    log.memory = std::move(memory);
    log.store = TraceBuilder{}.finish();
    return log;
}

// A profiler's trace with one counter of bytes.
TraceFile profiled(std::int64_t rank, const std::string& counter, const std::vector<double>& values)
{
    TraceBuilder builder;
    const std::size_t curve = builder.addCounter("3", counter, true);
    for (std::size_t i = 0; i < values.size(); ++i)
        builder.addSample(curve, static_cast<TraceTime>(i), values[i]);
    TraceFile file;
    file.format = "kineto";
    file.rank = rank;
    file.rank_is_known = true;
    file.store = builder.finish();
    return file;
}

// "7: 100/200 log"
QStringList rowsOf(const std::vector<RankMemory>& memory)
{
    QStringList rows;
    for (const RankMemory& rank : memory)
        rows << QStringLiteral("%1: %2/%3 %4")
                    .arg(rank.rank)
                    .arg(rank.peak_allocated_bytes)
                    .arg(rank.peak_reserved_bytes)
                    .arg(rank.from == MemoryFrom::log        ? "log"
                         : rank.from == MemoryFrom::schedule ? "schedule"
                                                             : "profiler");
    return rows;
}

} // namespace

class TestMeasuredMemory : public QObject
{
    Q_OBJECT
private slots:
    void aProfilersPeakIsTheGreatestValueOfItsCounters_data()
    {
        QTest::addColumn<QString>("counter");
        QTest::addColumn<QStringList>("rows");
        QTest::newRow("allocated") << "GPU 2 memory allocated" << QStringList{"5: 90/-1 profiler"};
        QTest::newRow("reserved") << "GPU 2 memory reserved" << QStringList{"5: -1/90 profiler"};
        QTest::newRow("of the host") << "host memory allocated" << QStringList{};
        QTest::newRow("changes alone") << "GPU 2 memory allocated since the recording began" << QStringList{};
        QTest::newRow("another counter") << "queue" << QStringList{};
    }
    void aProfilersPeakIsTheGreatestValueOfItsCounters()
    {
        QFETCH(QString, counter);
        QFETCH(QStringList, rows);
        const TraceFile file = profiled(5, counter.toStdString(), {10.0, 90.0, 20.0});
        QCOMPARE(rowsOf(measuredMemory({{file}, {}})), rows);
        QCOMPARE(rowsOf(analyze({{file}, {}}).memory), rows);
    }

    void logsNameTheirRanks()
    {
        const TraceFile log = logOf({{-1, 50, 60}, {2, 70, -1}, {4, 80, 90}});
        QCOMPARE(rowsOf(measuredMemory({{log}, {}})),
                 (QStringList{"-1: 50/60 log", "2: 70/-1 log", "4: 80/90 log"}));
    }

    void aFileOfOneRankNamesItsRecords()
    {
        TraceFile stage = logOf({{-1, -1, 60}});
        stage.rank = 3;
        stage.rank_is_known = true;
        stage.schedule = {{true, 1, 0.0, 1.0}};
        QCOMPARE(rowsOf(measuredMemory({{stage}, {}})), QStringList{"3: -1/60 schedule"});
    }

    void theLargestOfSeveralFilesCounts()
    {
        const std::vector<TraceFile> files{logOf({{1, 50, 90}}), logOf({{1, 70, 60}})};
        QCOMPARE(rowsOf(measuredMemory({files, {}})), QStringList{"1: 70/90 log"});
    }

    void rejectedFilesTellNothing()
    {
        TraceFile log = logOf({{1, 50, 90}});
        log.status = FileStatus::rejected;
        QVERIFY(measuredMemory({{log}, {}}).empty());
    }

    void theRunsRanksAreThoseOfItsFilesOrOfItsMemory_data()
    {
        QTest::addColumn<QList<qint64>>("ranks");       // with memory
        QTest::addColumn<QList<qint64>>("world_sizes"); // of files
        QTest::addColumn<qint64>("told");
        QTest::newRow("told") << QList<qint64>{1, 5} << QList<qint64>{8} << qint64{8};
        QTest::newRow("told, of a rank without a name") << QList<qint64>{-1} << QList<qint64>{8} << qint64{8};
        QTest::newRow("all told alike") << QList<qint64>{1} << QList<qint64>{8, 0, 8} << qint64{8};
        QTest::newRow("told differently") << QList<qint64>{1} << QList<qint64>{8, 16} << qint64{0};
        QTest::newRow("fewer than there are") << QList<qint64>{9} << QList<qint64>{8} << qint64{0};
        QTest::newRow("ranks without a gap") << QList<qint64>{0, 1, 2} << QList<qint64>{0} << qint64{3};
        QTest::newRow("with one") << QList<qint64>{0, 2} << QList<qint64>{0} << qint64{0};
        QTest::newRow("a rank without a name") << QList<qint64>{-1} << QList<qint64>{0} << qint64{0};
        QTest::newRow("no memory") << QList<qint64>{} << QList<qint64>{0} << qint64{0};
    }
    void theRunsRanksAreThoseOfItsFilesOrOfItsMemory()
    {
        QFETCH(QList<qint64>, ranks);
        QFETCH(QList<qint64>, world_sizes);
        QFETCH(qint64, told);
        TraceSet traces;
        for (const qint64 size : world_sizes)
            traces.files.push_back(logOf({}, size));
        Measurement measurement;
        for (const qint64 rank : ranks)
            measurement.memory.push_back({rank, 1, 1, MemoryFrom::log});
        QCOMPARE(qint64{ranksOfMeasuredMemory(traces, measurement)}, told);
    }
};

QTEST_APPLESS_MAIN(TestMeasuredMemory)
#include "tst_measured_memory.moc"
