#include <QtTest>

#include <QTemporaryDir>

#include "tests/core/import/imported_text.h"

#include <array>
#include <fstream>
#include <string>

using namespace shardscope;

namespace
{

// The events as "name start+duration track", in nanoseconds, in the order of the store.
QStringList eventsOf(const TraceFile& file)
{
    QStringList out;
    for (std::uint32_t i = 0; i < file.store->size(); ++i) {
        const EventIndex event{i};
        const Track& track = file.store->tracks()[std::size_t(file.store->track(event))];
        out << QString("%1 %2+%3 %4:%5")
                   .arg(QString::fromStdString(std::string(file.store->name(event))))
                   .arg(file.store->start(event))
                   .arg(file.store->duration(event))
                   .arg(QString::fromStdString(track.pid), QString::fromStdString(track.tid));
    }
    return out;
}

std::string text(const TraceStore& store, NameId name)
{
    return std::string(store.names().text(name));
}

} // namespace

class TestChromeReader : public QObject
{
    Q_OBJECT

private slots:
    void tracesOfAnyShapeAreRead_data();
    void tracesOfAnyShapeAreRead();
    void whatIsNoTraceIsRejectedWithASentence_data();
    void whatIsNoTraceIsRejectedWithASentence();
    void timesCountFromTheBaseWhereverItStands();
    void tracksAreNamedByMetadataThatComesLater();
    void groupsAndRankComeFromTheHeader();
    void sizesComeFromTheKernel();
    void sizesComeFromTheCallThatLaunchedTheKernel();
    void numbersAmongTheInputsAreNoTensors();
    void sizesComeByExternalId();
    void glooCallsAreSizedByTheirShapes();
    void anEventThatHoldsAnotherTraceDoesNotHang();
    void anEventLongerThanAPieceIsRead();
    void manyEventsAreTheSameOnAnyNumberOfThreads();
};

