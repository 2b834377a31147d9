#include <QtTest>

#include "widgets/session/latest_job.h"

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

using namespace shardscope;

class TestLatestJob : public QObject
{
    Q_OBJECT

private slots:
    void theNewestAnswerAloneIsDelivered();
    void aForgottenAnswerIsNotDelivered();
    void workThatThrowsDeliversNothingAndIsTold_data();
    void workThatThrowsDeliversNothingAndIsTold();
    void anAnswerThatCanBeAnErrorIsThatOfTheFailure();
    void whatAnOlderWorkFailedOfIsNotTold();
};

void TestLatestJob::theNewestAnswerAloneIsDelivered()
{
    std::vector<int> delivered;
    LatestJob<int> job{[&](int answer) { delivered.push_back(answer); }};
    QVERIFY(!job.isRunning());
    std::atomic<bool> may_go_on = false;
    job.start([&] {
        while (!may_go_on)
            QThread::yieldCurrentThread();
        return 1;
    });
    job.start([] { return 2; });
    job.start([] { return 3; });
    QVERIFY(job.isRunning());
    may_go_on = true;
    job.finish();
    QVERIFY(!job.isRunning());
    QCOMPARE(delivered, std::vector<int>{3});
    job.start([] { return 4; });
    QTRY_COMPARE(delivered, (std::vector<int>{3, 4})); // without being waited for
}

void TestLatestJob::aForgottenAnswerIsNotDelivered()
{
    int delivered = 0;
    LatestJob<int> job{[&](int) { ++delivered; }};
    job.start([] { return 1; });
    job.forget();
    QVERIFY(!job.isRunning());
    job.finish();
    QCOMPARE(delivered, 0);
}

void TestLatestJob::workThatThrowsDeliversNothingAndIsTold_data()
{
    QTest::addColumn<bool>("is_of_memory");
    QTest::addColumn<QString>("said");
    QTest::newRow("no memory") << true << "not enough memory";
    QTest::newRow("no thread, say") << false << "the system refused what this needs: no thread";
}

void TestLatestJob::workThatThrowsDeliversNothingAndIsTold()
{
    QFETCH(bool, is_of_memory);
    QFETCH(QString, said);
    QSignalSpy told{&JobFailures::ofProgram(), &JobFailures::failed};
    int delivered = 0;
    LatestJob<int> job{[&](int answer) { delivered = answer; }};
    job.start([is_of_memory]() -> int {
        if (is_of_memory)
            throw std::bad_alloc();
        throw std::runtime_error("no thread");
    });
    job.finish();
    QVERIFY(!job.isRunning());
    QCOMPARE(delivered, 0);
    QCOMPARE(told.size(), 1);
    QVERIFY2(told[0][0].toString().contains(said), qPrintable(told[0][0].toString()));
    job.start([] { return 7; }); // and works again
    job.finish();
    QCOMPARE(delivered, 7);
}

void TestLatestJob::anAnswerThatCanBeAnErrorIsThatOfTheFailure()
{
    const QSignalSpy told{&JobFailures::ofProgram(), &JobFailures::failed};
    QString sentence;
    LatestJob<Result<int>> job{[&](const Result<int>& answer) {
        sentence = answer ? QString{} : QString::fromStdString(answer.error().sentence);
    }};
    job.start([]() -> Result<int> { throw std::bad_alloc(); });
    job.finish();
    QVERIFY2(sentence.contains("not enough memory"), qPrintable(sentence));
    QVERIFY(told.isEmpty()); // whoever asked tells it
}

void TestLatestJob::whatAnOlderWorkFailedOfIsNotTold()
{
    const QSignalSpy told{&JobFailures::ofProgram(), &JobFailures::failed};
    int delivered = 0;
    LatestJob<int> job{[&](int answer) { delivered = answer; }};
    job.start([]() -> int { throw std::bad_alloc(); });
    job.start([] { return 2; });
    job.finish();
    QCOMPARE(delivered, 2);
    QVERIFY(told.isEmpty());
}

QTEST_GUILESS_MAIN(TestLatestJob)
#include "tst_latest_job.moc"
