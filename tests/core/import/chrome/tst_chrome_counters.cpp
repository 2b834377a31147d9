#include <QtTest>

#include <QTemporaryDir>

#include "tests/core/import/imported_text.h"

#include <array>
#include <fstream>
#include <string>
#include <vector>

using namespace shardscope;

class TestChromeCounters : public QObject
{
    Q_OBJECT
private slots:
    void countersAndMemoryBecomeCurves()
    {
        const Result<TraceSet> set = importText(R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2},
            {"ph":"C","name":"load","pid":3,"ts":2,"args":{"value":0.5}},
            {"ph":"C","name":"load","pid":3,"ts":1,"args":{"value":0.25}},
            {"ph":"C","name":"queue","id":7,"pid":3,"ts":2,"args":{"reads":4,"writes":"2"}},
            {"ph":"C","name":"queue","id":7,"pid":3,"ts":3,"args":{"reads":"many"}},
            {"ph":"i","s":"t","name":"[memory]","pid":0,"tid":7,"ts":4,"args":{"Device Type":1,"Device Id":2,
             "Bytes":16,"Total Allocated":1024,"Total Reserved":4096}},
            {"ph":"i","s":"t","name":"[memory]","pid":0,"tid":7,"ts":6,"args":{"Device Type":0,"Device Id":-1,"Bytes":-8}},
            {"ph":"i","s":"t","name":"[memory]","pid":0,"tid":7,"ts":5,"args":{"Device Type":0,"Device Id":-1,"Bytes":32}},
            {"ph":"i","s":"t","name":"mark","pid":0,"tid":7,"ts":5}])");
        QStringList curves;
        for (const Counter& counter : onlyFile(set).store->counters()) {
            QString curve =
                QString::fromStdString(counter.pid + " " + counter.name) + (counter.is_bytes ? " B:" : ":");
            for (std::size_t i = 0; i < counter.times.size(); ++i)
                curve += QStringLiteral(" %1@%2").arg(counter.values[i]).arg(counter.times[i]);
            curves << curve;
        }
        QCOMPARE(curves,
                 (QStringList{"0 GPU 2 memory allocated B: 1024@4000", "0 GPU 2 memory reserved B: 4096@4000",
                              "0 host memory allocated since the recording began B: 32@5000 24@6000",
                              "3 load: 0.25@1000 0.5@2000", "3 queue[7] reads: 4@2000",
                              "3 queue[7] writes: 2@2000"}));
        QCOMPARE(onlyFile(set).warnings.size(), std::size_t{1});
        QCOMPARE(onlyFile(set).warnings[0].what, std::string("counter that is no number"));
    }

    // Each event has 54 bytes and its line's end: some 18 fit into a thousand.
    void aGlanceReadsTheBeginning()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("rank3.json").toStdString();
        {
            std::ofstream file(path);
            file << "[\n";
            for (int i = 100; i < 900; ++i)
                file << R"({"ph":"X","name":"a","pid":0,"tid":7,"ts":)" << i << R"(,"dur":1},)"
                     << "\n";
        }
        std::vector<TraceFile> told;
        ImportOptions options;
        options.threads = 1;
        options.glance_bytes = 1000;
        options.on_file = [&](const TraceFile& file) { told.push_back(file); };
        QVERIFY(importTraces(std::array{path}, options));
        QCOMPARE(told.size(), std::size_t{1});
        QVERIFY(told[0].slices > 10 && told[0].slices < 25);
        QCOMPARE(told[0].store->firstStart(), TraceTime{100'000});
        QCOMPARE(told[0].rank, std::int64_t{3});
        options.glance_bytes = 0;
        QVERIFY(importTraces(std::array{path}, options));
        QCOMPARE(told[1].slices, std::int64_t{800});
    }
};

QTEST_APPLESS_MAIN(TestChromeCounters)
#include "tst_chrome_counters.moc"
