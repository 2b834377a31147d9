#include <QTest>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "tests/app/cli/cli_run.h"

class TestDigestCommand : public QObject
{
    Q_OBJECT

    static QString sampleRun() { return QStringLiteral(SHARDSCOPE_SOURCE_FOLDER "/sample_traces/p2t2d2"); }

    static QByteArray contentOf(const QString& path)
    {
        QFile file{path};
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
    }

    static QJsonObject answer(const QString& path)
    {
        return QJsonDocument::fromJson(runCli({"trace", path, "--json"}).output).object();
    }

private slots:
    void aDigestAnswersAsTheFolder()
    {
        const QTemporaryDir folder;
        const QString out = folder.filePath("run.digest");
        const CliRun run = runCli({"digest", sampleRun(), "-o", out});
        QCOMPARE(run.status, 0);
        QVERIFY(run.output.startsWith("8 digests, "));
        const QJsonObject traces = answer(sampleRun());
        const QJsonObject digests = answer(out);
        for (const char* key : {"ranks", "cross_rank", "matrix", "message_histogram"}) {
            QVERIFY(traces.contains(key));
            QCOMPARE(digests[key], traces[key]);
        }
        QCOMPARE(digests["files"][0]["format"].toString(), QString("digest"));
    }

    void severalProcessesWriteTheSameFile()
    {
        const QString mpirun = QStandardPaths::findExecutable("mpirun");
        if (mpirun.isEmpty() || !SHARDSCOPE_HAS_MPI)
            QSKIP("built without MPI, or mpirun is not here");
        const QTemporaryDir folder;
        const QString alone = folder.filePath("alone.digest");
        const QString together = folder.filePath("together.digest");
        QCOMPARE(runCli({"digest", sampleRun(), "-o", alone}).status, 0);
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("OMPI_ALLOW_RUN_AS_ROOT", "1");
        environment.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        process.setProcessEnvironment(environment);
        process.start(mpirun,
                      {"--oversubscribe", "-n", "2", SHARDSCOPE_CLI, "digest", sampleRun(), "-o", together});
        QVERIFY(process.waitForFinished(60000));
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        QCOMPARE(process.readAllStandardOutput().count("digests"), 1);
        QVERIFY(contentOf(together) == contentOf(alone));
    }

    void whatIsMissingIsTold_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("no folder") << QStringList{"digest", "-o", "x"} << 2 << "digest needs one folder";
        QTest::newRow("no output") << QStringList{"digest", sampleRun()} << 2 << "digest needs -o";
        QTest::newRow("not there") << QStringList{"digest", "/nowhere", "-o", "x"} << 1 << "/nowhere: ";
        QTest::newRow("a folder to write")
            << QStringList{"digest", sampleRun(), "-o", sampleRun()} << 1 << "name a file to write";
        QTest::newRow("nowhere to write")
            << QStringList{"digest", sampleRun(), "-o", "/nowhere/x"} << 1 << "/nowhere/x: ";
    }

    void whatIsMissingIsTold()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, sentence);
        QCOMPARE(amissInRefusal(runCli(arguments), status, sentence), QString{});
    }
};

QTEST_APPLESS_MAIN(TestDigestCommand)
#include "tst_digest_command.moc"
