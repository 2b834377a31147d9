#include <QtTest>

#include "core/trace/rank_claims.h"
#include "core/trace/trace_builder.h"

using namespace shardscope;

namespace
{

TraceFile fileOf(const std::string& path, std::int64_t rank, bool is_known = true,
                 std::int64_t world_size = 0)
{
    TraceBuilder builder;
    builder.addEvent(builder.addTrack("0", "7", true), 0, 1, "kernel", "kernel");
    TraceFile file;
    file.path = path;
    file.format = "kineto";
    file.rank = rank;
    file.rank_is_known = is_known;
    file.world_size = world_size;
    file.store = builder.finish();
    return file;
}

QStringList warningsOf(const TraceSet& set)
{
    QStringList lines;
    for (const ImportWarning& warning : set.warnings)
        lines << QString("%1 x %2").arg(warning.count).arg(QString::fromStdString(warning.what));
    return lines;
}

} // namespace

class TestRankClaims : public QObject
{
    Q_OBJECT

private slots:
    void aWholeRunHasNoRemarks()
    {
        TraceSet set{{fileOf("b", 1, true, 2), fileOf("a", 0, true, 2)}};
        noteRanks(set);
        QCOMPARE(set.files[0].path, std::string("a"));
        QCOMPARE(warningsOf(set), QStringList{});
    }

    void logsOfSeveralRunsAreTold_data()
    {
        QTest::addColumn<std::vector<double>>("others_s");
        QTest::addColumn<QStringList>("warnings");
        QTest::newRow("two nodes' logs of one run") << std::vector{9.0, 1.02, 1.02} << QStringList{};
        QTest::newRow("two lines, one of them slow") << std::vector{1.0, 1.16} << QStringList{};
        QTest::newRow("another run") << std::vector{9.0, 2.0, 2.0}
                                     << QStringList{"2 x "
                                                    + QString::fromStdString(std::string{other_log_warning})
                                                    + ": a.log, b.log"};
    }
    void logsOfSeveralRunsAreTold()
    {
        QFETCH(const std::vector<double>, others_s);
        const auto log = [](const char* path, const std::vector<double>& values_s) {
            TraceFile file;
            file.path = path;
            file.format = "megatron_log";
            file.timers = {{std::string{iteration_timer}, values_s}};
            return file;
        };
        TraceSet set{{log("run/a.log", {9.0, 1.0, 1.0}), log("run/b.log", others_s)}};
        noteRanks(set);
        QTEST(warningsOf(set), "warnings");
    }

    void theRunsSizeIsWhatFilesTell_data()
    {
        QTest::addColumn<TraceSet>("set");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<qint64>("undisputed");
        const auto row = [](const char* name, const TraceSet& set, qint64 size, qint64 undisputed) {
            QTest::newRow(name) << set << size << undisputed;
        };
        row("told", {{fileOf("a", 1, true, 64)}}, 64, 64);
        row("told by one file of two", {{fileOf("a", 0, true, 64), fileOf("b", 1)}}, 64, 0);
        row("told less than there are", {{fileOf("a", 0, true, 2), fileOf("b", 3, true, 2)}}, 4, 0);
        row("by the last rank", {{fileOf("a", 0), fileOf("b", 6)}}, 7, 0);
        row("by ranks without a gap", {{fileOf("a", 0), fileOf("b", 1)}}, 2, 2);
        row("no rank is known", {{fileOf("a", 3, false)}}, 0, 0);
        row("a rank that cannot be", {{fileOf("a", std::int64_t{1} << 40)}}, 0, 0);
    }
    void theRunsSizeIsWhatFilesTell()
    {
        QFETCH(TraceSet, set);
        QFETCH(qint64, size);
        QCOMPARE(qint64{worldSizeOf(set)}, size);
        QFETCH(qint64, undisputed);
        QCOMPARE(qint64{undisputedWorldSizeOf(set)}, undisputed);
    }

    void sharedMissingAndUnnamedRanksAreTold()
    {
        TraceSet set{{fileOf("a", 1, true, 4), fileOf("b", 1, true, 4), fileOf("x/c", 0, false),
                      fileOf("d", 2, true, 4)},
                     {{"something else", 1}}};
        noteRanks(set);
        QCOMPARE(warningsOf(set),
                 (QStringList{"1 x something else", "1 x file that claims the rank of another one: rank 1",
                              "1 x file whose rank nothing names, taken for rank 0: c",
                              "2 x rank of the run that has no file: 0, 3"}));
    }

