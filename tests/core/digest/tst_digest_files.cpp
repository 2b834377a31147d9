#include <QtTest>

#include <QTemporaryDir>

#include "core/base/file.h"
#include "core/base/protobuf_fields.h"
#include "core/digest/digest_archive.h"
#include "core/digest/digest_share.h"
#include "core/import/importer.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

using namespace shardscope;
namespace fs = std::filesystem;

namespace
{

const std::string one_event = R"([{"ph":"X","name":"a","pid":0,"tid":7,"ts":1,"dur":2}])";

void write(const fs::path& path, const std::string& content)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

std::string inflated(const std::string& bytes)
{
    std::string text(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
    text.resize(ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size()));
    return text;
}

// A device of XLA's profiler, with one event of as many microseconds as its digit.
std::string deviceRows(char digit)
{
    std::string rows = R"({"ph":"M","pid":1#,"name":"process_name","args":{"name":"/device:TPU:#"}},
{"ph":"M","pid":1#,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
{"ph":"X","pid":1#,"tid":3,"name":"fusion.1","ts":1,"dur":#},
)";
    std::ranges::replace(rows, '#', digit);
    return rows;
}

} // namespace

class TestDigestFiles : public QObject
{
    Q_OBJECT

private slots:
    void init()
    {
        m_temporary = std::make_unique<QTemporaryDir>();
        m_folder = fs::path(m_temporary->path().toStdString()) / "run";
        m_out = fs::path(m_temporary->path().toStdString()) / "run.digest";
    }

    // A file of the whole run has the name of no rank, the ranks of a layout are counted again.
    void digestsKeepWhatFoldersAndLayoutsTold_data()
    {
        QTest::addColumn<QStringList>("files");
        QTest::addColumn<QList<int>>("ranks");
        QTest::newRow("folders") << QStringList{"rank3/t.json", "rank5/t.json"} << QList<int>{3, 5};
        QTest::newRow("the folder itself") << QStringList{"t.json"} << QList<int>{7};
        QTest::newRow("a layout") << QStringList{"tp0_pp0.json", "tp1_pp0.json", "tp0_pp1.json"}
                                  << QList<int>{0, 1, 2};
    }

    void digestsKeepWhatFoldersAndLayoutsTold()
    {
        QFETCH(QStringList, files);
        m_folder = m_folder.parent_path() / "rank_7";
        for (const QString& file : files)
            write(m_folder / file.toStdString(), one_event);
        QVERIFY(writeDigests(m_out, shareOf(0, 1).digests));
        const Result<TraceSet> traces = importTraces(std::array{m_out});
        QVERIFY2(traces, traces ? "" : traces.error().sentence.c_str());
        QList<int> ranks;
        for (const TraceFile& file : traces.value().files) {
            QVERIFY(file.rank_is_known);
            QVERIFY(file.rank_guess != RankGuess::none);
            ranks << int(file.rank);
        }
        QTEST(ranks, "ranks");
    }

    void digestsOfAFileOfSeveralRanks()
    {
        std::string text = "[";
        for (char digit = '0'; digit < '4'; ++digit)
            text += deviceRows(digit);
        write(m_folder / "host0.json", text + "{}]");
        write(m_folder / "host1.json", text + "{}]");
        QVERIFY(writeDigests(m_out, shareOf(0, 1).digests));
        const Result<TraceSet> traces = importTraces(std::array{m_out});
        QVERIFY2(traces, traces ? "" : traces.error().sentence.c_str());
        QCOMPARE(traces.value().files.size(), std::size_t{8});
        for (std::size_t rank = 0; rank < 8; ++rank) {
            const TraceFile& file = traces.value().files[rank];
            QCOMPARE(file.rank, static_cast<std::int64_t>(rank));
            QVERIFY(!file.rank_is_known);
            QCOMPARE(file.path, m_out.string() + (rank < 4 ? "/host0" : "/host1")
                                    + ".json/TPU:" + std::to_string(rank % 4) + ".digest");
            QCOMPARE(file.store->duration(EventIndex{0}), TraceTime{1000 * TraceTime(rank % 4)});
        }
    }

