#include <QtTest>

#include "tests/core/import/imported_text.h"

#include <string>

using namespace shardscope;

// Tables of nccl-tests and rccl-tests.
class TestNcclTests : public QObject
{
    Q_OBJECT

private slots:
    void tables();
    void rowsWithoutFiguresAreCounted();
    void tablesOfOtherVersions_data();
    void tablesOfOtherVersions();
    void tablesOfNccl2_4AreInMilliseconds();
    void timesThatContradictTheirBandwidthAreSaid();
    void rowsOfWrongResultsAreSaid();
    void rowsBehindAPrefixAreFound_data();
    void rowsBehindAPrefixAreFound();
    void timesOfTheCpuAreNotThoseOfCalls();
    void ranksAreThoseOfOneGroup();
    void reportsAsJson();
    void rowsOfReports_data();
    void rowsOfReports();
    void ranksOfReports_data();
    void ranksOfReports();
    void listsOfRowsAsJson();
    void reportsThatSayNothingAreRejected();
    void anOperationThatTheTableLeavesOpenIsTold_data();
    void anOperationThatTheTableLeavesOpenIsTold();
};

namespace
{

// As -J writes it.
std::string report(const std::string& rows, const std::string& config = "{}")
{
    return R"({"version":2,"start_time":"2026-03-01 10:11:12","args":["./build/all_reduce_perf_mpi","-J","a"],)"
           R"("env":["PATH=\/usr\/bin"],"nccl_version":22703,"config":)"
           + config + R"(,"results":[)" + rows + R"(],"out_of_bounds":{"count":0,"okay":"true"}})";
}

const std::string row = R"({"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1",)";
const std::string figures = R"({"time":52.34,"alg_bw":20.03,"bus_bw":35.06,"nwrong":0.0})";

} // namespace

