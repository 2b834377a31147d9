#include <QTest>

#include "core/sweep/given_speedups.h"

#include <cmath>

using namespace shardscope;

namespace
{

// Weak scaling: as many sequences as GPUs.
SweepPoint point(std::int64_t gpus, double compute_s, double communication_s)
{
    SweepPoint point;
    point.world_size = gpus;
    point.scenario.training.global_batch_size = gpus;
    TimePrediction& time = point.time;
    time.exposed_communication_s = communication_s;
    time.iteration_s = compute_s + communication_s;
    time.communication_ratio = communication_s / time.iteration_s;
    time.tokens_per_s = static_cast<double>(gpus) * 1000.0 / time.iteration_s;
    return point;
}

bool isNear(double a, double b)
{
    return std::fabs(a - b) < 1e-9;
}

} // namespace

// Cheng et al. 2024, Fig. 15: what the network alone explains, beside what was measured.
class TestGivenSpeedups : public QObject
{
    Q_OBJECT
private slots:
    void pairsAreReadAsPeopleWriteThem_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("commas") << "64 7.1, 128 13.4";
        QTest::newRow("lines and colons") << " 64: 7.1\n128:13.4\n";
        QTest::newRow("any order") << "128=13.4; 64 = 7.1;";
        QTest::newRow("windows") << "64\t7.1\r\n128\t13.4\r\n";
    }
    void pairsAreReadAsPeopleWriteThem()
    {
        QFETCH(QString, text);
        const auto given = readSpeedups(text.toStdString());
        QVERIFY2(given, given ? "" : given.error().sentence.c_str());
        QVERIFY((given.value() == std::vector<GivenSpeedup>{{64, 7.1}, {128, 13.4}}));
    }

    void mistakesAreExplained_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("one number") << "64 7.1, 128"
                                    << "\"128\" is no number of GPUs";
        QTest::newRow("no number") << "many 7"
                                   << "\"many 7\" is no";
        QTest::newRow("nothing gained") << "64 0"
                                        << "\"64 0\"";
        QTest::newRow("three") << "64 7 8"
                               << "\"64 7 8\"";
        QTest::newRow("infinite") << "64 inf"
                                  << "\"64 inf\"";
        QTest::newRow("twice") << "64 1, 64 2"
                               << "64 GPUs are given twice";
    }
    void mistakesAreExplained()
    {
        QFETCH(QString, text);
        QFETCH(QString, sentence);
        const auto given = readSpeedups(text.toStdString());
        QVERIFY(!given);
        QVERIFY2(QString::fromStdString(given.error().sentence).contains(sentence),
                 given.error().sentence.c_str());
    }

    void nothingIsNoMistake()
    {
        QVERIFY(readSpeedups("").value().empty());
        QVERIFY(readSpeedups(" ,\n").value().empty());
        QVERIFY(compareSpeedups({}, {point(8, 3.0, 1.0)}).rows.empty());
    }

    // At 16 GPUs compute 3 s, communication 1 s; at 64 communication takes 2 s, an efficiency of 50 %. Both
    // the prediction and the estimate are 4 * 4/5 = 3.2; measured were 1200 of 400 tokens a second, 3 times.
    void allStandAgainstTheFirstThatBothHave()
    {
        const auto compared = compareSpeedups(
            {{4, 90.0}, {16, 400.0}, {64, 1200.0}},
            {point(8, 3.0, 0.5), point(16, 3.0, 1.0), point(32, 3.0, 1.5), point(64, 3.0, 2.0)});
        QCOMPARE(compared.rows.size(), std::size_t{2});
        QCOMPARE(compared.rows[0].gpus, std::int64_t{16});
        QCOMPARE(compared.rows[0].given, 1.0);
        QCOMPARE(compared.rows[0].predicted, 1.0);
        QVERIFY(isNear(compared.rows[1].given, 3.0));
        QVERIFY(isNear(compared.rows[1].predicted, 3.2));
        QVERIFY(isNear(*compared.rows[1].estimated, 3.2));
        QVERIFY(isNear(*compared.error_predicted, 3.2 / 3.0 - 1.0));
        QVERIFY(isNear(*compared.error_estimated, 3.2 / 3.0 - 1.0));
    }

    void oneAloneHasNoError()
    {
        const auto compared = compareSpeedups({{8, 5.0}}, {point(8, 3.0, 1.0), point(16, 3.0, 1.0)});
        QCOMPARE(compared.rows.size(), std::size_t{1});
        QVERIFY(!compared.error_predicted);
    }
};

QTEST_APPLESS_MAIN(TestGivenSpeedups)
#include "tst_given_speedups.moc"
