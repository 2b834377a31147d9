#include <QRegularExpression>
#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/report/text_table.h"
#include "core/report/trace_report.h"
#include "core/trace/trace_builder.h"

using namespace shardscope;

// The summary's form; the figures in it are tested where they are found.
class TestTraceReport : public QObject
{
    Q_OBJECT

    static QJsonValue json(const TraceSet& traces, const Measurement& measurement,
                           const TraceReportOptions& options = {})
    {
        return QJsonDocument::fromJson(QByteArray::fromStdString(traceJson(traces, measurement, options)))
            .object();
    }

    static TraceFile file(const char* path)
    {
        TraceBuilder builder;
        builder.addEvent(builder.addTrack("0", "7", true), 1712195496004644127, 10, "gemm", "kernel");
        TraceFile file;
        file.path = path;
        file.format = "kineto";
        file.slices = 1;
        file.tracks = 1;
        file.store = builder.finish();
        return file;
    }

    static RankMeasurement rank(std::int64_t number)
    {
        RankMeasurement rank;
        rank.rank = number;
        rank.has_timeline = true;
        rank.window_ns = 5;
        MeasuredCollective row;
        row.name = "allreduce";
        row.op = Op::all_reduce;
        row.count = 1;
        rank.collectives = {row};
        rank.kernels = {{"gemm", EventClass::compute, 2, 9, 4, 5}};
        return rank;
    }

private slots:
    void timesKeepEveryNanosecond()
    {
        const std::string text = traceJson({{file("rank0.json")}, {}}, {});
        QVERIFY(text.find("\"first_ts_ns\": 1712195496004644127,") != std::string::npos);
    }

    void whatIsAbsentIsLeftOut()
    {
        const QJsonObject summary = json({{file("log.txt")}, {}}, {}).toObject();
        for (const char* key :
             {"ranks", "cross_rank", "matrix", "message_histogram", "timers", "bubble", "points"})
            QVERIFY2(!summary.contains(QLatin1String{key}), key);
        QVERIFY(summary.contains("files"));
    }