void TestChromeReader::tracesOfAnyShapeAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("events");
    QTest::addColumn<QStringList>("warnings");
    const auto row = [](const char* name, const char* text, const QStringList& events,
                        const QStringList& warnings) { QTest::newRow(name) << text << events << warnings; };
    const QString a = R"({"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2})";
    const QString b = R"({"ph":"X","name":"b","pid":0,"tid":7,"ts":5,"dur":1})";
    const QStringList ab{"a 1000+2000 0:7", "b 5000+1000 0:7"};
    QTest::newRow("an array") << "[" + a + "," + b + "]" << ab << QStringList();
    QTest::newRow("an array without its end") << "[" + a + ",\n" + b + ",\n" << ab << QStringList();
    QTest::newRow("an object") << R"({"x":{"traceEvents":[1]},"traceEvents":[)" + a + "," + b + "]}" << ab
                               << QStringList();
    QTest::newRow("an object without its end") << "{\"traceEvents\":[" + a + "," + b << ab
                                               << QStringList("the file ends before its last bracket: 1");
    QTest::newRow("cut within an event")
        << "[" + a + "," + b + R"(,{"ph":"X","na)" << ab << QStringList("the file ends within an event: 1");
    QTest::newRow("one event a line") << a + "\n" + b + "\n"
                                      << ab << QStringList("comma missing between events: 1");
    QTest::newRow("two documents") << "[" + a + "]\n[" + b + "]" << ab
                                   << QStringList("several documents in one file: 1");
    QTest::newRow("a trace within a trace")
        << "{\"traceEvents\":[" + a + ",{\"schemaVersion\":1,\"traceEvents\":[" + b + "]}" << ab
        << QStringList{"a second trace begins within the first: 1", "several documents in one file: 1"};
    QTest::newRow("rubbish between events")
        << "[" + a + " oops, " + b + "]" << ab << QStringList("text between events: 1");
    QTest::newRow("an event cut by another")
        << R"([{"ph":"X","name":"x)" + a + "," + b + "]" << ab << QStringList("event that cannot be read: 1");
    QTest::newRow("an event that never closes") << R"([{"ph":"X","name":"x","ts":3,)" + a + "," + b + "]"
                                                << ab << QStringList("event that cannot be read: 1");
    QTest::newRow("a bracket too many")
        << "{\"traceEvents\":[" + a + "}," + b + "]}" << ab << QStringList("text between events: 1");
    QTest::newRow("an array that closes too early")
        << "{\"traceEvents\":[" + a + "]," + b + "]}" << ab << QStringList{"comma too many: 1"};
    row("quotes in a name", R"([{"ph":"X","name":"say "hi"","pid":0,"tid":7,"ts":1,"dur":2}])",
        {"say \"hi\" 1000+2000 0:7"}, {"quote in a string that is not escaped: 1"});
    row("an escaped name", R"([{"ph":"X","name":"\u0061\n\"","pid":0,"tid":7,"ts":1,"dur":2}])",
        {"a\n\" 1000+2000 0:7"}, {});
    row("no duration", R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1}])", {}, {"event without dur: 1"});
    row("no time", R"([{"ph":"X","name":"a","dur":1}])", {}, {"event without ts: 1"});
    row("times beyond 64 bits",
        R"([{"ph":"X","ts":99999999999999999999,"dur":1},{"ph":"X","ts":9e15,"dur":9e15}])", {},
        {"time beyond what 64 bits of nanoseconds hold: 2"});
    row("numbers that are none",
        R"([{"ph":"X","ts":NaN,"dur":1},{"ph":"X","ts":null,"dur":1},{"ph":"X","ts":[1],"dur":1}])", {},
        {"time that is no number: 3"});
    row("phases", R"([{"ph":"C","ts":1},{"ph":"i","ts":1},{"ph":"Q","ts":1},{"ts":1}])", {},
        {"event of an unknown phase: 1", "event without a phase: 1"});
    row("an empty event, as TensorFlow ends a trace", R"([{"ph":"X","name":"a","ts":1,"dur":2},{}])",
        {"a 1000+2000 :"}, {});
    row("elements that are no events", R"([{"ph":"X","name":"a","ts":1,"dur":2},1,"x",[2]])",
        {"a 1000+2000 :"}, {"text between events: 1"});
    row("an element that is no event before what stands behind the events",
        R"({"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2}, "]", null],"baseTimeNanoseconds":500})",
        {"a 1500+2000 :"}, {"text between events: 1"});
    row("begin and end",
        R"([{"ph":"B","name":"o","pid":1,"tid":1,"ts":1},{"ph":"B","name":"i","pid":1,"tid":1,"ts":2},
        {"ph":"E","pid":1,"tid":1,"ts":3},{"ph":"E","pid":1,"tid":1,"ts":5},{"ph":"E","pid":1,"tid":1,"ts":6},
        {"ph":"B","name":"never ends","pid":1,"tid":2,"ts":7}])",
        {"o 1000+4000 1:1", "i 2000+1000 1:1"},
        {"end without a beginning: 1", "beginning without an end: 1"});
    row("an end that names its beginning",
        R"([{"ph":"B","name":"o","pid":1,"tid":1,"ts":1},{"ph":"B","name":"lost","pid":1,"tid":1,"ts":2},
        {"ph":"E","name":"o","pid":1,"tid":1,"ts":5}])",
        {"o 1000+4000 1:1"}, {"beginning without an end: 1"});
    row("asynchronous, by category and id",
        R"([{"ph":"b","cat":"c","id":1,"name":"x","pid":1,"tid":1,"ts":1},{"ph":"b","cat":"d","id":1,"name":"y","pid":1,"tid":1,"ts":2},
        {"ph":"e","cat":"c","id":1,"name":"x","pid":1,"tid":2,"ts":4},{"ph":"e","cat":"d","id":1,"name":"y","pid":1,"tid":1,"ts":3},
        {"ph":"e","cat":"c","id":1,"name":"x","pid":2,"tid":1,"ts":4}])",
        {"x 1000+3000 1:1", "y 2000+1000 1:1"}, {"end without a beginning: 1"});
    row("asynchronous, with a global id",
        R"([{"ph":"b","cat":"c","id2":{"global":"0x1"},"name":"x","pid":1,"tid":1,"ts":1},
        {"ph":"e","cat":"c","id2":{"global":"0x1"},"name":"x","pid":2,"tid":2,"ts":4}])",
        {"x 1000+3000 1:1"}, {});
    row("the older asynchronous phases",
        R"([{"ph":"S","cat":"c","id":"1","name":"x","pid":1,"tid":1,"ts":1},{"ph":"T","cat":"c","id":"1","name":"x","pid":1,"tid":1,"ts":2},
        {"ph":"F","cat":"c","id":"1","name":"x","pid":1,"tid":1,"ts":3}])",
        {"x 1000+2000 1:1"}, {});
    row("texts and numbers name the same thread",
        R"([{"ph":"X","name":"a","pid":"3","tid":"7","ts":1,"dur":2},{"ph":"X","name":"b","pid":3,"tid":7,"ts":5,"dur":2}])",
        {"a 1000+2000 3:7", "b 5000+2000 3:7"}, {});
}

