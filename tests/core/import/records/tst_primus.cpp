#include <QtTest>

#include "tests/core/import/imported_text.h"

#include <filesystem>

using namespace shardscope;

class TestPrimus : public QObject
{
    Q_OBJECT
private slots:
    void theLargestReservedMemoryOfAllIterationsCounts_data()
    {
        QTest::addColumn<QString>("memory_of_first");
        QTest::addColumn<QString>("memory_of_second");
        QTest::addColumn<QList<qint64>>("reserved_bytes");
        QTest::newRow("it grows") << "1.5"
                                  << "2" << QList<qint64>{2147483648};
        QTest::newRow("it shrinks") << "2"
                                    << "1" << QList<qint64>{2147483648};
        QTest::newRow("told once") << "null"
                                   << "1" << QList<qint64>{1073741824};
        QTest::newRow("not told") << "null"
                                  << "\"much\"" << QList<qint64>{};
        QTest::newRow("no memory") << "-1"
                                   << "1e300" << QList<qint64>{};
    }
    void theLargestReservedMemoryOfAllIterationsCounts()
    {
        QFETCH(QString, memory_of_first);
        QFETCH(QString, memory_of_second);
        QFETCH(QList<qint64>, reserved_bytes);
        const QString passes =
            QStringLiteral(R"("fwd_start": [0], "fwd_end": [1], "bwd_start": [2], "bwd_end": [3])");
        const QString text = QStringLiteral(R"({"1": {"memory": %1, %3}, "2": {"memory": %2, %3}})")
                                 .arg(memory_of_first, memory_of_second, passes);
        const Result<TraceSet> set = importText(text.toStdString(), "pp_rank_3.json");
        QVERIFY2(set, set ? "" : set.error().sentence.c_str());
        QList<qint64> told;
        for (const MemoryRecord& record : onlyFile(set).memory) {
            told << record.reserved_bytes;
            QCOMPARE(record.rank, std::int64_t{-1}); // the file's
            QCOMPARE(record.allocated_bytes, std::int64_t{-1});
        }
        QCOMPARE(told, reserved_bytes);
        QCOMPARE(onlyFile(set).schedule.size(), std::size_t{4});
    }

    void aSharedRunTellsTheMemoryOfItsStages()
    {
        const auto folder = std::filesystem::path(SHARDSCOPE_SHARED_FOLDER) / "traces/primus_pp8/pp8";
        if (!std::filesystem::exists(folder))
            QSKIP("the folder ../shared with recorded traces is not here");
        const Result<TraceSet> set = importTraces(std::array{folder});
        QVERIFY(set);
        QList<double> reserved_MiB;
        for (const TraceFile& file : set.value().files)
            if (!file.memory.empty())
                reserved_MiB << static_cast<double>(file.memory.front().reserved_bytes) / (1024.0 * 1024.0);
        QCOMPARE(reserved_MiB, (QList<double>{106834, 97860, 90228, 82262, 74902, 67432, 59466, 53456}));
    }
};

QTEST_APPLESS_MAIN(TestPrimus)
#include "tst_primus.moc"
