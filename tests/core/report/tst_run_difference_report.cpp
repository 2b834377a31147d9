#include <QTest>

#include "core/report/run_difference_report.h"

#include <nlohmann/json.hpp>

using namespace shardscope;

Q_DECLARE_METATYPE(RunDifference)

namespace
{

RunDifference slower()
{
    RunDifference difference;
    difference.before_iteration_s = 0.112;
    difference.after_iteration_s = 0.124;
    difference.before_ranks = difference.after_ranks = 8;
    difference.before_iterations = difference.after_iterations = 2;
    difference.parts = {{IterationPart::compute, Kind::unknown, 0.080, 0.0802},
                        {IterationPart::communication, Kind::tp, 0.020, 0.0227},
                        {IterationPart::idle, Kind::unknown, 0.012, 0.0211}};
    for (int i = 0; i < 30; ++i) {
        KernelChange kernel;
        kernel.name = "kernel" + std::to_string(i);
        kernel.of = EventClass::compute;
        kernel.amount.after = {4.0, 1e-3, 0.0};
        difference.kernels.push_back(kernel);
    }
    difference.notes = {"a note"};
    return difference;
}

} // namespace

class TestRunDifferenceReport : public QObject
{
    Q_OBJECT
private slots:
    void aSentenceSaysHowMuchAndOfWhat_data()
    {
        QTest::addColumn<RunDifference>("difference");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("slower, by the parts that grew")
            << slower()
            << "An iteration takes 124 ms, before 112 ms: 12 ms more (+10.7 %); idle +9.1 ms, exposed tp "
               "+2.7 ms";
        RunDifference faster;
        faster.before_iteration_s = 2.0;
        faster.after_iteration_s = 1.5;
        QTest::newRow("faster, and nothing tells why")
            << faster << "An iteration takes 1.5 s, before 2 s: 500 ms less (-25.0 %)";
        RunDifference same = faster;
        same.after_iteration_s = 2.0;
        QTest::newRow("as long") << same << "An iteration takes 2 s, before 2 s: as long";
        QTest::newRow("calls without times")
            << RunDifference{}
            << "How long an iteration takes is not told by both runs: their calls alone are compared";
    }
    void aSentenceSaysHowMuchAndOfWhat()
    {
        QFETCH(RunDifference, difference);
        QTEST(QString::fromStdString(runDifferenceSentence(difference)), "sentence");
    }

    void theTextHasTheLongestRowsAndTheJsonAll()
    {
        const QString text = QString::fromStdString(runDifferenceText(slower()));
        QVERIFY2(text.contains("before, the mean of 8 ranks over 2 iterations"), qPrintable(text));
        QVERIFY(text.contains("kernel19\n") && !text.contains("kernel20"));
        QVERIFY(text.contains("and 10 rows more"));
        QVERIFY(text.endsWith("  a note\n"));
        const auto json = nlohmann::json::parse(runDifferenceJson(slower()));
        QCOMPARE(json["kernels"].size(), std::size_t{30});
        QCOMPARE(json["kernels"][0]["before_s"].get<double>(), 0.0);
        QCOMPARE(json["parts"][1]["kind"].get<std::string>(), std::string{"tp"});
        QVERIFY(std::abs(json["added_s"].get<double>() - 0.012) < 1e-12);
    }

    void theFullestGpusMemoryIsSaidWhereItIsTold()
    {
        RunDifference difference = slower();
        QVERIFY(memorySentence(difference).empty());
        difference.allocated = {std::int64_t{1} << 30, std::int64_t{2} << 30};
        difference.reserved.after_bytes = std::int64_t{3} << 30;
        QCOMPARE(
            memorySentence(difference),
            std::string{"The fullest rank's GPU held at most: allocated 2 GiB, before 1 GiB; reserved 3 GiB, "
                        "before –"});
        const auto json = nlohmann::json::parse(runDifferenceJson(difference));
        QCOMPARE(json["peak_allocated"]["before_bytes"].get<std::int64_t>(), std::int64_t{1} << 30);
        QVERIFY(json["peak_reserved"]["before_bytes"].is_null());
    }

    void whatIsNotKnownIsNull()
    {
        RunDifference difference;
        CallsChange calls;
        difference.calls.push_back(calls);
        difference.timers.push_back({"optimizer", std::nullopt, 0.5});
        const auto json = nlohmann::json::parse(runDifferenceJson(difference));
        QVERIFY(json["before"]["iteration_s"].is_null());
        QVERIFY(json["change"].is_null());
        QVERIFY(json["calls"][0]["message_bytes"].is_null());
        QVERIFY(json["calls"][0]["group_size"].is_null());
        QVERIFY(json["calls"][0]["before_transfer_s"].is_null());
        QVERIFY(json["timers"][0]["before_s"].is_null());
        QCOMPARE(json["timers"][0]["after_s"].get<double>(), 0.5);
    }
};

QTEST_APPLESS_MAIN(TestRunDifferenceReport)
#include "tst_run_difference_report.moc"