void TestChromeReader::tracesOfAnyShapeAreRead()
{
    QFETCH(QString, text);
    QFETCH(QStringList, warnings);
    const Result<TraceSet> set = importText(text.toStdString());
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QTEST(eventsOf(onlyFile(set)), "events");
    QCOMPARE(warningsOf(onlyFile(set)), warnings);
    QCOMPARE(onlyFile(set).status, warnings.empty() ? FileStatus::ok : FileStatus::recovered);
}

void TestChromeReader::whatIsNoTraceIsRejectedWithASentence_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("empty") << QByteArray() << "the file is empty";
    QTest::newRow("binary") << QByteArray("\x7f"
                                          "ELF\0\0",
                                          6)
                            << "no trace in a format that is known";
    QTest::newRow("another JSON file") << QByteArray(R"({"layers": 12})") << "no \"traceEvents\"";
    QTest::newRow("a list of something else")
        << QByteArray(R"([{"layers":12},{"layers":24}])") << "none of them has a phase";
    QTest::newRow("cut before the first event")
        << QByteArray(R"({"traceEvents":[{"ph":"X")") << "not one event of this trace could be read";
    QTest::newRow("cut at the first event")
        << QByteArray(R"({"traceEvents":[)") << "not one event of this trace could be read";
    QTest::newRow("absurd nesting") << QByteArray("{\"traceEvents\":[{\"a\":") + QByteArray(3000000, '[')
                                    << "not one event of this trace could be read";
    QTest::newRow("brackets all the way")
        << QByteArray(3000000, '[') << "this text holds nothing that is known";
    QTest::newRow("a string that never ends") << QByteArray("[{\"name\":\"") + QByteArray(80 << 20, 'x')
                                              << "not one event of this trace could be read";
}

void TestChromeReader::whatIsNoTraceIsRejectedWithASentence()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, sentence);
    const Result<TraceSet> set = importText(text.toStdString());
    QVERIFY(!set);
    QVERIFY2(set.error().sentence.find(sentence.toStdString()) != std::string::npos,
             set.error().sentence.c_str());
}

void TestChromeReader::timesCountFromTheBaseWhereverItStands()
{
    const Result<TraceSet> set = importText(
        R"({"traceEvents":[{"ph":"X","name":"a","pid":0,"tid":7,"ts":4458676522690.655,"dur":156.777}],
        "baseTimeNanoseconds": 1711964646000000000})");
    QCOMPARE(onlyFile(set).store->firstStart(), TraceTime{1711964646000000000 + 4458676522690655});
    const Result<TraceSet> rewritten = importText(
        R"({"baseTimeNanoseconds": 1.7e18, "traceEvents":[{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2}]})");
    QCOMPARE(onlyFile(rewritten).store->firstStart(), TraceTime{1700000000000001000});
    QCOMPARE(onlyFile(set).format, std::string("kineto"));
}