void TestNcclTests::tables()
{
    const Result<TraceSet> set = importText("# Collective test starting: all_reduce_perf\n"
                                            "#       size         count      type   redop    root     time   "
                                            "algbw   busbw #wrong     time   algbw   busbw #wrong\n"
                                            "#        (B)    (elements)                               (us)  "
                                            "(GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
                                            "     1048576        262144     float     sum      -1    52.34   "
                                            "20.03   35.06      0    51.90   20.20   35.36      0\n"
                                            "     2097152        524288     float     sum      -1    80.00   "
                                            "26.21   45.87    N/A    81.00   25.89   45.31    N/A\n"
                                            "# Avg bus bandwidth    : 40.4\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("nccl_tests"));
    QCOMPARE(file.points.size(), std::size_t{2});
    QCOMPARE(file.points[0].name, std::string("all_reduce"));
    QCOMPARE(file.points[0].bytes, std::int64_t{1048576});
    QCOMPARE(file.points[0].time_s, 52.34e-6);
    QCOMPARE(file.points[1].busbw_GBps, 45.87);
}

void TestNcclTests::rowsWithoutFiguresAreCounted()
{
    const Result<TraceSet> set =
        importText("# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
                   " 1048576 262144 float sum -1 52.34 20.03 35.06 0 51.90 20.20 35.36 0\n"
                   " 2097152 524288 float sum -1 timeout 26.21 45.87 N/A 81.00 25.89 45.31 N/A\n"
                   " 4194304 1048576 float sum -1 80.00 26.21\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.points.size(), std::size_t{1});
    QCOMPARE(file.status, FileStatus::recovered);
    QCOMPARE(file.warnings.size(), std::size_t{1});
    QCOMPARE(file.warnings[0].count, std::int64_t{2});
}

// nccl-tests until 2021 wrote the reduction and the root only where a test has them.
void TestNcclTests::tablesOfOtherVersions_data()
{
    QTest::addColumn<QString>("columns");
    QTest::addColumn<QString>("row");
    QTest::newRow("reduction without a root") << "type redop time"
                                              << "float sum 52.34";
    QTest::newRow("root without a reduction") << "type root time"
                                              << "float 0 52.34";
    QTest::newRow("neither") << "type time"
                             << "float 52.34";
    QTest::newRow("blank reduction") << "type redop time"
                                     << "float        52.34";
    QTest::newRow("blank reduction and a root") << "type redop root time"
                                                << "float        -1 52.34";
    QTest::newRow("no reduction") << "type redop root time"
                                  << "float none -1 52.34";
}

void TestNcclTests::tablesOfOtherVersions()
{
    QFETCH(const QString, columns);
    QFETCH(const QString, row);
    const Result<TraceSet> set = importText(
        "# size count " + columns.toStdString() + " algbw busbw error time algbw busbw error\n1048576 262144 "
        + row.toStdString() + " 20.03 35.06 0e+00 51.90 20.20 35.36 0e+00\n");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.points.size(), std::size_t{1});
    QCOMPARE(file.points[0].bytes, std::int64_t{1048576});
    QCOMPARE(file.points[0].time_s, 52.34e-6);
    QCOMPARE(file.points[0].algbw_GBps, 20.03);
    QCOMPARE(file.points[0].busbw_GBps, 35.06);
}

void TestNcclTests::tablesOfNccl2_4AreInMilliseconds()
{
    const Result<TraceSet> set =
        importText("#      bytes             N    type      op     time  algbw  busbw      res\n"
                   "      1048576        262144   float     sum    0.200   5.24   5.24      N/A\n");
    QVERIFY(set);
    QCOMPARE(set.value().files[0].points[0].time_s, 0.2e-3);
    QVERIFY(set.value().files[0].warnings.empty());
}

void TestNcclTests::timesThatContradictTheirBandwidthAreSaid()
{
    const Result<TraceSet> set = importText("# size count type redop time algbw busbw error\n"
                                            " 1048576 262144 float sum 200.0 5.24 5.24 0\n"
                                            " 8 2 float sum 20.0 0.00 0.00 0\n" // rounded
                                            " 1048576 262144 float sum 0.200 5.24 5.24 0\n");
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.points.size(), std::size_t{3});
    QCOMPARE(file.warnings.size(), std::size_t{1});
    QCOMPARE(file.warnings[0].count, std::int64_t{1});
    const Result<TraceSet> hypercube = importText("# Collective test starting: hypercube_perf\n"
                                                  "# size count type redop root time algbw busbw #wrong\n"
                                                  " 1048576 131072 float none -1 52.34 10.01 10.01 0\n");
    QVERIFY(hypercube.value().files[0].warnings.empty()); // told without the rank's own part
}

// "N/A" where nothing was checked; many are written as "1e+06".
void TestNcclTests::rowsOfWrongResultsAreSaid()
{
    const auto table = [](const std::string& wrong) {
        return "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
               "     1048576        262144     float     sum      -1    52.34   20.03   35.06    "
               + wrong + "\n";
    };
    QVERIFY(importText(table("0")).value().files[0].notes.empty());
    QVERIFY(importText(table("N/A")).value().files[0].notes.empty());
    for (const std::string count : {"7", "1e+06"}) {
        const Result<TraceSet> wrong = importText(table(count));
        QCOMPARE(wrong.value().files[0].points.size(), std::size_t{1});
        QCOMPARE(wrong.value().files[0].notes.size(), std::size_t{1});
    }
}

void TestNcclTests::rowsBehindAPrefixAreFound_data()
{
    QTest::addColumn<QString>("prefix");
    QTest::newRow("none") << "";
    QTest::newRow("mpirun") << "[1,0]<stdout>: ";
    QTest::newRow("mpirun, glued") << "[1,0]<stdout>:   ";
    QTest::newRow("srun") << "0: ";
    QTest::newRow("rank") << "[0] ";
    QTest::newRow("time stamp") << "2024-05-03T10:11:12.5Z ";
    QTest::newRow("time stamp of two words") << "2024-05-03 10:11:12 ";
    QTest::newRow("container") << "2024-05-03T10:11:12.5Z stdout F ";
    QTest::newRow("logger") << "2024-05-03 10:11:12,123 INFO node07: ";
    QTest::newRow("number") << "3 ";
}

