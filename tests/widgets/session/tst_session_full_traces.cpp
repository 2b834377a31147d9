#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "widgets/session/session.h"

#include <algorithm>

using namespace shardscope;

namespace
{

constexpr int rank_count = 70; // so many are read as digests

QByteArray traceText()
{
    QByteArrayList events;
    for (int i = 0; i < 40; ++i)
        events << R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)"
                      + QByteArray::number(3 * i) + R"(,"dur":2,"args":{"stream":7}})";
    return '[' + events.join(',') + ']';
}

} // namespace

class TestSessionFullTraces : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        failOnWarnings();
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_CACHE_HOME", m_folder->filePath("cache").toUtf8());
        QVERIFY(QDir{m_folder->path()}.mkpath("run"));
        for (int rank = 0; rank < rank_count; ++rank) {
            QFile file{pathOf(rank)};
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(traceText());
        }
        m_session = std::make_unique<Session>(Presets{});
        m_session->open({m_folder->filePath("run")});
        QTRY_VERIFY_WITH_TIMEOUT(m_session->content().measured && m_session->isSettled(), 60000);
        QCOMPARE(digests(), rank_count);
    }

    void aRankIsReadInFull()
    {
        const QSignalSpy started{m_session.get(), &Session::importStarted};
        const QSignalSpy ended{m_session.get(), &Session::importEnded};
        const QSignalSpy opened{m_session.get(), &Session::opened};
        m_session->readInFull({pathOf(3)});
        QCOMPARE(started.count(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        QCOMPARE(digests(), rank_count - 1);
        const auto& files = m_session->content().measured->traces.files;
        QCOMPARE(files.at(3).rank, std::int64_t{3});
        QVERIFY(!files.at(3).digest);
        QCOMPARE(files.at(3).store->size(), std::size_t{40});
        QVERIFY(m_session->content().measured->measurement.ranks.size() == std::size_t{rank_count});
        QCOMPARE(opened.count(), 0); // nothing new for the list of recent files
    }

    void aTraceThatIsGoneIsToldAndTheRunStays()
    {
        const auto before = m_session->content().measured;
        const QSignalSpy failed{m_session.get(), &Session::failed};
        QVERIFY(QFile::remove(pathOf(5)));
        m_session->readInFull({pathOf(5)});
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 60000);
        QVERIFY(failed.front().front().toString().startsWith("rank5.json is not at "));
        QCOMPARE(m_session->content().measured, before);
        QVERIFY(!m_session->isImporting());
    }

    void itCanBeCancelled()
    {
        const auto before = m_session->content().measured;
        m_session->readInFull({pathOf(1), pathOf(2)});
        QVERIFY(m_session->isImporting());
        m_session->cancelImport();
        QVERIFY(!m_session->isImporting());
        QTRY_VERIFY_WITH_TIMEOUT(m_session->isSettled(), 60000);
        QCOMPARE(m_session->content().measured, before);
    }

private:
    QString pathOf(int rank) const { return m_folder->filePath(QString{"run/rank%1.json"}.arg(rank)); }
    int digests() const
    {
        return int(std::ranges::count_if(m_session->content().measured->traces.files,
                                         [](const TraceFile& file) { return file.digest != nullptr; }));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Session> m_session;
};

QTEST_GUILESS_MAIN(TestSessionFullTraces)
#include "tst_session_full_traces.moc"
