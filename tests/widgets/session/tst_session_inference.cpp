#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/fail_on_warnings.h"
#include "tests/widgets/session/told_notices.h"
#include "widgets/session/session.h"

#include "core/base/resources.h"

using namespace shardscope;

namespace
{

QString sampleRun()
{
    return QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2-plain");
}

// A log of a run of 12 layers on 2 * 2 ranks.
QByteArray logOfARun()
{
    return "------------------------ arguments ------------------------\n"
           "  bf16 ............................................ True\n"
           "  hidden_size ..................................... 768\n"
           "  micro_batch_size ................................ 2\n"
           "  num_attention_heads ............................. 12\n"
           "  num_layers ...................................... 12\n"
           "  params_dtype .................................... torch.bfloat16\n"
           "  pipeline_model_parallel_size .................... 2\n"
           "  seq_length ...................................... 512\n"
           "  tensor_model_parallel_size ...................... 2\n"
           "  world_size ...................................... 4\n"
           "-------------------- end of arguments ---------------------\n"
           " iteration 1/ 9 | elapsed time per iteration (ms): 2152.2 | lr: 1\n";
}

QString written(const QTemporaryDir& folder, const char* name, const QByteArray& text)
{
    QFile file{folder.filePath(name)};
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("%s cannot be written", name);
    return file.fileName();
}

Presets presets()
{
    return Presets::load(resourcesFolder() / "presets").value();
}

bool isSaid(const QSignalSpy& told, const QString& words)
{
    return std::ranges::any_of(told, [&](const QList<QVariant>& arguments) {
        return arguments.front().value<Notice>().sentence.contains(words);
    });
}

} // namespace