void TestNcclTests::rowsBehindAPrefixAreFound()
{
    QFETCH(const QString, prefix);
    std::string text;
    for (const std::string line :
         {"# size count type redop root time algbw busbw #wrong time algbw busbw #wrong",
          "1048576 262144 float sum -1 52.34 20.03 35.06 0 51.90 20.20 35.36 0",
          "of 3 4 words and more of them", "1 2 3 4 5 6 7 8 9"})
        text += prefix.toStdString() + line + '\n';
    const Result<TraceSet> set = importText(text);
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.points.size(), std::size_t{1});
    QCOMPARE(file.points[0].bytes, std::int64_t{1048576});
    QCOMPARE(file.points[0].time_s, 52.34e-6);
    QCOMPARE(file.points[0].busbw_GBps, 35.06);
}

// With -C 1 the column has the time that calls take to return; the bandwidths are still of the GPU's.
void TestNcclTests::timesOfTheCpuAreNotThoseOfCalls()
{
    const Result<TraceSet> set = importText("# size count type redop root cputime algbw busbw #wrong\n"
                                            " 8 2 float sum -1 5.10 0.00 0.00 0\n"
                                            " 1000000 250000 float sum -1 5.20 20.00 35.00 0\n");
    QVERIFY(set);
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.points.size(), std::size_t{1});
    QCOMPARE(file.points[0].time_s, 50e-6);
    QCOMPARE(file.notes.size(), std::size_t{1});
    QVERIFY(file.notes[0].starts_with("1 row of nccl-tests that told only the CPU's time"));
}

// NCCL_TESTS_SPLIT makes groups that work side by side, each by itself.
void TestNcclTests::ranksAreThoseOfOneGroup()
{
    std::string text;
    for (int rank = 0; rank < 16; ++rank)
        text += "#  Rank " + std::to_string(rank) + " Group " + std::to_string(rank % 8) + " Pid 1 on node"
                + std::to_string(rank / 8) + " device 0 [0x07] NVIDIA H100\n";
    const Result<TraceSet> set = importText(text
                                            + "# size count type redop root time algbw busbw #wrong\n"
                                              "1048576 262144 float sum -1 52.34 20.03 20.03 0\n");
    QVERIFY(set);
    QCOMPARE(set.value().files[0].points[0].ranks, 2);
    QCOMPARE(set.value().files[0].points[0].per_node, 1);
}

void TestNcclTests::reportsAsJson()
{
    const std::string other = R"({"time":51.9,"alg_bw":20.2,"bus_bw":35.36,"nwrong":0.0})";
    const Result<TraceSet> set =
        importText(report(row + R"("out_of_place":)" + figures + R"(,"in_place":)" + other
                          + R"(,"actual_iterations":20,"experiment_name":""})"));
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("nccl_tests"));
    QCOMPARE(file.status, FileStatus::ok);
    QCOMPARE(file.points.size(), std::size_t{1});
    const BandwidthPoint& point = file.points[0];
    QCOMPARE(point.name, std::string("all_reduce"));
    QCOMPARE(point.dtype, std::string("float"));
    QCOMPARE(point.bytes, std::int64_t{1048576});
    QCOMPARE(point.time_s, 52.34e-6);
    QCOMPARE(point.algbw_GBps, 20.03);
    QCOMPARE(point.busbw_GBps, 35.06);
    QCOMPARE(point.ranks, 0);
}