void TestChromeReader::tracksAreNamedByMetadataThatComesLater()
{
    const Result<TraceSet> set = importText(R"([
        {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2},
        {"ph":"X","cat":"cpu_op","name":"o","pid":12,"tid":12,"ts":1,"dur":2},
        {"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"python"}},
        {"ph":"M","name":"process_labels","pid":0,"tid":0,"args":{"labels":"GPU 0"}},
        {"ph":"M","name":"process_sort_index","pid":0,"tid":0,"args":{"sort_index":5000000}},
        {"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7"}},
        {"ph":"M","name":"process_name","pid":12,"tid":0,"args":{"name":"python"}}])");
    const auto& tracks = onlyFile(set).store->tracks();
    QCOMPARE(tracks.size(), std::size_t{2});
    QCOMPARE(tracks[0].pid, std::string("12"));
    QCOMPARE(tracks[0].process_name, std::string("python"));
    QVERIFY(!tracks[0].is_gpu);
    QCOMPARE(tracks[1].process_name, std::string("GPU 0"));
    QCOMPARE(tracks[1].thread_name, std::string("stream 7"));
    QVERIFY(tracks[1].is_gpu);
    QCOMPARE(onlyFile(set).devices, std::int64_t{1});
}

void TestChromeReader::groupsAndRankComeFromTheHeader()
{
    const Result<TraceSet> set = importText(R"({"deviceProperties":[{"id":0,"name":"NVIDIA H100 80GB HBM3"},
        {"id":1,"name":"NVIDIA H100 80GB HBM3"}],"traceEvents":[],"distributedInfo":{"backend":"nccl","rank":3,
        "world_size":4,"pg_count":2,"pg_config":[
        {"pg_name":"0","pg_desc":"default_pg","backend_config":"cuda:nccl","pg_size":4,"ranks":[0,1,2,3]},
        {"pg_name":"1","pg_desc":"TP","pg_size":2,"ranks":"..."}]}})");
    const TraceFile& file = onlyFile(set);
    QCOMPARE(file.rank, std::int64_t{3});
    QVERIFY(file.rank_is_known);
    QCOMPARE(file.world_size, std::int64_t{4});
    QCOMPARE(file.groups.size(), std::size_t{2});
    QCOMPARE(file.groups[0].ranks, (std::vector<std::int64_t>{0, 1, 2, 3}));
    QCOMPARE(file.groups[1].description, std::string("TP"));
    QVERIFY(file.groups[1].ranks.empty());
    QCOMPARE(file.groups[1].size, std::int64_t{2});
    QCOMPARE(file.gpu, std::string("NVIDIA H100 80GB HBM3"));
}

void TestChromeReader::sizesComeFromTheKernel()
{
    const Result<TraceSet> set =
        importText(R"([{"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":20,
        "ts":1,"dur":2,"args":{"correlation":5,"Collective name":"send","In msg nelems":1024,"Out msg nelems":0,
        "Group size":4,"dtype":"BFloat16","Process Group Name":"7","Process Group Description":"PIPELINE",
        "Process Group Ranks":"[0, 8, 16, 24]","In split size":"[1, 2, ...]","Dst Rank":8,"Seq":12}}])");
    const TraceStore& store = *onlyFile(set).store;
    QCOMPARE(store.collectives().size(), std::size_t{1});
    const CollectiveCall& call = store.collectives()[0];
    QCOMPARE(text(store, call.name), std::string("send"));
    QCOMPARE(text(store, call.dtype), std::string("BFloat16"));
    QCOMPARE(text(store, call.group), std::string("7"));
    QCOMPARE(text(store, call.group_description), std::string("PIPELINE"));
    QCOMPARE(text(store, call.group_ranks), std::string("[0, 8, 16, 24]"));
    QCOMPARE(text(store, call.in_splits), std::string("[1, 2, ...]"));
    QCOMPARE(call.in_bytes, std::int64_t{2048});
    QCOMPARE(call.out_bytes, std::int64_t{0});
    QCOMPARE(call.group_size, 4);
    QCOMPARE(call.source_rank, -1);
    QCOMPARE(call.destination_rank, 8);
    QCOMPARE(call.sequence, std::int64_t{12});
    QCOMPARE(call.sizes_from, SizesFrom::kernel);
}

