#include <QtTest>

#include "core/base/side_by_side.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <new>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

using namespace shardscope;

namespace
{

// While it lives the process gets next to no memory: too little for the stack of a thread.
class NoMemoryLeft
{
public:
    NoMemoryLeft()
    {
        getrlimit(RLIMIT_AS, &m_before);
        rlim_t pages = 0;
        std::ifstream{"/proc/self/statm"} >> pages;
        constexpr rlim_t some_bytes = 1 << 20;
        rlimit limit = m_before;
        limit.rlim_cur = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + some_bytes;
        setrlimit(RLIMIT_AS, &limit);
    }
    NoMemoryLeft(const NoMemoryLeft&) = delete;
    NoMemoryLeft& operator=(const NoMemoryLeft&) = delete;
    ~NoMemoryLeft() { setrlimit(RLIMIT_AS, &m_before); }

private:
    rlimit m_before{};
};

} // namespace

class TestSideBySide : public QObject
{
    Q_OBJECT

private slots:
    void eachShareIsWorkedOnOnce();
    void whatAShareThrowsReachesTheCaller_data();
    void whatAShareThrowsReachesTheCaller();
    void whereNoThreadCanBeStartedTheCallerDoesAll();
};

void TestSideBySide::eachShareIsWorkedOnOnce()
{
    std::array<std::atomic<int>, 16> done{};
    runSideBySide(done.size(), [&](std::size_t share) { ++done[share]; });
    for (const std::atomic<int>& times : done)
        QCOMPARE(times.load(), 1);
    runSideBySide(0, [](std::size_t) { qFatal("there is nothing to do"); });
}

void TestSideBySide::whatAShareThrowsReachesTheCaller_data()
{
    QTest::addColumn<int>("thrower");
    QTest::newRow("on the caller's thread") << 0;
    QTest::newRow("on another") << 3;
}

void TestSideBySide::whatAShareThrowsReachesTheCaller()
{
    QFETCH(int, thrower);
    std::atomic<int> others = 0;
    const auto work = [&](std::size_t share) {
        if (share == static_cast<std::size_t>(thrower))
            throw std::bad_alloc();
        ++others;
    };
    QVERIFY_THROWS_EXCEPTION(std::bad_alloc, runSideBySide(4, work));
    QCOMPARE(others.load(), 3); // and all are through
}

// The C library keeps the stacks of a few threads that have ended: some of so many find one.
void TestSideBySide::whereNoThreadCanBeStartedTheCallerDoesAll()
{
    std::array<std::atomic<int>, 64> done{};
    std::atomic<int> here = 0;
    {
        const NoMemoryLeft limit;
        runSideBySide(done.size(), [&, caller = std::this_thread::get_id()](std::size_t share) {
            ++done[share];
            here += std::this_thread::get_id() == caller ? 1 : 0;
        });
    }
    QVERIFY(std::ranges::all_of(done, [](const std::atomic<int>& times) { return times == 1; }));
    QVERIFY(here > 1);
}

QTEST_APPLESS_MAIN(TestSideBySide)
#include "tst_side_by_side.moc"
