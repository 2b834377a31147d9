#include <QtTest>

#include "tests/core/import/imported_text.h"

#include <filesystem>
#include <string>

using namespace shardscope;

namespace
{

const std::filesystem::path traces = std::filesystem::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

// "7: 1048576/2097152": rank, allocated and reserved bytes.
QStringList memoryOf(const TraceFile& file)
{
    QStringList rows;
    for (const MemoryRecord& record : file.memory)
        rows << QStringLiteral("%1: %2/%3")
                    .arg(record.rank)
                    .arg(record.allocated_bytes)
                    .arg(record.reserved_bytes);
    return rows;
}

} // namespace

class TestMemoryLines : public QObject
{
    Q_OBJECT
private slots:
    void aLogTellsThePeakOfEachRank_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("format");
        QTest::addColumn<QStringList>("memory");
        const QString megatron = QStringLiteral("megatron_log");
        QTest::newRow("one rank")
            << "[Rank 7] (after 20 iterations) memory (MB) | allocated: 1.0 | max allocated: 2.5 | reserved: "
               "3.0 | max reserved: 4.0\n"
            << megatron << QStringList{"7: 2621440/4194304"};
        QTest::newRow("several ranks in one line")
            << "[Rank 7] (after 20 iterations) memory (MB) | allocated: 1.0 | max allocated: 2.0 | reserved: "
               "3.0 | max reserved: 4.0[Rank 6] (after 20 iterations) memory (MB) | allocated: 1.0 | max "
               "allocated: 3.0 | reserved: 3.0 | max reserved: 5.0\n"
            << megatron << QStringList{"6: 3145728/5242880", "7: 2097152/4194304"};
        QTest::newRow("behind a launcher, later ones may be larger")
            << "host-1: [Rank 0] (after 1 iterations) memory (MB) | max allocated: 2 | max reserved: 5\r\n"
               "host-1: [Rank 0] (after 9 iterations) memory (MB) | max allocated: 3 | max reserved: 4\r\n"
            << megatron << QStringList{"0: 3145728/5242880"};
        QTest::newRow("of a rank that is not named")
            << "after 1 iterations memory (MB) | allocated: 1 | max allocated: 2 | reserved: 3 | max "
               "reserved: 4\n"
            << megatron << QStringList{"-1: 2097152/4194304"};
        QTest::newRow("cached, as reserved was called")
            << "[Rank 1] a memory (MB) | allocated: 1 | max allocated: 2 | cached: 3 | max cached: 4\n"
            << megatron << QStringList{"1: 2097152/4194304"};
        QTest::newRow("cut in the middle")
            << "[Rank 1] (after 2 iterations) memory (MB) | allocated: 1 | max allocated: 2 | reserv\n"
            << megatron << QStringList{"1: 2097152/-1"};
        QTest::newRow("DeepSpeed's before the first iteration are of the model's setup")
            << "[utils.py:803:see_memory_usage] MA 1 GB  Max_MA 9 GB  CA 1 GB  Max_CA 9 GB\n"
               " iteration 1/ 9 | elapsed time per iteration (ms): 2152.2 | lr: 1\n"
               "[utils.py:803:see_memory_usage] MA 1 GB  Max_MA 2.5 GB  CA 1 GB  Max_CA 3 GB\n"
            << megatron << QStringList{"0: 2684354560/3221225472"};
        QTest::newRow("DeepSpeed's of its throughput timer")
            << "[timer.py:260:stop] global_step=3, CurrSamplesPerSec=291.6, MemAllocated=1GB, "
               "MaxMemAllocated=1.5GB\n"
            << "deepspeed_comms" << QStringList{"0: 1610612736/-1"};
        QTest::newRow("Megatron's are exact where both tell")
            << "[Rank 0] (after 1 iterations) memory (MB) | max allocated: 1535.5 | max reserved: 2047.5\n"
               "CurrSamplesPerSec=291.6, MemAllocated=1GB, MaxMemAllocated=1.5GB\n"
            << megatron << QStringList{"0: 1610088448/2146959360"};
    }
    void aLogTellsThePeakOfEachRank()
    {
        QFETCH(QString, text);
        QFETCH(QString, format);
        QFETCH(QStringList, memory);
        const Result<TraceSet> set = importText(text.toStdString());
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        QCOMPARE(QString::fromStdString(onlyFile(set).format), format);
        QCOMPARE(memoryOf(onlyFile(set)), memory);
    }

    void whatIsNoMemoryIsLeftOut_data()
    {
        QTest::addColumn<QString>("line");
        QTest::newRow("no number") << "[Rank 7] memory (MB) | max allocated: many | max reserved: nan";
        QTest::newRow("less than nothing") << "[Rank 7] memory (MB) | max allocated: -1 | max reserved: -2";
        QTest::newRow("more than any") << "[Rank 7] memory (MB) | max allocated: 1e300";
        QTest::newRow("without figures") << "[Rank 7] memory (MB) |";
        QTest::newRow("setup alone") << "see_memory_usage] MA 1 GB  Max_MA 9 GB  CA 1 GB  Max_CA 9 GB";
    }
    void whatIsNoMemoryIsLeftOut()
    {
        QFETCH(QString, line);
        const Result<TraceSet> set =
            importText("elapsed time (s): 3\ntime (ms) | forward: 300.00\n" + line.toStdString() + '\n');
        QVERIFY(set);
        QVERIFY(onlyFile(set).memory.empty());
    }

    void aRankBeyondAnyClusterIsNone()
    {
        const Result<TraceSet> set = importText(
            "[Rank 99999999999] (after 1 iterations) memory (MB) | max allocated: 1 | max reserved: 2\n");
        QVERIFY(set);
        QCOMPARE(memoryOf(onlyFile(set)), QStringList{"-1: 1048576/2097152"});
    }

    void theRunsRanksAreCountedByMegatron()
    {
        const Result<TraceSet> set =
            importText("using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4\n"
                       "[Rank 3] (after 1 iterations) memory (MB) | max allocated: 1 | max reserved: 2\n");
        QVERIFY(set);
        QCOMPARE(onlyFile(set).world_size, std::int64_t{16});
    }

    void sharedLogsTellWhatTheirLinesSay_data()
    {
        if (!std::filesystem::exists(traces))
            QSKIP("the folder ../shared with recorded traces is not here");
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("world_size");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<qint64>("rank");
        QTest::addColumn<double>("allocated_MiB");
        QTest::addColumn<double>("reserved_MiB");
        const QString big = QStringLiteral("bigscience_logs_a/");
        QTest::newRow("16 ranks") << big + "gpt2-meg__meg_gpt2_base_n4_dp1_tp4_pp4-1809579.out" << 16 << 16
                                  << qint64{6} << 24432.009765625 << 29312.0;
        QTest::newRow("32 ranks") << big + "gpt2-meg__meg_gpt2_base_n8_dp1_tp4_pp8-1809562.out" << 32 << 32
                                  << qint64{29} << 21737.56787109375 << 26102.0;
        QTest::newRow("a rank without its name")
            << big + "gpt2-meg-ds-zero__meg_ds_zero_gpt2_perf_n16-1999616.out" << 64 << 1 << qint64{-1}
            << 26118.2294921875 << 28560.0;
        QTest::newRow("Megatron beside DeepSpeed") << "superbench_megatron_deepspeed/megatron_deepspeed.log"
                                                   << 16 << 1 << qint64{0} << 68581.8095703125 << 90178.0;
    }
    void sharedLogsTellWhatTheirLinesSay()
    {
        QFETCH(QString, file);
        QFETCH(int, world_size);
        QFETCH(int, ranks);
        QFETCH(qint64, rank);
        QFETCH(double, allocated_MiB);
        QFETCH(double, reserved_MiB);
        const Result<TraceSet> set = importTraces(std::array{traces / file.toStdString()});
        QVERIFY(set);
        const TraceFile& log = onlyFile(set);
        QCOMPARE(log.world_size, std::int64_t{world_size});
        QCOMPARE(static_cast<int>(log.memory.size()), ranks);
        const auto found = std::ranges::find(log.memory, std::int64_t{rank}, &MemoryRecord::rank);
        QVERIFY(found != log.memory.end());
        constexpr double mib = 1024.0 * 1024.0;
        QCOMPARE(static_cast<double>(found->allocated_bytes), std::round(allocated_MiB * mib));
        QCOMPARE(static_cast<double>(found->reserved_bytes), std::round(reserved_MiB * mib));
    }
};

QTEST_APPLESS_MAIN(TestMemoryLines)
#include "tst_memory_lines.moc"