    void oneFileOfDigestsOpensLikeTheFolder()
    {
        const std::string long_name(120, 'n');
        write(m_folder / "rank0.json", one_event);
        write(m_folder / "deeper/rank1.json", one_event);
        write(m_folder / (long_name + "_rank2.json"), one_event);
        write(m_folder / "rank3.json", R"({"traceEvents":[{"ph":)");
        write(m_folder / "README.md", "nothing\n");
        const DigestShare share = shareOf(0, 1);
        QCOMPARE(share.error, std::string());
        QCOMPARE(share.left_out, std::int64_t{1});
        QVERIFY(writeDigests(m_out, share.digests));
        const Result<TraceSet> traces = importTraces(std::array{m_out});
        QVERIFY2(traces, traces ? "" : traces.error().sentence.c_str());
        std::vector<TraceFile> files = traces.value().files;
        QCOMPARE(files.size(), std::size_t{4});
        const auto broken = std::ranges::find(files, FileStatus::rejected, &TraceFile::status);
        QVERIFY(broken != files.end());
        QVERIFY(!broken->rejection.empty());
        files.erase(broken);
        for (std::size_t rank = 0; rank < 3; ++rank) {
            QCOMPARE(files[rank].format, std::string("digest"));
            QCOMPARE(std::string(files[rank].sourceFormat()), std::string("chrome"));
            QCOMPARE(files[rank].rank, static_cast<std::int64_t>(rank));
            QCOMPARE(files[rank].slices, std::int64_t{1});
            QCOMPARE(files[rank].store->duration(EventIndex{0}), TraceTime{2000});
        }
        QCOMPARE(files[2].path, m_out.string() + "/" + long_name + "_rank2.json.digest");
    }

    void aFolderOfDigestsOpensLikeTheTraces()
    {
        write(m_folder / "rank0.json", one_event);
        write(m_folder / "rank1.json", one_event);
        for (const NamedDigest& digest : shareOf(0, 1).digests)
            write(m_folder / "digests" / digest.name, digest.bytes);
        const Result<TraceSet> traces = importTraces(std::array{m_folder / "digests"});
        QVERIFY(traces);
        QCOMPARE(traces.value().files.size(), std::size_t{2});
        QCOMPARE(traces.value().files[1].rank, std::int64_t{1});
    }

    void sharesMakeTheSameFileAsOneProcess()
    {
        for (int rank = 0; rank < 7; ++rank)
            write(m_folder / ("rank" + std::to_string(rank) + ".json"), one_event);
        QVERIFY(writeDigests(m_out, shareOf(0, 1).digests));
        const std::string alone = contentOf(m_out);
        std::vector<DigestShare> shares;
        for (std::size_t i = 0; i < 3; ++i)
            shares.push_back(decodeShare(encodeShare(shareOf(i, 3))));
        QVERIFY(writeDigests(m_out, mergeShares(shares).digests));
        QVERIFY(contentOf(m_out) == alone);
    }

    void aShareMayBeEmptyButNotAll()
    {
        write(m_folder / "rank0.json", one_event);
        QVERIFY(shareOf(1, 2).error.empty());
        QVERIFY(mergeShares({shareOf(0, 2), shareOf(1, 2)}).error.empty());
        QVERIFY(!mergeShares({shareOf(1, 2)}).error.empty());
        QVERIFY(shareOf(0, 1).error.empty());
    }

    void theFileThatIsWrittenIsNoTraceOfTheFolder()
    {
        m_out = m_folder / "all.digest";
        write(m_folder / "rank0.json", one_event);
        for (int round = 0; round < 2; ++round) {
            const DigestShare share = shareOf(0, 1);
            QCOMPARE(share.digests.size(), std::size_t{1});
            QVERIFY(writeDigests(m_out, share.digests));
        }
    }

    void aDamagedDigestIsRefused()
    {
        write(m_folder / "rank0.json", one_event);
        const std::string good = inflated(shareOf(0, 1).digests[0].bytes);
        QVERIFY(read(good));
        QVERIFY(!read(good.substr(0, good.size() - 3)));
        for (std::size_t at = 19; at < good.size(); ++at) { // behind the word by which it is known
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ 0x5a);
            if (const auto traces = read(bad); !traces)
                QVERIFY(traces.error().sentence.find("digest") != std::string::npos);
        }
    }

    void aNewerDigestIsRefusedWithItsReason()
    {
        ProtoFieldWriter message;
        message(1, std::string_view("shardscope digest"));
        message(2, 99);
        const auto traces = read(message.bytes());
        QVERIFY(!traces);
        QVERIFY(traces.error().sentence.find("newer version") != std::string::npos);
    }

private:
    DigestShare shareOf(std::size_t share, std::size_t shares) const
    {
        ImportOptions options;
        options.share = share;
        options.shares = shares;
        return digestFolder(m_folder, m_out, ClassificationRules::shipped(), options);
    }

    Result<TraceSet> read(const std::string& message) const
    {
        write(m_out, message);
        return importTraces(std::array{m_out});
    }

    static std::string contentOf(const fs::path& path)
    {
        return readFile(path, std::uintmax_t{1} << 30).value();
    }

    std::unique_ptr<QTemporaryDir> m_temporary;
    fs::path m_folder;
    fs::path m_out;
};

QTEST_APPLESS_MAIN(TestDigestFiles)
#include "tst_digest_files.moc"