void TestNcclTests::rowsOfReports_data()
{
    QTest::addColumn<QString>("figures");
    QTest::addColumn<double>("time_us"); // 0: no row
    QTest::addColumn<int>("warnings");
    QTest::addColumn<int>("notes");
    const auto add = [](const char* name, const std::string& figures, double time_us, int warnings,
                        int notes) {
        QTest::newRow(name) << QString::fromStdString(figures) << time_us << warnings << notes;
    };
    add("out of place", R"("out_of_place":)" + figures, 52.34, 0, 0);
    add("in place alone", R"("out_of_place":null,"in_place":)" + figures, 52.34, 0, 0);
    add("of the CPU", R"("out_of_place":{"cpu_time":5.2,"alg_bw":20.97152,"bus_bw":36.7,"nwrong":0.0})", 50.0,
        0, 0);
    add("of the CPU, too small",
        R"("out_of_place":{"cpu_time":5.2,"alg_bw":0.01,"bus_bw":0.01,"nwrong":0.0})", 0.0, 0, 1);
    add("not checked", R"("out_of_place":{"time":52.34,"alg_bw":20.03,"bus_bw":35.06,"nwrong":null})", 52.34,
        0, 0);
    add("wrong", R"("out_of_place":{"time":52.34,"alg_bw":20.03,"bus_bw":35.06,"nwrong":7.0})", 52.34, 0, 1);
    add("no number", R"("out_of_place":{"time":"nan","alg_bw":20.03,"bus_bw":35.06})", 0.0, 1, 0);
    add("nothing", R"("out_of_place":{})", 0.0, 1, 0);
}

void TestNcclTests::rowsOfReports()
{
    QFETCH(const QString, figures);
    QFETCH(const double, time_us);
    const std::string sound = row + R"("out_of_place":)" + ::figures + '}';
    const Result<TraceSet> set = importText(report(sound + ',' + row + figures.toStdString() + '}'));
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.points.size(), std::size_t(time_us > 0.0 ? 2 : 1));
    if (time_us > 0.0)
        QCOMPARE(file.points[1].time_s, time_us * 1e-6);
    QTEST(static_cast<int>(file.warnings.size()), "warnings");
    QTEST(static_cast<int>(file.notes.size()), "notes");
}

void TestNcclTests::ranksOfReports_data()
{
    QTest::addColumn<int>("threads");
    QTest::addColumn<int>("gpus");
    QTest::addColumn<QString>("devices"); // rank, group, node
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("per_node");
    QTest::newRow("a process for each rank") << 1 << 1 << "0,0,a 1,0,a 2,0,b 3,0,b" << 4 << 2;
    QTest::newRow("one process, its first rank listed") << 1 << 8 << "0,0,a" << 8 << 8;
    QTest::newRow("two processes, their first ranks listed") << 2 << 4 << "0,0,a 8,0,b" << 16 << 8;
    QTest::newRow("one process, all listed") << 1 << 4 << "0,0,a 1,0,a 2,0,a 3,0,a" << 4 << 4;
    QTest::newRow("groups") << 1 << 1 << "0,0,a 1,1,a 2,0,b 3,1,b" << 2 << 1;
    QTest::newRow("nothing listed") << 1 << 8 << "" << 0 << 0;
}

void TestNcclTests::ranksOfReports()
{
    QFETCH(const int, threads);
    QFETCH(const int, gpus);
    QFETCH(const QString, devices);
    QStringList listed;
    for (const QString& device : devices.split(' ', Qt::SkipEmptyParts)) {
        const QStringList words = device.split(',');
        listed += QString(R"({"rank":%1,"group":%2,"hostname":"%3"})").arg(words[0], words[1], words[2]);
    }
    const QString config =
        QString(R"({"nthreads":%1,"ngpus":%2,"devices":[%3]})").arg(threads).arg(gpus).arg(listed.join(','));
    const Result<TraceSet> set =
        importText(report(row + R"("out_of_place":)" + figures + '}', config.toStdString()));
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QTEST(set.value().files[0].points[0].ranks, "ranks");
    QTEST(set.value().files[0].points[0].per_node, "per_node");
}