    void bandwidthsTellAnAllReduceThatNoNameTells_data()
    {
        QTest::addColumn<double>("bus_GBps");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("shown");
        QTest::newRow("more than its bytes") << 187.5 << ""
                                             << "all_reduce";
        QTest::newRow("less: several do") << 93.75 << ""
                                          << "?";
        QTest::newRow("named") << 93.75 << "all_gather"
                               << "all_gather";
    }
    void bandwidthsTellAnAllReduceThatNoNameTells()
    {
        QFETCH(double, bus_GBps);
        QFETCH(QString, name);
        QFETCH(QString, shown);
        Measurement measurement;
        for (const std::int64_t bytes : {1'000, 1'000'000}) {
            BandwidthPoint point;
            point.name = name.toStdString();
            point.bytes = bytes;
            point.time_s = static_cast<double>(bytes) / 100e9;
            point.algbw_GBps = 100.0;
            point.busbw_GBps = bytes == 1'000 ? 0.0 : bus_GBps; // rounded
            measurement.points.push_back(point);
        }
        const QString text = QString::fromStdString(traceText({}, measurement, {}));
        QCOMPARE(text.count("  " + shown + "  "), qsizetype{2});
        QCOMPARE(text.contains("the file does not name the collective"), shown == "?");
    }

    void oneRankHasNothingAcrossRanks()
    {
        Measurement measurement;
        measurement.ranks = {rank(0)};
        QVERIFY(!json({}, measurement).toObject().contains("cross_rank"));
        measurement.ranks.push_back(rank(1));
        const QJsonValue summary = json({}, measurement);
        QVERIFY(summary["cross_rank"].toObject().contains("alignment"));
        QCOMPARE(summary["cross_rank"]["alignment"]["applied"].toBool(true), false);
        QCOMPARE(summary["ranks"].toObject().keys(), (QStringList{"0", "1"}));
    }

    void unknownSizesAreNull()
    {
        Measurement measurement;
        measurement.ranks = {rank(0)};
        const QJsonObject row = json({}, measurement)["ranks"]["0"]["collectives"][0].toObject();
        QVERIFY(row["in_bytes"].isNull());
        QVERIFY(row["message_bytes"].isNull());
        QCOMPARE(row["sizes_from"].toString(), QStringLiteral("none"));
        QCOMPARE(row["kind"].toString(), QStringLiteral("unknown"));
    }

    void callsOfALogHaveNoTimes()
    {
        Measurement measurement;
        measurement.ranks = {rank(3)};
        measurement.ranks[0].has_timeline = false;
        const QJsonObject one = json({}, measurement)["ranks"]["3"].toObject();
        QCOMPARE(one.keys(), QStringList{"collectives"});
        QVERIFY(!one["collectives"][0].toObject().contains("sum_ns"));
    }

    void kernelsAreWrittenOnDemand()
    {
        Measurement measurement;
        measurement.ranks = {rank(0)};
        QVERIFY(!json({}, measurement)["ranks"]["0"].toObject().contains("kernels"));
        const QJsonObject kernel =
            json({}, measurement, {.kernels = true})["ranks"]["0"]["kernels"][0].toObject();
        QCOMPARE(kernel["mean_ns"].toDouble(), 4.5);
        QCOMPARE(kernel["class"].toString(), QStringLiteral("compute"));
    }

    void wholeBytesAreWrittenAsWholeNumbers()
    {
        Measurement measurement;
        measurement.ranks = {rank(0)};
        measurement.matrix = {{Kind::tp, 0, 1, 4294967296.0}, {Kind::tp, 1, 0, 1.5}};
        const std::string text = traceJson({}, measurement, {.indent = -1});
        QVERIFY2(text.find("[[0,1,4294967296],[1,0,1.5]]") != std::string::npos, text.c_str());
    }

    void namesThatAreNoUtf8DoNotHurt()
    {
        Measurement measurement;
        measurement.ranks = {rank(0)};
        measurement.ranks[0].collectives[0].name = "bad \xff name";
        QCOMPARE(json({}, measurement)["ranks"]["0"]["collectives"][0]["name"].toString(),
                 QStringLiteral("bad \uFFFD name"));
        Comparison comparison;
        comparison.notes = {"\xc3"};
        QVERIFY(!comparisonJson(comparison).empty());
    }

    static Comparison comparison(bool calibrated)
    {
        Comparison comparison;
        comparison.calibrated = calibrated;
        ComparisonRow row;
        row.kind = Kind::tp;
        row.op = Op::all_reduce;
        row.message_bytes = 64;
        row.predicted_count = row.measured_count = 1;
        row.measured_s = 0.4;
        if (calibrated) {
            row.predicted_s = 0.3;
            comparison.predicted_iteration_s = 1.5;
            comparison.predicted_compute_s = 1.2;
            comparison.predicted_idle_s = 0.0;
        }
        comparison.rows = {row};
        comparison.kinds = {{Kind::tp, row.predicted_s, 0.4, 0.4}};
        comparison.equal_rows = 1;
        comparison.measured_iteration_s = 2.0;
        comparison.measured_compute_s = 1.0;
        comparison.measured_idle_s = 0.5;
        comparison.measured_memory_s = 0.1;
        return comparison;
    }

    void aComparisonOfForwardPassesSaysSo()
    {
        Comparison forward = comparison(true);
        forward.is_forward_only = true;
        QVERIFY(comparisonText(forward).starts_with("Counts and sizes of forward passes are equal in all"));
        QVERIFY(comparisonText(comparison(true)).starts_with("Counts and sizes are equal in all"));
        QVERIFY(comparisonJson(forward).find("\"forward_only\": true") != std::string::npos);
        forward.predicted_iteration_s.reset(); // as compare() leaves it
        const QString text = QString::fromStdString(comparisonText(forward)).simplified();
        QVERIFY(text.contains("iteration – 2 s – only forward passes were recorded"));
        QVERIFY(comparisonText(comparison(true)).find("only forward passes") == std::string::npos);
    }

    // Of sizes that are the same when they are rounded every byte is told; others stay readable.
    void rowsOfAComparisonCanBeToldApart()
    {
        Comparison alike = comparison(true);
        alike.rows.assign(3, alike.rows.front());
        alike.rows[0].message_bytes = 117440512;
        alike.rows[1].message_bytes = 117440000;
        alike.rows[2].message_bytes = 64 << 20;
        const QString text = QString::fromStdString(comparisonText(alike));
        QVERIFY2(text.contains("117 440 512 B") && text.contains("117 440 000 B"), qPrintable(text));
        QVERIFY2(text.contains(" 64 MiB ") && !text.contains("112 MiB"), qPrintable(text));
    }

    // A log tells of none, whatever is predicted.
    void withoutCallsNoMessagesAreCompared()
    {
        Comparison logged;
        logged.predicted_iteration_s = 1.0;
        logged.measured_iteration_s = 2.0;
        const std::string text = comparisonText(logged);
        QVERIFY2(text.starts_with("The traces show no calls of any rank: there are no messages to compare"),
                 text.c_str());
        QVERIFY(text.find("Calls, and what computing") == std::string::npos);
        QVERIFY(text.find("2 s") != std::string::npos);
        logged.ranks = 1;
        QVERIFY(comparisonText(logged).starts_with("The traces show no messages, and none are predicted"));
    }

    // Predicted over measured, less one; nothing where either is missing.
    void aComparisonHasItsResiduals()
    {
        const auto rowsOf = [](const Comparison& compared) {
            QStringList rows;
            for (const QString& line : QString::fromStdString(comparisonText(compared)).split('\n'))
                rows << line.simplified();
            return rows;
        };
        const QStringList rows = rowsOf(comparison(true));
        QVERIFY(rows.contains("tp all_reduce 64 B 1 1 300 ms 400 ms -25.0 % –"));
        QVERIFY(rows.contains("iteration 1.5 s 2 s -25.0 %"));
        QVERIFY(rows.contains("compute 1.2 s 1 s +20.0 %"));
        QVERIFY(rows.contains("tp, exposed 300 ms 400 ms -25.0 % 400 ms"));
        QVERIFY(rows.contains("bubble and idle 0 s 500 ms –"));
        QVERIFY(rows.contains("copies and fills – 100 ms –"));
        QVERIFY(rows.filter(QRegularExpression{"^other "}).isEmpty()); // the parts are the iteration
        QVERIFY(rowsOf(comparison(false)).contains("iteration – 2 s –"));

        Comparison more = comparison(true);
        more.measured_other_s = 0.05;
        QVERIFY(rowsOf(more).contains("other – 50 ms –"));
        QVERIFY(rowsOf(more).filter("of other stages").isEmpty());
        more.kinds.front().is_of_other_stages = true;
        QVERIFY(rowsOf(more).contains("tp, exposed 300 ms 400 ms -25.0 % 400 ms of other stages"));

        const auto answerOf = [](const Comparison& compared) {
            const QByteArray json = QByteArray::fromStdString(comparisonJson(compared));
            return QJsonDocument::fromJson(json).object();
        };
        const QJsonObject answer = answerOf(comparison(true));
        QCOMPARE(answer["rows"][0]["residual"].toDouble(), 0.3 / 0.4 - 1.0);
        QCOMPARE(answer["kinds"][0]["residual"].toDouble(), 0.3 / 0.4 - 1.0);
        QCOMPARE(answer["time"]["iteration_residual"].toDouble(), -0.25);
        QCOMPARE(answer["time"]["iteration_residual_s"].toDouble(), 0.5); // measured minus predicted
        QCOMPARE(answer["time"]["measured_idle_s"].toDouble(), 0.5);
        QVERIFY(answer["time"]["idle_residual"].isNull()); // no bubble is predicted
        const QJsonObject open = answerOf(comparison(false));
        QVERIFY(open["time"]["iteration_residual"].isNull());
    }

    void rejectedFilesSayWhy()
    {
        TraceFile rejected;
        rejected.path = "x.bin";
        rejected.status = FileStatus::rejected;
        rejected.rejection = "this is no trace";
        rejected.warnings = {{"event without dur", 3}};
        const QJsonObject one = json({{rejected}, {}}, {})["files"][0].toObject();
        QCOMPARE(one["status"].toString(), QStringLiteral("rejected"));
        QCOMPARE(one["rejection"].toString(), QStringLiteral("this is no trace"));
        QCOMPARE(one["warnings"][0]["count"].toInt(), 3);
        const auto text = QString::fromStdString(traceText({{rejected}, {}}, {}));
        QVERIFY(text.contains("x.bin: this is no trace"));
        QVERIFY(text.contains("3 x event without dur"));
    }

    void whatToKnowAboutAFileIsSaid()
    {
        TraceFile exported;
        exported.path = "x.sqlite";
        exported.notes = {"2 runs of CUDA graphs count as computation"};
        QCOMPARE(json({{exported}, {}}, {})["files"][0]["notes"][0].toString(),
                 QStringLiteral("2 runs of CUDA graphs count as computation"));
        QVERIFY(QString::fromStdString(traceText({{exported}, {}}, {}))
                    .contains("x.sqlite: 2 runs of CUDA graphs count as computation"));
    }

    void whatALogListsOfItsRunIsSaid()
    {
        TraceFile log;
        log.path = "run.log";
        log.arguments = {{"hidden_size", "6144"}, {"lr", "None"}};
        log.parameters = {{0, 0, 1'217'086'464}, {3, 1, 12}};
        const QJsonObject one = json({{log}, {}}, {})["files"][0].toObject();
        QCOMPARE(one["arguments"]["hidden_size"].toString(), QStringLiteral("6144"));
        QCOMPARE(one["parameters"][1].toObject(),
                 (QJsonObject{{"tensor_rank", 3}, {"stage", 1}, {"parameters", 12}}));
        QVERIFY(
            QString::fromStdString(traceText({{log}, {}}, {}))
                .contains("  run.log: 2 arguments of the run, of which `infer` makes a scenario; 2 places "
                          "tell how many parameters they hold\n"));
        log.arguments.clear();
        log.parameters.resize(1);
        QVERIFY(QString::fromStdString(traceText({{log}, {}}, {}))
                    .contains("  run.log: 1 place tells how many parameters it holds\n"));
        log.parameters.clear();
        const QJsonObject none = json({{log}, {}}, {})["files"][0].toObject();
        QVERIFY(!none.contains(QLatin1String{"arguments"}) && !none.contains(QLatin1String{"parameters"}));
        QVERIFY(!QString::fromStdString(traceText({{log}, {}}, {})).contains("run.log:"));
    }

    // A log of NCCL has no times.
    void timesThatNothingToldAreOpen()
    {
        Measurement measurement;
        measurement.ranks = {rank(0)};
        measurement.ranks[0].has_timeline = false;
        for (MeasuredCollective& row : measurement.ranks[0].collectives)
            row.sum_ns = row.min_ns = row.median_ns = row.max_ns = 0;
        const auto text = QString::fromStdString(traceText({}, measurement));
        QVERIFY2(!text.contains("0 s"), qPrintable(text));
    }

    void tablesAlignTheirColumns()
    {
        TextTable table{{"name", ">time"}};
        table.addRow({"a", "1 µs"});
        table.addRow({"longer"});
        table.addRow({"b", "12 345 s"});
        QCOMPARE(QString::fromStdString(table.text()),
                 QStringLiteral("  name        time\n  a           1 µs\n  longer\n  b       12 345 s\n"));
    }
};

QTEST_APPLESS_MAIN(TestTraceReport)
#include "tst_trace_report.moc"
