#include <QTest>

#include "core/scenario/deepspeed/batch_sizes.h"
#include "core/scenario/deepspeed/deepspeed_settings.h"
#include "core/scenario/validation/validation.h"

using namespace shardscope;

// The sizes of a batch as DeepSpeed works them out (deepspeed/runtime/config.py), on four replicas of three
// micro-batches with two samples where nothing else is told.
class TestBatchSizes : public QObject
{
    Q_OBJECT
private slots:
    void whatIsLeftOutFollows_data()
    {
        QTest::addColumn<int>("train"); // 0: left out, -1: "auto"
        QTest::addColumn<int>("micro");
        QTest::addColumn<int>("passes");
        QTest::addColumn<QList<int>>("expected"); // replicas, micro, global
        const auto row = [](const char* name, int train, int micro, int passes, QList<int> expected) {
            QTest::newRow(name) << train << micro << passes << expected;
        };
        row("passes", 64, 8, 0, {4, 8, 64});
        row("the micro-batch", 64, 0, 2, {4, 8, 64});
        row("the whole", 0, 8, 3, {4, 8, 96});
        row("all but the whole: one pass", 64, 0, 0, {4, 16, 64});
        row("all but the micro-batch: one pass", 0, 8, 0, {4, 8, 32});
        row("all three tell the replicas", 64, 2, 2, {16, 2, 64});
        row("all three, of one replica", 64, 64, 1, {1, 64, 64});
        row("nothing", 0, 0, 0, {4, 2, 24});
        row("all auto", -1, -1, -1, {4, 2, 24});
        row("a micro-batch among auto ones", -1, 8, -1, {4, 8, 96});
        row("passes among auto ones", -1, -1, 5, {4, 2, 40});
        row("a whole among auto ones", 48, -1, -1, {4, 2, 48});
        row("a whole and passes, the micro-batch is auto", 48, -1, 2, {4, 6, 48});
        row("too few samples for the replicas", 2, 1, 0, {4, 1, 4});
        row("samples that are left over", 70, 8, 0, {4, 8, 64});
        row("three that do not fit", 70, 8, 2, {4, 8, 64});
        row("sizes without sense", 999'999'999, 999'999'999, 1, {1, 999'999'999, 999'999'999});
    }
    void whatIsLeftOutFollows()
    {
        QFETCH(int, train);
        QFETCH(int, micro);
        QFETCH(int, passes);
        QFETCH(QList<int>, expected);
        const Scenario before = fourReplicas();
        Scenario scenario = before;
        std::vector<std::string> notes;
        setBatch(scenario, before, settingsOf(train, micro, passes), notes);
        const QList<int> taken{int(scenario.parallel.data), int(scenario.training.micro_batch_size),
                               int(scenario.training.global_batch_size)};
        QCOMPARE(taken, expected);
        QVERIFY(taken[2] % (taken[1] * qint64(taken[0])) == 0);
    }

    void whatDeepSpeedRefusesIsSaid_data()
    {
        QTest::addColumn<int>("train");
        QTest::addColumn<int>("micro");
        QTest::addColumn<int>("passes");
        QTest::addColumn<QString>("note");
        QTest::newRow("a remainder")
            << 70 << 8 << 0
            << "train_batch_size 70 is not 8 samples of a micro-batch on 4 replicas a whole number of times; "
               "64 is taken.";
        QTest::newRow("three that do not fit") << 70 << 8 << 2
                                               << "train_batch_size 70 is no multiple of 8 samples of a "
                                                  "micro-batch in 2 passes, which DeepSpeed "
                                                  "refuses; 64 is taken.";
        QTest::newRow("nobody tells the replicas")
            << 64 << 8 << 0 << "On how many GPUs it runs is not told; 4 replicas are taken.";
    }
    void whatDeepSpeedRefusesIsSaid()
    {
        QFETCH(int, train);
        QFETCH(int, micro);
        QFETCH(int, passes);
        QFETCH(QString, note);
        Scenario scenario = fourReplicas();
        std::vector<std::string> notes;
        setBatch(scenario, fourReplicas(), settingsOf(train, micro, passes), notes);
        QVERIFY(!notes.empty());
        QVERIFY2(QString::fromStdString(notes.back()).endsWith(note), notes.back().c_str());
    }

    void oneReplicaIsOne()
    {
        Scenario scenario = fourReplicas();
        scenario.parallel.data = 1;
        const Scenario before = scenario;
        std::vector<std::string> notes;
        setBatch(scenario, before, settingsOf(3, 2, 0), notes);
        QCOMPARE(notes.back(),
                 std::string{"train_batch_size 3 is not 2 samples of a micro-batch on 1 replica a "
                             "whole number of times; 2 is taken."});
    }

    void threeThatFitNeedNoWord()
    {
        Scenario scenario = fourReplicas();
        std::vector<std::string> notes;
        setBatch(scenario, fourReplicas(), settingsOf(64, 2, 2), notes);
        QVERIFY(notes.empty());
    }

    // A scenario on screen may be one that cannot be.
    void scenariosThatNobodyHasValidatedAreNoDanger()
    {
        for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-5}, std::int64_t{1} << 62}) {
            Scenario scenario = fourReplicas();
            scenario.parallel.data = size;
            scenario.training.micro_batch_size = size;
            scenario.training.global_batch_size = size;
            std::vector<std::string> notes;
            const Scenario before = scenario;
            setBatch(scenario, before, settingsOf(-1, -1, -1), notes);
            QVERIFY(scenario.training.micro_batch_size > 0);
            QVERIFY(scenario.training.global_batch_size > 0);
            QVERIFY(scenario.parallel.data > 0);
        }
    }

private:
    static Scenario fourReplicas()
    {
        Scenario scenario;
        scenario.parallel.data = 4;
        scenario.training.micro_batch_size = 2;
        scenario.training.global_batch_size = 24;
        return scenario;
    }

    static DeepSpeedSettings settingsOf(int train, int micro, int passes)
    {
        DeepSpeedSettings settings;
        const auto size = [](int asked) {
            return asked > 0 ? std::optional<std::int64_t>{asked} : std::nullopt;
        };
        settings.train_batch = size(train);
        settings.micro_batch = size(micro);
        settings.accumulation = size(passes);
        settings.is_train_batch_auto = train < 0;
        settings.is_micro_batch_auto = micro < 0;
        settings.is_accumulation_auto = passes < 0;
        return settings;
    }
};

QTEST_APPLESS_MAIN(TestBatchSizes)
#include "tst_batch_sizes.moc"