// As rccl-tests wrote it before it had -J.
void TestNcclTests::listsOfRowsAsJson()
{
    const Result<TraceSet> set = importText(
        R"([{"numCycle":0,"name":"AllReduce","size":1048576,"type":"float","redop":"sum","inPlace":0,"time":52.34,)"
        R"("algBw":20.03,"busBw":35.06,"wrong":0},)"
        R"({"numCycle":0,"name":"AllReduce","size":1048576,"type":"float","redop":"sum","inPlace":1,"time":51.9,)"
        R"("algBw":20.2,"busBw":35.36,"wrong":"N/A"}])");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.format, std::string("nccl_tests"));
    QCOMPARE(file.points.size(), std::size_t{1});
    QCOMPARE(file.points[0].name, std::string("AllReduce"));
    QCOMPARE(file.points[0].time_s, 52.34e-6);
}

void TestNcclTests::reportsThatSayNothingAreRejected()
{
    for (const std::string& text : {report(""), report("7"), report(row + "}").substr(0, 250)}) {
        const Result<TraceSet> set = importText(text);
        QVERIFY(!set);
        QVERIFY2(set.error().sentence.find("report of nccl-tests") != std::string::npos,
                 set.error().sentence.c_str());
    }
}

// Tables of before 2025 do not name their test. Commands in front of them do, and names that people give
// files.
void TestNcclTests::anOperationThatTheTableLeavesOpenIsTold_data()
{
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("busbw"); // 20.03 GB/s is the algorithm's
    QTest::addColumn<QString>("name");
    const auto line = [](const char* what, const char* file, const char* before, const char* name,
                         const char* busbw = "18.78") {
        QTest::newRow(what) << QByteArray{file} << QByteArray{before} << QByteArray{busbw} << QString{name};
    };
    line("nothing", "run.log", "", "");
    line("the file's name", "alltoall_perf.log", "", "alltoall");
    line("more in the file's name", "16n-All_Gather_perf_mpi.out", "", "all_gather");
    line("a program's name in another one's", "tiny_reduce_perf.log", "", "reduce");
    line("a name of something else", "call_reduce_performance.log", "", "");
    line("two programs in the file's name", "all_gather_perf-alltoall_perf.log", "", "");
    line("a name that the bandwidths belie", "all_gather_perf.log", "", "", "37.56");
    line("the command", "run.log", "+ mpirun -np 16 ./build/sendrecv_perf -b 1M\n", "sendrecv");
    line("the command, before the file's name", "all_gather_perf.log", "$ srun alltoall_perf_mpi -g 1\n",
         "alltoall");
    line("a script of several commands", "run.log", "  ./all_gather_perf -g 8\n  ./alltoall_perf -g 8\n", "");
    line("what the test says itself", "run.log", "./x_perf ./alltoall_perf\n# Using: broadcast_perf\n",
         "broadcast");
}

void TestNcclTests::anOperationThatTheTableLeavesOpenIsTold()
{
    QFETCH(const QByteArray, file);
    QFETCH(const QByteArray, before);
    QFETCH(const QByteArray, busbw);
    QFETCH(const QString, name);
    const std::string text = before.toStdString()
                             + "# size count type redop root time algbw busbw #wrong\n"
                               " 1048576 262144 float none -1 52.34 20.03 "
                             + busbw.toStdString() + " 0\n";
    const Result<TraceSet> set = importText(text, file.constData());
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& read = set.value().files[0];
    QCOMPARE(QString::fromStdString(read.points.at(0).name), name);
    const bool is_of_file = !name.isEmpty() && before.isEmpty();
    QCOMPARE(read.notes.empty(), !is_of_file);
    QVERIFY(!is_of_file
            || read.notes[0]
                   == "the table names no operation; that of the file's name is taken: "
                          + name.toStdString());
}

QTEST_APPLESS_MAIN(TestNcclTests)
#include "tst_nccl_tests.moc"