// As torch up to 2.2 writes it: the kernel's External id is its correlation, the call has shapes without a
// type, and the annotation within it has the type.
void TestChromeReader::sizesComeFromTheCallThatLaunchedTheKernel()
{
    const Result<TraceSet> set = importText(R"([
        {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":10,"dur":20,"args":{"External id":94,
        "Concrete Inputs":["","337","93825114103440","0","","[]","[]","8"],
        "Input type":["TensorList","Scalar","Scalar","Scalar","","ScalarList","ScalarList","Scalar"],
        "Input Dims":[[[4,2048,4096],[2]],[],[],[],[],[],[],[]]}},
        {"ph":"X","cat":"user_annotation","name":"nccl:all_reduce","pid":1,"tid":1,"ts":11,"dur":18,"args":{
        "External id":95,"Input type":["c10::Half"],"Input Dims":[[4,2048,4096]]}},
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":12,"dur":3,"args":{
        "External id":777,"cbid":430,"correlation":777}},
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":40,"dur":3,"args":{"correlation":94}},
        {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":24,"ts":50,"dur":9,"args":{
        "External id":777,"correlation":777}},
        {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":60,"dur":9,"args":{"External id":94,"correlation":94}}])");
    const TraceStore& store = *onlyFile(set).store;
    QCOMPARE(store.collectives().size(), std::size_t{1});
    const CollectiveCall& call = store.collectives()[0];
    QVERIFY(store.name(call.event) == "ncclDevKernel_AllReduce");
    QCOMPARE(text(store, call.name), std::string("nccl:all_reduce"));
    QCOMPARE(text(store, call.dtype), std::string("c10::Half"));
    QCOMPARE(call.in_bytes, std::int64_t{2} * (4 * 2048 * 4096 + 2));
    QCOMPARE(call.out_bytes, std::int64_t{-1});
    QCOMPARE(call.group_size, 8);
    QCOMPARE(call.sizes_from, SizesFrom::record_param_comms);
    QVERIFY(call.is_of_launch);
}

// Old versions name the type of a number among the inputs; it is no tensor. Two 4-bit floats
// make an element of one byte.
void TestChromeReader::numbersAmongTheInputsAreNoTensors()
{
    const Result<TraceSet> set = importText(R"([
        {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":10,"dur":20,"args":{"External id":94,
        "Input type":["float","Int","Int","Bool"],"Input Dims":[[64,2],[],[],[]]}},
        {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce","pid":0,"tid":24,"ts":50,"dur":9,"args":{
        "External id":94,"correlation":5}},
        {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllGather","pid":0,"tid":24,"ts":70,"dur":9,"args":{
        "Collective name":"_allgather_base","In msg nelems":10,"Out msg nelems":40,"dtype":"Float4_e2m1fn_x2"}}])");
    const TraceStore& store = *onlyFile(set).store;
    QCOMPARE(store.collectives().size(), std::size_t{2});
    QCOMPARE(store.collectives()[0].in_bytes, std::int64_t{4 * 64 * 2});
    QCOMPARE(store.collectives()[1].out_bytes, std::int64_t{40});
}

void TestChromeReader::sizesComeByExternalId()
{
    const Result<TraceSet> set = importText(R"([
        {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":10,"dur":20,"args":{"External id":94,
        "Collective name":"_allgather_base","In msg nelems":10,"Out msg nelems":40,"Group size":4,"dtype":"Float",
        "Process Group Name":"1","Process Group Description":"dp"}},
        {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllGather","pid":0,"tid":24,"ts":50,"dur":9,"args":{
        "External id":94,"correlation":5}}])");
    const TraceStore& store = *onlyFile(set).store;
    QCOMPARE(store.collectives().size(), std::size_t{1});
    QCOMPARE(store.collectives()[0].in_bytes, std::int64_t{40});
    QCOMPARE(store.collectives()[0].out_bytes, std::int64_t{160});
    QCOMPARE(store.collectives()[0].sizes_from, SizesFrom::record_param_comms);
}