    // A flight recorder of a rank that was lost before its first call.
    void aRankWhoseFileHoldsNothingIsNotMissing()
    {
        TraceSet set{{fileOf("a", 0, true, 3), fileOf("b", 1, true, 3), fileOf("c", 2, true, 3)}};
        set.files[1].store = TraceBuilder{}.finish();
        noteRanks(set);
        QCOMPARE(warningsOf(set), QStringList{"1 x rank whose file tells of no event and no call: 1"});
    }

    void anotherFormatOfTheSameRankIsNoClash()
    {
        TraceSet set{{fileOf("a", 0), fileOf("b", 0)}};
        set.files[1].format = "pytorch_et";
        noteRanks(set);
        QCOMPARE(warningsOf(set), QStringList{});
    }

    void aRankGivenByHandMendsTheRemarks()
    {
        TraceSet set{{fileOf("a", 0, true, 2), fileOf("b", 0, false, 2)}};
        noteRanks(set);
        QCOMPARE(set.warnings.size(), std::size_t{2});
        assignRank(set, 1, 1);
        QCOMPARE(warningsOf(set), QStringList{});
        QCOMPARE(set.files[1].path, std::string("b"));
        QVERIFY(set.files[1].rank_is_known);
        assignRank(set, 1, 5);
        QCOMPARE(warningsOf(set), QStringList{"4 x rank of the run that has no file: 1, 2, 3, 4"});
    }

    void theNameOfAFolderIsAWeakClaim()
    {
        TraceSet set{
            {fileOf("run/rank0/trace.json", 0, true, 2), fileOf("run/rank3/trace.json", 3, true, 2)}};
        set.files[0].rank_guess = set.files[1].rank_guess = RankGuess::folder_name;
        noteRanks(set);
        QCOMPARE(warningsOf(set),
                 (QStringList{"2 x file whose rank only the name of its folder tells: rank0/trace.json "
                              "(rank 0), rank3/trace.json (rank 3)",
                              "2 x rank of the run that has no file: 1, 2"}));
        assignRank(set, 1, 1);
        QCOMPARE(warningsOf(set), (QStringList{"1 x file whose rank only the name of its folder tells: "
                                               "rank0/trace.json (rank 0)"}));
        QCOMPARE(set.files[1].rank_guess, RankGuess::none);
    }

    void remarksAreSentencesToo_data()
    {
        QTest::addColumn<TraceSet>("set");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("one missing") << TraceSet{{fileOf("a", 0, true, 3), fileOf("b", 1, true, 3)}}
                                     << "One rank of the run has no file: 2.";
        QTest::newRow("several missing") << TraceSet{{fileOf("a", 0, true, 4), fileOf("b", 1, true, 4)}}
                                         << "2 ranks of the run have no file: 2, 3.";
        QTest::newRow("more than are listed")
            << TraceSet{{fileOf("a", 0, true, 1024), fileOf("b", 1, true, 1024)}}
            << "1 022 ranks of the run have no file: 2, 3, 4, 5, 6, 7, 8, 9 and more.";
        QTest::newRow("a shared rank") << TraceSet{{fileOf("a", 0), fileOf("b", 0)}}
                                       << "One file claims the rank of another one: rank 0.";
        QTest::newRow("no names")
            << TraceSet{{fileOf("a", 0, false), fileOf("b", 0, false)}}
            << "Nothing names the ranks of 2 files, each of which is taken for rank 0: a, b.";
    }
    void remarksAreSentencesToo()
    {
        QFETCH(TraceSet, set);
        noteRanks(set);
        QVERIFY(!set.warnings.empty());
        QTEST(QString::fromStdString(set.warnings.back().sentence), "sentence");
    }

    void longListsAreCut()
    {
        TraceSet set{{fileOf("a", 0, true, 128), fileOf("b", 1, true, 128)}};
        noteRanks(set);
        QCOMPARE(warningsOf(set),
                 QStringList{"126 x rank of the run that has no file: 2, 3, 4, 5, 6, 7, 8, 9, ..."});
    }
};

QTEST_APPLESS_MAIN(TestRankClaims)
#include "tst_rank_claims.moc"
