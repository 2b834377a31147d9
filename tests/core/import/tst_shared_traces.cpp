#include <QtTest>

#include "core/import/importer.h"

#include <nlohmann/json.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace
{

const fs::path traces = fs::path(SHARDSCOPE_SHARED_FOLDER) / "traces";

Json readJson(const fs::path& path)
{
    std::ifstream file(path);
    return Json::parse(file);
}

Result<TraceSet> read(const fs::path& path)
{
    return importTraces(std::array{path});
}

// The union of the times of GPU events, as INTERFACE defines "busy".
std::int64_t busyTime(const TraceStore& store)
{
    std::vector<std::pair<TraceTime, TraceTime>> spans;
    for (std::uint32_t i = 0; i < store.size(); ++i) {
        const std::string_view category = store.category(EventIndex{i});
        if (category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset")
            spans.emplace_back(store.start(EventIndex{i}), store.end(EventIndex{i}));
    }
    std::ranges::sort(spans);
    std::int64_t busy = 0;
    TraceTime end = std::numeric_limits<TraceTime>::min();
    for (const auto& [from, to] : spans) {
        busy += std::max<std::int64_t>(to - std::max(from, end), 0);
        end = std::max(end, to);
    }
    return busy;
}

} // namespace

class TestSharedTraces : public QObject
{
    Q_OBJECT

private slots:
    void damagedFilesAreReadAsFarAsTheyGo_data();
    void damagedFilesAreReadAsFarAsTheyGo();
};

void TestSharedTraces::damagedFilesAreReadAsFarAsTheyGo_data()
{
    const fs::path list = traces / "adversarial/expected.json";
    if (!fs::exists(list))
        QSKIP("the folder ../shared with recorded traces is not here");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("expected");
    const Json all = readJson(list);
    for (const auto& [name, expected] : all.items())
        QTest::newRow(name.c_str()) << QString::fromStdString(name)
                                    << QString::fromStdString(expected.dump());
}

void TestSharedTraces::damagedFilesAreReadAsFarAsTheyGo()
{
    QFETCH(QString, name);
    QFETCH(QString, expected);
    const Json want = Json::parse(expected.toStdString());
    const Result<TraceSet> set = read(traces / "adversarial" / name.toStdString());
    if (want["status"] == "reject") {
        QVERIFY(!set);
        QVERIFY(set.error().sentence.find(name.toStdString()) != std::string::npos);
        return;
    }
    QVERIFY2(set, set ? "" : set.error().sentence.c_str());
    const TraceFile& file = set.value().files[0];
    QCOMPARE(file.status, want["status"] == "ok" ? FileStatus::ok : FileStatus::recovered);
    QCOMPARE(file.warnings.empty(), file.status == FileStatus::ok);
    if (want.contains("slices"))
        QCOMPARE(file.slices, want["slices"].get<std::int64_t>());
    if (want.contains("slices_min"))
        QVERIFY(file.slices >= want["slices_min"].get<std::int64_t>());
    if (want.contains("tracks"))
        QCOMPARE(file.tracks, want["tracks"].get<std::int64_t>());
    if (want.contains("rank"))
        QCOMPARE(file.rank, want["rank"].get<std::int64_t>());
    if (want.contains("devices"))
        QCOMPARE(file.devices, want["devices"].get<std::int64_t>());
    if (want.contains("first_ts_ns"))
        QCOMPARE(file.store->firstStart(), want["first_ts_ns"].get<TraceTime>());
    if (want.contains("busy_ns"))
        QCOMPARE(busyTime(*file.store), want["busy_ns"].get<std::int64_t>());
}

QTEST_APPLESS_MAIN(TestSharedTraces)
#include "tst_shared_traces.moc"
