#include <QtTest>

#include <QTemporaryDir>

#include "core/import/chrome/event_arguments.h"
#include "core/import/importer.h"

#include <zlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

const std::string text = R"({"schemaVersion": 1, "traceEvents": [
  {"ph": "X", "cat": "kernel", "name": "ncclKernel", "pid": 0, "tid": 7, "ts": 10, "dur": 4,
    "args": {"Collective name": "allreduce", "In msg nelems": 8, "Process Group Ranks": "[0, 1]", "Input Dims": [[2, 4], []]}},
  {"ph": "X", "cat": "cpu_op", "name": "a \u0022quoted\u0022 name", "pid": 1, "tid": 1, "ts": 20, "dur": 4, "args": {"path": "C:\\tmp"}},
  {"ph": "X", "cat": "cpu_op", "name": "none", "pid": 1, "tid": 1, "ts": 30, "dur": 4}
]})";

QStringList argumentsOf(const TraceFile& file, std::string_view name)
{
    for (std::uint32_t i = 0; i < file.store->size(); ++i) {
        if (file.store->name(EventIndex{i}) != name)
            continue;
        const auto arguments = readEventArguments(file, EventIndex{i});
        if (!arguments)
            return {"error: " + QString::fromStdString(arguments.error().sentence)};
        QStringList lines;
        for (const EventArgument& argument : arguments.value())
            lines << QString::fromStdString(argument.name + " = " + argument.value);
        return lines;
    }
    return {"no such event"};
}

void writeGzip(const fs::path& path, std::string_view content)
{
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
}

} // namespace

class TestEventArguments : public QObject
{
    Q_OBJECT

private slots:
    void argumentsAreReadWhenAskedFor_data();
    void argumentsAreReadWhenAskedFor();
    void longArgumentsAreRead();
    void aChangedFileIsNoticed();
};

void TestEventArguments::argumentsAreReadWhenAskedFor_data()
{
    QTest::addColumn<bool>("is_gzip");
    QTest::newRow("plain") << false;
    QTest::newRow("gzip") << true;
}

void TestEventArguments::argumentsAreReadWhenAskedFor()
{
    QFETCH(bool, is_gzip);
    const QTemporaryDir folder;
    const fs::path path = folder.filePath("trace").toStdString();
    if (is_gzip)
        writeGzip(path, text);
    else
        std::ofstream(path, std::ios::binary) << text;
    const Result<TraceSet> set = importTraces(std::array{path});
    const TraceFile& file = set.value().files[0];
    QCOMPARE(argumentsOf(file, "ncclKernel"),
             (QStringList{"Collective name = allreduce", "In msg nelems = 8", "Process Group Ranks = [0, 1]",
                          "Input Dims = [[2, 4], []]"}));
    QCOMPARE(argumentsOf(file, "a \"quoted\" name"), QStringList{"path = C:\\tmp"});
    QCOMPARE(argumentsOf(file, "none"), QStringList{});
}

void TestEventArguments::longArgumentsAreRead()
{
    const QTemporaryDir folder;
    const fs::path path = folder.filePath("trace").toStdString();
    const std::string stack(300000, 'x');
    std::ofstream(path)
        << R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 1, "args": {"stack": ")" << stack
        << R"("}}])";
    const Result<TraceSet> set = importTraces(std::array{path});
    QCOMPARE(argumentsOf(set.value().files[0], "a"), QStringList{"stack = " + QString::fromStdString(stack)});
}

void TestEventArguments::aChangedFileIsNoticed()
{
    const QTemporaryDir folder;
    const fs::path path = folder.filePath("trace").toStdString();
    std::ofstream(path) << text;
    const Result<TraceSet> set = importTraces(std::array{path});
    std::ofstream(path) << R"([{"ph": "X", "name": "short"}])";
    QVERIFY(argumentsOf(set.value().files[0], "ncclKernel")[0].contains("has changed since"));
    fs::remove(path);
    QVERIFY(argumentsOf(set.value().files[0], "ncclKernel")[0].startsWith(
        "error: " + QString::fromStdString(path.string()) + ": "));
}

QTEST_APPLESS_MAIN(TestEventArguments)
#include "tst_event_arguments.moc"