// Where nobody has set a scenario, that of the traces is looked for and taken.
class TestSessionInference : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void theScenarioOfTheTracesIsTakenWhereNobodyHasSetOne()
    {
        Session session{presets()};
        const Scenario by_default = session.scenario();
        const QSignalSpy told{&session, &Session::told};
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QCOMPARE(session.scenario().worldSize(), std::int64_t{8});
        QCOMPARE(session.scenario().model.hidden_size, std::int64_t{64});
        QVERIFY(isSaid(told, "all "));
        QVERIFY(isSaid(told, "that the traces show"));
        QVERIFY(!isSaid(told, "the default scenario"));
        QVERIFY(!session.isModified()); // nobody need save it
        QCOMPARE(session.content().measured->measurement.knows_all_kinds, true);
        session.undoStack().undo();
        QCOMPARE(session.scenario(), by_default);
        QTRY_VERIFY(isSaid(told, "the default scenario"));
    }

    // What is beside the run is compared with it, or not, as the sentence says.
    void aRunIsComparedWithNoScenarioThatNobodyChose()
    {
        Session session{presets()};
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QTRY_VERIFY(session.content().besideMeasured() != nullptr); // that of the traces
        session.undoStack().undo();
        QTRY_VERIFY(session.content().predicted->scenario == session.scenario());
        QVERIFY(session.content().besideMeasured() == nullptr); // the default
        Scenario own = session.scenario();
        own.parallel.data = 2;
        session.editScenario(own, "Data");
        QTRY_VERIFY(session.content().besideMeasured() != nullptr);
        QCOMPARE(session.content().besideMeasured()->scenario, own);
    }

    // Which the program shows by itself, and of a cluster and a time model of its own.
    void theFirstExampleIsNobodysEither()
    {
        Session session{presets()};
        const Scenario by_default = session.scenario();
        session.openFirst(SHARDSCOPE_SOURCE_FOLDER "/resources/examples/li-2024-table3.scenario.json");
        QVERIFY(session.scenario() != by_default);
        const QTemporaryDir folder;
        session.open({written(folder, "run.log", logOfARun())});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QCOMPARE(session.scenario().model.layers, std::int64_t{12});
        QCOMPARE(session.scenario().cluster, by_default.cluster);
        QCOMPARE(session.scenario().time_model, by_default.time_model);
    }

    void aScenarioThatSomebodyHasSetStays()
    {
        Session session{presets()};
        Scenario own = session.scenario();
        own.parallel.data = 3;
        session.editScenario(own, "Data");
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QCOMPARE(session.scenario(), own);
    }

    // The answer comes too late: somebody has moved a slider meanwhile.
    void whatIsSetWhileTheTracesAreLookedThroughStays()
    {
        Session session{presets()};
        Scenario own = session.scenario();
        own.parallel.data = 3;
        connect(&session, &Session::importEnded, this, [&] { session.editScenario(own, "Data"); });
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QCOMPARE(session.scenario(), own);
    }

    void theNextRunsScenarioTakesThePlaceOfOneThatWasFound()
    {
        const QTemporaryDir folder;
        const QString log = written(folder, "run.log", logOfARun());
        Session session{presets()};
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        session.open({log});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured->traces.files.size() == 1 && session.isSettled(),
                                 60000);
        QCOMPARE(session.scenario().model.layers, std::int64_t{12});
        QCOMPARE(session.scenario().parallel.pipeline, std::int64_t{2});
        Scenario own = session.scenario(); // from here on it is the user's
        own.parallel.zero_stage = 1;
        session.editScenario(own, "ZeRO");
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured->traces.files.size() > 1 && session.isSettled(),
                                 60000);
        QCOMPARE(session.scenario(), own);
    }

    // What was found is somebody's once it is saved: it is neither replaced nor written over.
    void aScenarioThatWasSavedStays()
    {
        const QTemporaryDir folder;
        const QString log = written(folder, "run.log", logOfARun());
        Session session{presets()};
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        const Scenario found = session.scenario();
        QVERIFY(session.save(folder.filePath("mine.scenario.json")));
        session.open({log});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured->traces.files.size() == 1 && session.isSettled(),
                                 60000);
        QCOMPARE(session.scenario().model.layers, found.model.layers);
        QVERIFY(!session.scenarioFile().isEmpty());
    }

    // Back and forth: each time it is said what the scenario is, and nothing need be saved.
    void whatIsUndoneIsSaidAgain()
    {
        Session session{presets()};
        session.openFirst(SHARDSCOPE_SOURCE_FOLDER "/resources/examples/li-2024-table3.scenario.json");
        const QSignalSpy told{&session, &Session::told};
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QVERIFY(isSaid(told, "that the traces show"));
        session.undoStack().undo();
        QTRY_VERIFY(isSaid(told, "a scenario that nobody chose, not that of these traces"));
        QVERIFY(!session.isModified());
        const qsizetype before = told.size();
        session.undoStack().redo();
        QTRY_VERIFY(told.size() > before);
        QVERIFY(told.last().front().value<Notice>().sentence.contains("that the traces show"));
        QVERIFY(!session.isModified());
    }

    void whyThereIsNoneIsSaid()
    {
        const QTemporaryDir folder;
        const QString trace = written(folder, "rank0.json", R"({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})");
        Session session{presets()};
        const QSignalSpy told{&session, &Session::told};
        session.open({trace});
        QTRY_VERIFY_WITH_TIMEOUT(session.content().measured && session.isSettled(), 60000);
        QVERIFY(isSaid(told, "the default scenario, not that of these traces: no rank shows the shapes"));
    }

    void tracesThatAreClosedTellNothingAnyMore()
    {
        Session session{presets()};
        const Scenario by_default = session.scenario();
        connect(&session, &Session::importEnded, &session, &Session::closeTraces, Qt::QueuedConnection);
        session.open({sampleRun()});
        QTRY_VERIFY_WITH_TIMEOUT(!session.isImporting() && session.isSettled(), 60000);
        QTest::qWait(50); // a late answer would come now
        QCOMPARE(session.scenario(), by_default);
    }

    void aLaunchScriptIsAScenarioOnTheClusterOnScreen()
    {
        const QTemporaryDir folder;
        const QString script = written(folder, "pretrain.sh",
                                       "torchrun --nnodes 2 --nproc-per-node 8 pretrain_gpt.py \\\n"
                                       "  --num-layers 24 --hidden-size 1024 --num-attention-heads 16 \\\n"
                                       "  --seq-length 1024 --micro-batch-size 2 --global-batch-size 64 \\\n"
                                       "  --tensor-model-parallel-size 4 --vocab-size 50257 --bf16\n");
        Session session{presets()};
        Scenario own = session.scenario();
        own.cluster = session.presets().cluster("dgx-h100")->cluster;
        session.editScenario(own, "Cluster");
        session.open({script});
        QCOMPARE(session.scenario().model.layers, std::int64_t{24});
        QCOMPARE(session.scenario().worldSize(), std::int64_t{16});
        QCOMPARE(session.scenario().name, "pretrain");
        QCOMPARE(session.scenario().cluster, own.cluster);
        QVERIFY(session.scenarioFile().isEmpty()); // Save asks for a place: the script stays as it is
        QVERIFY(!session.isModified());
    }

    void aJobOfTorchtitanIsAScenarioOnTheClusterOnScreen()
    {
        const QTemporaryDir folder;
        const QString job = written(folder, "llama.toml",
                                    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
                                    "data_parallel_shard_degree = 8\ntensor_parallel_degree = 2\n");
        Session session{presets()};
        Scenario own = session.scenario();
        own.cluster = session.presets().cluster("dgx-h100")->cluster;
        session.editScenario(own, "Cluster");
        session.open({job});
        QCOMPARE(session.scenario().model.preset, std::string{});
        QCOMPARE(session.scenario().model.hidden_size, std::int64_t{4096});
        QCOMPARE(session.scenario().worldSize(), std::int64_t{16});
        QCOMPARE(session.scenario().conventions.framework, Framework::fsdp);
        QCOMPARE(session.scenario().name, "llama");
        QCOMPARE(session.scenario().cluster, own.cluster);
        QVERIFY(session.scenarioFile().isEmpty());
        QVERIFY(!session.isModified());
    }
};

QTEST_GUILESS_MAIN(TestSessionInference)
#include "tst_session_inference.moc"
