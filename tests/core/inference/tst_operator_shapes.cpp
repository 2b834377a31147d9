#include <QTemporaryDir>
#include <QTest>

#include "core/import/importer.h"
#include "core/inference/operator_shapes.h"

using namespace shardscope;

class TestOperatorShapes : public QObject
{
    Q_OBJECT
private slots:
    void dimensionsAreReadFromText_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<std::vector<Shape>>("shapes");
        using Shapes = std::vector<Shape>;
        QTest::newRow("tensors") << QByteArray{"[[64, 2, 64], [96,64], [96]]"}
                                 << Shapes{{64, 2, 64}, {96, 64}, {96}};
        QTest::newRow("no tensor") << QByteArray{"[[64], [], []]"} << Shapes{{64}, {}, {}};
        QTest::newRow("a list of tensors is none") << QByteArray{"[[[4, 4], [8]], [2]]"} << Shapes{{}, {2}};
        QTest::newRow("nothing") << QByteArray{"[]"} << Shapes{};
        QTest::newRow("no list") << QByteArray{"none"} << Shapes{};
        QTest::newRow("cut") << QByteArray{"[[64, 2"} << Shapes{{64, 2}};
        QTest::newRow("beyond 64 bits") << QByteArray{"[[99999999999999999999]]"} << Shapes{};
    }
    void dimensionsAreReadFromText()
    {
        QFETCH(QByteArray, text);
        QTEST(shapesFromText(text.toStdString()), "shapes");
    }

    // Counted by hand in the file: 2 layers, 4 micro-batches.
    void aSampleTellsItsProducts()
    {
        const std::array file{
            std::filesystem::path{SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2/rank-0.json.gz"}};
        const auto traces = importTraces(file);
        QVERIFY(traces);
        const std::array<std::string_view, 2> names{"aten::linear", "aten::embedding"};
        const auto shapes = readOperatorShapes(traces.value().files.front(), names);
        QVERIFY2(shapes, shapes ? "" : shapes.error().sentence.c_str());
        const auto count = [&](const Shape& input, const Shape& weight) {
            for (const OperatorShape& one : shapes.value())
                if (one.input(0) == input && one.input(1) == weight)
                    return one.count;
            return std::int64_t{0};
        };
        QCOMPARE(count({64, 2, 64}, {96, 64}), 8);
        QCOMPARE(count({64, 2, 32}, {64, 32}), 8);
        QCOMPARE(count({512, 64}, {2, 64}), 4);
    }

    void whatTheBackwardPassRepeatsIsCountedApart()
    {
        QTemporaryDir folder;
        QFile file{folder.filePath("rank-0.json")};
        QVERIFY(file.open(QFile::WriteOnly));
        QByteArray events;
        const auto add = [&](const char* name, int start, int duration, int thread) {
            events += events.isEmpty() ? "" : ",\n";
            events +=
                QString{"{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%1\", \"pid\": 1, \"tid\": %4, "
                        "\"ts\": %2, \"dur\": %3, \"args\": {\"Input Dims\": [[4, 8]]}}"}
                    .arg(name)
                    .arg(start)
                    .arg(duration)
                    .arg(thread)
                    .toUtf8();
        };
        add("aten::layer_norm", 0, 5, 1);
        add("autograd::engine::evaluate_function: CheckpointBackward", 10, 50, 1);
        add("autograd::engine::evaluate_function: MmBackward0", 15, 5, 1); // within it
        add("aten::layer_norm", 30, 5, 1);
        add("aten::layer_norm", 32, 5, 2); // of another thread
        add("aten::layer_norm", 70, 5, 1);
        file.write("{\"traceEvents\": [" + events + "]}");
        file.close();
        const std::array path{std::filesystem::path{file.fileName().toStdString()}};
        const auto traces = importTraces(path);
        QVERIFY(traces);
        const std::array<std::string_view, 1> names{"aten::layer_norm"};
        const auto shapes = readOperatorShapes(traces.value().files.front(), names);
        QVERIFY2(shapes, shapes ? "" : shapes.error().sentence.c_str());
        QCOMPARE(shapes.value().size(), std::size_t{1});
        QCOMPARE(shapes.value().front().count, 3);
        QCOMPARE(shapes.value().front().repeated, 1);
    }

    void aFileThatHasGoneIsTold()
    {
        const std::array file{
            std::filesystem::path{SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2/rank-0.json.gz"}};
        auto traces = importTraces(file);
        QVERIFY(traces);
        TraceFile gone = traces.value().files.front();
        gone.path = "/nowhere/rank-0.json";
        const std::array<std::string_view, 1> names{"aten::linear"};
        QVERIFY(!readOperatorShapes(gone, names));
    }
};

QTEST_APPLESS_MAIN(TestOperatorShapes)
#include "tst_operator_shapes.moc"
