#include <QSignalSpy>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/session/told_notices.h"
#include "widgets/session/session.h"

#include "core/base/resources.h"
#include "core/inference/infer.h"

using namespace shardscope;

// What traces and the open scenario have to do with each other.
class TestTracesOfAScenario : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    // It stays the run's whatever is done to the one on screen.
    void theScenarioWhoseMessagesARunSendsIsTheRuns()
    {
        const QDir sample{QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces")};
        Session session{Presets::load(SHARDSCOPE_SOURCE_FOLDER "/resources/presets").value()};
        Scenario other = session.scenario();
        other.model.layers = 2;
        session.editScenario(other, "Layers");
        session.open({sample.filePath("p2t2d2")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QVERIFY(!session.content().measured->scenario);
        session.open({sample.filePath("sample.scenario.json")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured->scenario, 60000);
        Scenario moved = session.scenario();
        const Scenario of_run = moved;
        moved.parallel.rank_order = {Dimension::tp, Dimension::cp, Dimension::ep, Dimension::pp,
                                     Dimension::dp};
        moved.model.hidden_size *= 2;
        session.editScenario(moved, "Hidden size");
        const auto before = session.content().measured;
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured != before && session.isSettled(), 60000);
        QCOMPARE(*session.content().measured->scenario, of_run);
    }

    void tracesOfAnotherRunThanTheScenariosAreTold_data()
    {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("times");
        QTest::newRow("eight ranks, two GPUs") << 2 << 1;
        QTest::newRow("eight ranks, eight GPUs") << 8 << 0;
    }
    void tracesOfAnotherRunThanTheScenariosAreTold()
    {
        QFETCH(int, pipeline);
        QFETCH(int, times);
        Session session{Presets{}};
        Scenario scenario = session.scenario();
        scenario.parallel.pipeline = pipeline;
        session.editScenario(scenario, "Pipeline");
        const QSignalSpy told{&session, &Session::told};
        session.open({QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2")});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured, 60000);
        scenario.parallel.sequence_parallel = !scenario.parallel.sequence_parallel;
        session.editScenario(scenario, "Sequence parallel"); // analysed again, not told again
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QCOMPARE(noticesWith(told, Offer::what_traces_show, Severity::warning).size(), times);
    }

    // Nothing but the layout tells the kinds of these calls: what they were is known while others are tried,
    // also where one comes before the analysis with the one before has ended.
    void kindsThatTheLayoutToldAreNotForgotten_data()
    {
        QTest::addColumn<bool>("waits");
        QTest::newRow("one after the other") << true;
        QTest::newRow("at once") << false;
    }
    void kindsThatTheLayoutToldAreNotForgotten()
    {
        QFETCH(bool, waits);
        const QDir samples{QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces")};
        Session session{Presets::load(resourcesFolder() / "presets").value()};
        session.open({samples.filePath("sample.scenario.json")});
        session.open({samples.filePath("p2t2d2-plain")});
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        const auto knowsKinds = [&] { return session.content().measured->measurement.knows_all_kinds; };
        QVERIFY(knowsKinds());
        Scenario other = session.scenario();
        for (const std::int64_t tensor : {4, 1}) {
            other.parallel.tensor = tensor;
            session.editScenario(other, "Tensor");
            if (waits)
                QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        }
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QVERIFY(knowsKinds());
        QVERIFY(session.content().measured->measurement.is_of_known_layout);
        session.open({samples.filePath("p2t2d2-plain")}); // read anew, and nothing told these
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QVERIFY(!knowsKinds());
    }

    void tracesOfAnotherMappingAreToldAndTaken()
    {
        const QString folder = QStringLiteral(SHARDSCOPE_SHARED_FOLDER "/rig/traces/p2t2d2-custom");
        if (!QFileInfo::exists(folder))
            QSKIP("the shared traces are not there");
        Session session{Presets::load(resourcesFolder() / "presets").value()};
        session.open({QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/sample.scenario.json")});
        const QSignalSpy told{&session, &Session::told};
        session.open({folder});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QCOMPARE(noticesWith(told, Offer::mapping_of_traces, Severity::warning).size(), 1);
        const auto order = session.content().measured->measurement.other_order;
        QVERIFY(order);
        Scenario what_if = session.scenario(); // of the same mapping: what was said still holds
        what_if.training.global_batch_size *= 2;
        session.editScenario(what_if, "Batch");
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QCOMPARE(session.content().measured->measurement.other_order, order);
        QCOMPARE(noticesWith(told, Offer::mapping_of_traces, Severity::warning).size(), 1);
        const QSignalSpy outdated{&session, &Session::outdated};
        session.takeMapping();
        QCOMPARE(session.scenario().parallel.rank_order, *order);
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QVERIFY(!session.content().measured->measurement.other_order);
        const auto isOfMapping = [](const QList<QVariant>& one) {
            return one[0].value<Topic>() == Topic::mapping;
        };
        QCOMPARE(std::ranges::count_if(outdated, isOfMapping), 1);
    }

    // Replicas send the same whatever their batch: an edit of it does not make the run's scenario another.
    void anEditThatChangesNoMessageIsNotTakenForTheRuns()
    {
        const QString folder = QStringLiteral(SHARDSCOPE_SHARED_FOLDER "/rig/traces/d4-flat");
        if (!QFileInfo::exists(folder))
            QSKIP("the shared traces are not there");
        Session session{Presets::load(resourcesFolder() / "presets").value()};
        session.open({folder});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        const auto shown = inferScenario(session.content().measured->traces, ClassificationRules::shipped(),
                                         session.presets());
        QVERIFY2(shown, shown ? "" : shown.error().sentence.c_str());
        Scenario edited = shown.value().scenario;
        session.editScenario(edited, "What the traces show");
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QVERIFY(session.content().measured->scenario);
        const std::int64_t batch = edited.training.global_batch_size;
        edited.training.micro_batch_size *= 2;
        edited.training.global_batch_size *= 2;
        session.editScenario(edited, "Batch");
        QTRY_VERIFY_WITH_TIMEOUT(session.isSettled(), 60000);
        QCOMPARE(session.content().measured->scenario->training.global_batch_size, batch);
    }
};

QTEST_GUILESS_MAIN(TestTracesOfAScenario)
#include "tst_traces_of_a_scenario.moc"