void TestChromeReader::glooCallsAreSizedByTheirShapes()
{
    const Result<TraceSet> set = importText(R"([
        {"ph":"X","cat":"user_annotation","name":"gloo:all_reduce","pid":1,"tid":4,"ts":1,"dur":2,"args":{
        "Input Dims":[[64,2,64]],"Input type":["float"]}},
        {"ph":"X","cat":"user_annotation","name":"forward mb0","pid":1,"tid":1,"ts":1,"dur":2,"args":{"External id":1}}])");
    const TraceStore& store = *onlyFile(set).store;
    QCOMPARE(store.collectives().size(), std::size_t{1});
    QCOMPARE(text(store, store.collectives()[0].name), std::string("gloo:all_reduce"));
    QCOMPARE(store.collectives()[0].in_bytes, std::int64_t{4 * 64 * 2 * 64});
    QCOMPARE(store.collectives()[0].sizes_from, SizesFrom::annotation);
}

// As a document it begins with "ph", as an event it has "traceEvents": neither reading gets behind it.
void TestChromeReader::anEventThatHoldsAnotherTraceDoesNotHang()
{
    const Result<TraceSet> set = importText(
        R"({"traceEvents": [{"ph": "X", "name": "a", "traceEvents": [{"ph": "X", "name": "b", "pid": 0, )"
        R"("tid": 7, "ts": 2, "dur": 1}]}, {"ph": "X", "name": "c", "pid": 0, "tid": 7, "ts": 4, "dur": 1}]})");
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    QVERIFY(eventsOf(onlyFile(set)).contains("b 2000+1000 0:7"));
    QCOMPARE(onlyFile(set).status, FileStatus::recovered);
}

void TestChromeReader::anEventLongerThanAPieceIsRead()
{
    std::string text = R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2,"args":{"stack":")";
    text += std::string(5000000, 's');
    text += R"("}},{"ph":"X","name":"b","pid":0,"tid":7,"ts":5,"dur":1}])";
    const Result<TraceSet> set = importText(text);
    QCOMPARE(eventsOf(onlyFile(set)), (QStringList{"a 1000+2000 0:7", "b 5000+1000 0:7"}));
    QCOMPARE(onlyFile(set).store->sourceOffset(EventIndex{1}), std::int64_t(text.rfind('{')));
    QCOMPARE(onlyFile(set).bytes_uncompressed, std::int64_t(text.size()));
}

void TestChromeReader::manyEventsAreTheSameOnAnyNumberOfThreads()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath("rank2.json").toStdString();
    {
        std::ofstream file(path);
        file << "{\"traceEvents\":[";
        for (int i = 0; i < 60000; ++i) {
            file << (i > 0 ? ",\n" : "") << R"({"ph":"X","cat":"cpu_op","name":"op )" << i % 777
                 << R"(","pid":1,"tid":)" << i % 5 << R"(,"ts":)" << i * 7 % 60000 << R"(.125,"dur":)"
                 << i % 13 << "}";
        }
        file << "]}";
    }
    QStringList first;
    for (const int threads : {1, 2, 4}) {
        ImportOptions options;
        options.threads = threads;
        const Result<TraceSet> set = importTraces(std::array{path}, options);
        QCOMPARE(onlyFile(set).slices, std::int64_t{60000});
        QCOMPARE(onlyFile(set).rank, std::int64_t{2});
        first = first.empty() ? eventsOf(onlyFile(set)) : first;
        QVERIFY(eventsOf(onlyFile(set)) == first);
    }
}

QTEST_APPLESS_MAIN(TestChromeReader)
#include "tst_chrome_reader.moc"
