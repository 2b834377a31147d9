#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace
{

const QString source = QStringLiteral(SHARDSCOPE_SOURCE_FOLDER);

struct Outcome {
    int status = -1;
    QString output;
    QString errors;
};

// Runs the program without any display.
Outcome run(const QStringList& arguments)
{
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        environment.remove(name);
    program.setProcessEnvironment(environment);
    program.start(QFileInfo{SHARDSCOPE_CLI}.path() + "/shardscope", arguments);
    if (!program.waitForFinished(120000) || program.exitStatus() != QProcess::NormalExit)
        return {};
    return {program.exitCode(), QString::fromUtf8(program.readAllStandardOutput()),
            QString::fromUtf8(program.readAllStandardError())};
}

} // namespace

class TestDesktop : public QObject
{
    Q_OBJECT
private slots:
    void helpAndVersionNeedNothing()
    {
        const Outcome help = run({"--help"});
        QCOMPARE(help.status, 0);
        QVERIFY(help.output.contains("--screenshot OUT.png"));
        const Outcome version = run({"--version"});
        QCOMPARE(version.status, 0);
        QVERIFY(version.output.startsWith("shardscope 0."));
    }

    void wrongUsageIsTwo_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("said");
        QTest::newRow("an option that is not there")
            << QStringList{"--screenshoot", "a.png"} << "--screenshoot";
        QTest::newRow("a value that is missing") << QStringList{"--screenshot"} << "needs a value";
        QTest::newRow("a size that is none")
            << QStringList{"--screenshot", "a.png", "--size", "big"} << "1600x1000";
        QTest::newRow("a theme that is none") << QStringList{"--theme", "blue"} << "neither light nor dark";
        QTest::newRow("a panel without a picture") << QStringList{"--panel", "memory"} << "--screenshot";
        QTest::newRow("a panel that is not there")
            << QStringList{"--screenshot", "a.png", "--panel", "nope"} << "scenario, headline, time";
    }
    void wrongUsageIsTwo()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, said);
        const Outcome outcome = run(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.errors.contains(said), qPrintable(outcome.errors));
        QCOMPARE(outcome.output, QString{});
    }

    void withoutADisplayAWindowIsRefused()
    {
        const Outcome outcome = run({});
        QCOMPARE(outcome.status, 1);
        QVERIFY(outcome.errors.contains("--screenshot"));
    }

    void theWindowIsPictured_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QSize>("size");
        QTest::newRow("as it comes") << QStringList{} << QSize{1600, 1000};
        QTest::newRow("smaller") << QStringList{"--size", "1280x720"} << QSize{1280, 720};
        QTest::newRow("dark, one panel")
            << QStringList{"--theme=dark", "--panel=memory", "--size=640x400"} << QSize{640, 400};
    }
    void theWindowIsPictured()
    {
        QFETCH(QStringList, options);
        QFETCH(QSize, size);
        const QString file = m_folder.filePath("window.png");
        const Outcome outcome = run(
            QStringList{"--screenshot", file} + options
            + QStringList{source + "/sample_traces/sample.scenario.json", source + "/sample_traces/p2t2d2"});
        QVERIFY2(outcome.status == 0, qPrintable(outcome.errors));
        QCOMPARE(QImage{file}.size(), size);
    }

    void aBadFileIsSaidAndIsOne()
    {
        const QString file = m_folder.filePath("window.png");
        const Outcome outcome = run({"--screenshot", file, m_folder.filePath("nothing.json")});
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.errors.contains("nothing.json"), qPrintable(outcome.errors));
    }

    void aPlaceThatCannotBeWrittenIsOne()
    {
        const Outcome outcome = run({"--screenshot", "/nowhere/window.png"});
        QCOMPARE(outcome.status, 1);
        QVERIFY(outcome.errors.contains("/nowhere/window.png"));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TestDesktop)
#include "tst_desktop.moc"
