#include <QTest>

#include "core/analysis/calibration/calibration_points.h"
#include "core/analysis/calibration/calibration_table.h"

#include <cmath>

using namespace shardscope;

namespace
{

const std::string scenario_text = "{\"name\": \"base\", \"parallel\": {\"tensor\": 4}}";

std::string quoted(const char* text)
{
    return QString{text}.replace('\'', '"').toStdString();
}

Result<std::vector<CalibrationPoint>> read(const std::string& text, std::vector<std::string>& notes)
{
    return readCalibrationTable(text, scenario_text, Presets{}, notes);
}
Result<std::vector<CalibrationPoint>> read(const std::string& text)
{
    std::vector<std::string> notes;
    return read(text, notes);
}

} // namespace

class TestCalibrationTable : public QObject
{
    Q_OBJECT
private slots:
    void iterationsAreReadFromCommasAndFromJson_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("commas") << "# measured in May\nid,parallel.data,b,gb,iteration_s\nfirst,2,8,64,1.5\n";
        QTest::newRow("semicolons") << "id;data;micro_batch_size;gb;iteration_ms\n\"first\";2;8;64;1500\r\n";
        QTest::newRow("decimal commas") << "id;data;b;gb;iteration_s\nfirst;2;8;64;1,5\n";
        QTest::newRow("nested")
            << "[{'id': 'first', 'parallel': {'data': 2}, 'training': {'micro_batch_size': 8, "
               "'global_batch_size': 64}, 'iteration_s': 1.5}]";
        QTest::newRow("in an object") << "{'measured': [{'id': 'first', 'd': 2, 'b': 8, 'gb': 64, "
                                         "'step_time_s': 1.5}], 'note': 'x'}";
        QTest::newRow("with a key twice")
            << "[{'id': 'first', 'd': 2, 'b': 8, 'gb': 32, 'gb': 64, 'time_s': 1.5}]";
        QTest::newRow("of a spreadsheet") << "\xEF\xBB\xBFid,d,b,gb,iteration_s\r\nfirst,2,8,64,1.5\r\n";
        QTest::newRow("named and explained") << "config,d,b,gb,iteration_s,comment\nfirst,2,8,64,1.5,warm\n";
        QTest::newRow("as scripts and reports call them") << "id,dp,mbs,gbs,iteration_s\nfirst,2,8,64,1.5\n";
        QTest::newRow("world size") << "id,gpus,b,gb,time_s\nfirst,8,8,64,1.5\n";
    }
    void iterationsAreReadFromCommasAndFromJson()
    {
        QFETCH(QString, text);
        const auto points = read(text.replace('\'', '"').toStdString());
        QVERIFY2(points, points ? "" : points.error().sentence.c_str());
        QCOMPARE(points.value().size(), std::size_t{1});
        const CalibrationPoint& point = points.value().front();
        QCOMPARE(point.what, std::string{"first"});
        QCOMPARE(point.measured_s, 1.5);
        QCOMPARE(point.step->parallel.tensor, std::int64_t{4}); // the scenario's own
        QCOMPARE(point.step->parallel.data, std::int64_t{2});
        QCOMPARE(point.step->training.micro_batch_size, std::int64_t{8});
        QCOMPARE(point.step->training.global_batch_size, std::int64_t{64});
    }

    // 2 * 7/8 * 1 GiB in a second are 1.879 GB/s of bus bandwidth.
    void collectivesHaveATimeOrABandwidth_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("time") << "op,ranks,per_node,message_bytes,time_us\nall_reduce,8,4,1073741824,1e6\n";
        QTest::newRow("bus bandwidth")
            << "op,ranks,nodes,bytes,busbw_GBps\nallreduce,8,2,1073741824,1.879048192\n";
        QTest::newRow("a size as people write it")
            << "collective,ranks,nodes,message_bytes,algbw_GBps\nall_reduce,8,2,1G,1.073741824\n";
        QTest::newRow("algorithm bandwidth")
            << "collective,ranks,nodes,bytes,algbw_GBps\nall_reduce,8,2,1073741824,1.073741824\n";
    }
    void collectivesHaveATimeOrABandwidth()
    {
        QFETCH(QString, text);
        const auto points = read(text.toStdString());
        QVERIFY2(points, points ? "" : points.error().sentence.c_str());
        const CalibrationPoint& point = points.value().front();
        QVERIFY(std::abs(point.measured_s - 1.0) < 1e-9);
        QCOMPARE(point.collective->op, Op::all_reduce);
        QCOMPARE(point.collective->ranks, 8);
        QCOMPARE(point.collective->per_node, 4);
    }

    void mistakesNameTheirRow_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("error");
        QTest::newRow("column") << "tensr,time_s\n2,1\n"
                                << "row 1: column \"tensr\" is no key of a scenario; the nearest one is";
        QTest::newRow("no time") << "data\n2\n"
                                 << "row 1: a row needs a time";
        QTest::newRow("a time that is none") << "data,time_s\n2,\"1,5\"\n"
                                             << "row 1: time_s is \"1,5\", which is no number";
        QTest::newRow("a size that is none") << "op,ranks,size,time_s\nall_reduce,8,big,1\n"
                                             << "row 1: size is \"big\", which is no size in bytes";
        QTest::newRow("no size") << "op,ranks,time_s\nall_reduce,8,1\n"
                                 << "row 1: a collective needs message_bytes";
        QTest::newRow("op") << "op,ranks,bytes,time_s\nall_red,8,8,1\n"
                            << "is not a collective";
        QTest::newRow("ranks") << "op,ranks,bytes,time_s\nall_reduce,1,8,1\n"
                               << "needs ranks";
        QTest::newRow("value") << "tensor,time_s\ntwo,1\n"
                               << "row 1: parallel.tensor";
        QTest::newRow("GPUs that no replicas fill") << "gpus,b,gb,time_s\n10,8,64,1\n"
                                                    << "row 1: gpus is 10, which";
        QTest::newRow("GPUs that these replicas do not fill") << "gpus,d,b,gb,time_s\n16,2,8,64,1\n"
                                                              << "row 1: gpus is 16, which";
        QTest::newRow("too many cells") << "data,time_s\n2,1,3\n"
                                        << "row 1: it has 3 cells, the header 2";
    }
    void mistakesNameTheirRow()
    {
        QFETCH(QString, text);
        QFETCH(QString, error);
        const auto points = read(text.toStdString());
        QVERIFY(!points);
        QVERIFY2(QString::fromStdString(points.error().sentence).contains(error),
                 points.error().sentence.c_str());
    }

    // Rows of runs that ran out of memory, of a test that crashed, of a hand that slipped.
    void badRowsAreLeftOutAndCounted_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("note");
        QTest::newRow("commas")
            << "id,d,b,time_s\nfirst,2,8,OOM\nsecond,2,4,1.5\nthird,2,8,\n\nfourth,2,8,1,9\n"
            << "3 of 4 rows cannot be used and are left out; the first is row 1: time_s is "
               "\"OOM\", which is no number";
        QTest::newRow("JSON") << "[7, {'id': 'second', 'd': 2, 'b': 4, 'time_s': 1.5}, {'op': 'all_red', "
                                 "'time_s': 2}]"
                              << "2 of 3 rows cannot be used and are left out; the first is row 1: it is no "
                                 "JSON object";
    }
    void badRowsAreLeftOutAndCounted()
    {
        QFETCH(QString, text);
        QFETCH(QString, note);
        std::vector<std::string> notes;
        const std::string table = text.replace('\'', '"').toStdString();
        QVERIFY(isCalibrationTable(table));
        const auto points = read(table, notes);
        QVERIFY2(points, points ? "" : points.error().sentence.c_str());
        QCOMPARE(points.value().size(), std::size_t{1});
        QCOMPARE(points.value().front().what, std::string{"second"});
        QCOMPARE(notes.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(notes.front()), note);
    }

    void whatIsNestedWithoutEndIsRefused()
    {
        const std::string row = "[{\"time_s\": 1, \"data\": ";
        for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{\"a\":", "}"}}) {
            std::string text = row;
            for (int depth = 0; depth < 100'000; ++depth)
                text += open;
            text += '1';
            for (int depth = 0; depth < 100'000; ++depth)
                text += close;
            text += "}]";
            QVERIFY(!isCalibrationTable(text));
            const auto points = read(text);
            QVERIFY(!points);
            QVERIFY2(points.error().sentence.find("deeper") != std::string::npos,
                     points.error().sentence.c_str());
        }
    }

    void tracesAreNoTables()
    {
        QVERIFY(!isCalibrationTable(quoted("{'traceEvents': [{'ph': 'X', 'ts': 1, 'dur': 2}]}")));
        QVERIFY(!isCalibrationTable("# nccl-tests\n 8 2 float sum -1 3.0 0.0 0.0\n"));
        QVERIFY(!isCalibrationTable(""));
        QVERIFY(isCalibrationTable("data,time_s\n2,1\n"));
    }

    // The ranks of a table follow from its bandwidths: 231.64 * 8.20386 ms / 1 GiB is 2 * 7/8, and 339.1 of
    // 170.2 GB/s belong to 32 nodes of 8.
    void ranksOfNcclTestsFollowFromTheBandwidths_data()
    {
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("time_s");
        QTest::addColumn<double>("busbw");
        QTest::addColumn<int>("ranks");
        QTest::newRow("a node") << 1073741824.0 << 8203.86e-6 << 229.04 << 8;
        QTest::newRow("half a node") << 1073741824.0 << 328867e-6 << 4.90 << 4;
        QTest::newRow("32 nodes") << 8589934592.0 << 49174.6e-6 << 348.00 << 256;
    }
    void ranksOfNcclTestsFollowFromTheBandwidths()
    {
        QFETCH(double, bytes);
        QFETCH(double, time_s);
        QFETCH(double, busbw);
        Measurement measurement;
        measurement.points.push_back(
            {"all_reduce", "float", static_cast<std::int64_t>(bytes), time_s, bytes / time_s / 1e9, busbw});
        std::vector<std::string> notes;
        const auto points = calibrationPoints(measurement, Scenario{}, {}, notes);
        QCOMPARE(points.size(), std::size_t{1});
        QFETCH(int, ranks);
        QCOMPARE(points.front().collective->ranks, ranks);
        QCOMPARE(points.front().collective->per_node, std::min(ranks, 8));
    }

    // 16 ranks: 15/16 of the bytes go over the bus.
    void tablesOfNoOperationGiveNoPoints_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<double>("busbw");
        QTest::addColumn<int>("told"); // -1: nothing
        QTest::addColumn<int>("op");   // -1: none, the table is left out
        QTest::addColumn<QString>("note");
        const auto number = [](Op op) { return static_cast<int>(op); };
        QTest::newRow("nobody tells it") << QByteArray{} << 93.75 << -1 << -1 << "names no operation";
        QTest::newRow("the user tells it") << QByteArray{} << 93.75 << number(Op::all_to_all)
                                           << number(Op::all_to_all) << "all_to_all: 16 ranks";
        QTest::newRow("its bandwidths tell it")
            << QByteArray{} << 187.5 << -1 << number(Op::all_reduce) << "all_reduce: 16 ranks";
        QTest::newRow("it has a name, of which the user does not speak")
            << QByteArray{"alltoall"} << 93.75 << number(Op::all_gather) << number(Op::all_to_all)
            << "; the table names it, so that all_gather is not taken";
        QTest::newRow("it is of no operation that is fitted")
            << QByteArray{"sendrecv"} << 100.0 << -1 << -1 << "the table of sendrecv is left out";
    }
    void tablesOfNoOperationGiveNoPoints()
    {
        QFETCH(QByteArray, name);
        QFETCH(double, busbw);
        QFETCH(int, told);
        QFETCH(int, op);
        QFETCH(QString, note);
        Measurement measurement;
        measurement.points.push_back({name.toStdString(), "float", 1'000'000'000, 0.01, 100.0, busbw});
        MeasuredGroups groups;
        if (told >= 0)
            groups.op = static_cast<Op>(told);
        std::vector<std::string> notes;
        const auto points = calibrationPoints(measurement, Scenario{}, groups, notes);
        QCOMPARE(points.empty() ? -1 : static_cast<int>(points.front().collective->op), op);
        QCOMPARE(notes.size(), std::size_t{1});
        QVERIFY2(QString::fromStdString(notes.front()).contains(note), notes.front().c_str());
        QCOMPARE(holdTableOfNoOperation(measurement.points), name.isEmpty() && busbw == 93.75);
    }

    void callsOfATraceLieAsTheLayoutSays()
    {
        Scenario scenario;
        scenario.parallel.tensor = 4;
        scenario.parallel.data = 8;
        Measurement measurement;
        TransferRow row;
        row.kind = Kind::dp;
        row.op = Op::all_reduce;
        row.message_bytes = 1 << 20;
        row.group_size = 8;
        row.median_ns = 250000;
        measurement.cross_rank.transfers.push_back(row);
        std::vector<std::string> notes;
        const auto points = calibrationPoints(measurement, scenario, {}, notes);
        // Every fourth rank: two on each node of eight, four such groups share its network.
        QCOMPARE(points.front().measured_s, 250e-6);
        QCOMPARE(points.front().collective->per_node, 2);
        QCOMPARE(points.front().collective->siblings, 4);
    }
};

QTEST_APPLESS_MAIN(TestCalibrationTable)
#include "tst_calibration_table.moc"
