#include <QtTest>

#include "core/trace/run_folders.h"
#include "core/trace/trace_builder.h"

using namespace shardscope;

namespace
{

TraceFile fileOf(const QString& path, int rank, const char* format = "kineto", bool is_known = true)
{
    TraceBuilder builder;
    builder.addEvent(builder.addTrack("0", "7", true), 0, 1, "kernel", "kernel");
    TraceFile file;
    file.path = path.toStdString();
    file.format = format;
    file.rank = rank;
    file.rank_is_known = is_known;
    file.store = builder.finish();
    return file;
}

QStringList pathsOf(const TraceSet& set)
{
    QStringList paths;
    for (const TraceFile& file : set.files)
        paths << QString::fromStdString(file.path);
    return paths;
}

} // namespace

class TestRunFolders : public QObject
{
    Q_OBJECT

private slots:
    void oneOfSeveralRunsIsKept()
    {
        TraceSet set{{fileOf("both/b/rank-0", 0), fileOf("both/a/rank-0", 0), fileOf("both/b/rank-1", 1),
                      fileOf("both/a/rank-1", 1)}};
        keepOneRun(set);
        QCOMPARE(pathsOf(set), (QStringList{"both/a/rank-0", "both/a/rank-1"}));
        QCOMPARE(set.warnings.size(), std::size_t{1});
        QCOMPARE(set.warnings.front().count, 2);
        QVERIFY(QString::fromStdString(set.warnings.front().what).endsWith(": b"));
    }

    void filesNamedByTheirDegreesAreRunsOfTheirOwn()
    {
        TraceSet set{{fileOf("both/llama_tp2_dp4", 0, "kineto", false),
                      fileOf("both/llama_tp4_dp2", 0, "kineto", false)}};
        for (TraceFile& file : set.files)
            file.rank_guess = RankGuess::degrees;
        const std::vector<FolderRun> runs = runsOf(set);
        QCOMPARE(runs.size(), std::size_t{2});
        QCOMPARE(runs[1].name, std::string{"llama_tp4_dp2"});
        keepOneRun(set);
        QCOMPARE(pathsOf(set), QStringList{"both/llama_tp2_dp4"});
        QCOMPARE(set.warnings.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(set.warnings.front().sentence),
                 QString{"One trace of another run with the same ranks was left out (open one by itself): "
                         "llama_tp4_dp2."});
    }

    // The second run has more ranks than the first: none of them is counted among the first's.
    void aRunOfManyFoldersIsNotMixedWithAnother()
    {
        TraceSet set;
        for (int rank = 0; rank < 2; ++rank)
            set.files.push_back(fileOf(QString{"both/a/rank%1/trace"}.arg(rank), rank));
        for (int rank = 0; rank < 4; ++rank)
            set.files.push_back(fileOf(QString{"both/b/rank%1/trace"}.arg(rank), rank));
        const std::vector<FolderRun> runs = runsOf(set);
        QCOMPARE(runs.size(), std::size_t{2});
        QCOMPARE(runs[0].name, std::string{"a"});
        QCOMPARE(runs[0].ranks, 2);
        QCOMPARE(runs[1].name, std::string{"b"});
        QCOMPARE(runs[1].files, (std::vector<std::size_t>{2, 3, 4, 5}));
    }

    // One folder for each rank, in each one for each iteration.
    void iterationsOfAllRanksAreOneRunEach()
    {
        TraceSet set;
        for (int rank = 0; rank < 2; ++rank)
            for (const int iteration : {2, 5})
                set.files.push_back(
                    fileOf(QString{"run/rank%1/iteration_%2/trace"}.arg(rank).arg(iteration), rank));
        const std::vector<FolderRun> runs = runsOf(set);
        QCOMPARE(runs.size(), std::size_t{2});
        QCOMPARE(runs[0].name, std::string{"iteration_2"});
        QCOMPARE(runs[0].files, (std::vector<std::size_t>{0, 2}));
        QCOMPARE(runs[1].name, std::string{"iteration_5"});
        QCOMPARE(runs[1].files, (std::vector<std::size_t>{1, 3}));
    }

    void anOlderRunBelowANewerOneIsItsOwn()
    {
        const TraceSet set{{fileOf("/data/run/rank-0", 0), fileOf("/data/run/old/rank-0", 0)}};
        const std::vector<FolderRun> runs = runsOf(set);
        QCOMPARE(runs.size(), std::size_t{2});
        QCOMPARE(runs[0].files, std::vector<std::size_t>{0});
        QCOMPARE(runs[1].name, std::string{"run/old"});
        QCOMPARE(runs[1].files, std::vector<std::size_t>{1});
    }

    void anyOfTheRunsCanBeTaken()
    {
        const TraceSet set{{fileOf("both/a/rank-0", 0), fileOf("both/b/rank-0", 0),
                            fileOf("both/train.log", 0, "megatron_log", false)}};
        const TraceSet second = onlyRun(set, runsOf(set), 1);
        QCOMPARE(pathsOf(second), (QStringList{"both/b/rank-0", "both/train.log"}));
        QCOMPARE(second.warnings.back().of, WarningOf::other_runs);
        QVERIFY(second.warnings.back().what.ends_with(": a"));
    }

    void foldersOfOneRunStayTogether_data()
    {
        QTest::addColumn<QString>("second");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<bool>("is_known");
        QTest::newRow("a folder for each rank") << "run/rank1/trace" << 1 << QByteArray{"kineto"} << true;
        QTest::newRow("another format") << "run/logs/rank-0" << 0 << QByteArray{"flight_recorder"} << true;
        QTest::newRow("a rank that nothing tells") << "run/node1/trace" << 0 << QByteArray{"kineto"} << false;
        QTest::newRow("the same folder") << "run/rank0/second" << 0 << QByteArray{"kineto"} << true;
    }
    void foldersOfOneRunStayTogether()
    {
        QFETCH(QString, second);
        QFETCH(int, rank);
        QFETCH(QByteArray, format);
        QFETCH(bool, is_known);
        TraceSet set{{fileOf("run/rank0/trace", 0), fileOf(second, rank, format, is_known)}};
        keepOneRun(set);
        QCOMPARE(set.files.size(), std::size_t{2});
        QVERIFY(set.warnings.empty());
    }
};

QTEST_APPLESS_MAIN(TestRunFolders)
#include "tst_run_folders.moc"
