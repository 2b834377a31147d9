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
