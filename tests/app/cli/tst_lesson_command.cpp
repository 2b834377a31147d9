#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/app/cli/cli_run.h"

// `shardscope-cli lesson` as teachers and scripts call it.
class TestLessonCommand : public QObject
{
    Q_OBJECT
private slots:
    void withoutANameAllLessonsAreListed()
    {
        const CliRun run = runCli({"lesson"});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.errors, QString{});
        for (const char* key : {"01-what-a-gpu-holds: ", "02-tensor-parallelism: ", "03-pipelines: ",
                                "04-data-parallelism: ", "05-mixture-of-experts: ", "06-long-sequences: ",
                                "07-zero-bubble: ", "08-recomputation: ", "09-hybrid-models: "})
            QVERIFY2(run.output.contains(key), key);
        const QJsonArray lessons = jsonOf({"lesson", "--json"})["lessons"].toArray();
        QVERIFY(lessons.size() >= 6);
        QCOMPARE(lessons[2].toObject()["key"].toString(), "03-pipelines");
        for (const QJsonValue& lesson : lessons)
            for (const char* key : {"key", "title", "about"})
                QVERIFY(!lesson.toObject()[key].toString().isEmpty());
    }

    void aLessonIsATeachersSheet_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("its title") << QByteArray{"What a GPU holds\n"};
        QTest::newRow("the change") << QByteArray{"   change:  zero_stage 0 → 1"};
        QTest::newRow("the choices") << QByteArray{"   choices: 1/8 (right) · 1/2 · the same · 2 x\n"};
        QTest::newRow("the answer") << QByteArray{
            "   answer:  optimizer states on the fullest GPU: 75.3 GiB → 9.4"};
        QTest::newRow("why") << QByteArray{"   because: Before, all d = 8 replicas"};
        QTest::newRow("the last question") << QByteArray{"\n6. And what does that cost?"};
    }
    void aLessonIsATeachersSheet()
    {
        QFETCH(QByteArray, line);
        static const CliRun run = runCli({"lesson", "01-what-a-gpu-holds"});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.output.contains(line), run.output.constData());
    }

    void programsGetTheFigures()
    {
        const QJsonObject lesson = jsonOf({"lesson", "what-a-gpu-holds", "--json"});
        QCOMPARE(lesson["key"].toString(), "01-what-a-gpu-holds");
        const QJsonObject step = lesson["steps"].toArray()[0].toObject();
        QCOMPARE(step["figure"].toString(), "optimizer_bytes");
        QCOMPARE(step["factor"].toDouble(), 0.125);
        QCOMPARE(step["after"].toDouble() / step["before"].toDouble(), 0.125);
        QCOMPARE(step["choices"].toArray()[step["right"].toInt()].toDouble(), 0.125);
        QCOMPARE(step["changes"].toArray()[0].toObject()["key"].toString(), "zero_stage");
        QCOMPARE(step["picture"].toString(), "memory");
        QVERIFY(!step.contains("problem"));
    }

    void linesAreOfAPagesWidth()
    {
        for (const QByteArray& line : runCli({"lesson", "pipelines"}).lines())
            QVERIFY2(line.size() <= 100, line.constData());
    }

    void mistakesAreToldInASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("part");
        QTest::newRow("no such lesson") << QStringList{"pipelin"} << "the nearest one is pipelines";
        QTest::newRow("two lessons") << QStringList{"pipelines", "long-sequences"} << "takes one name";
        QTest::newRow("wrong option") << QStringList{"--jsn"} << "nearest one is --json";
    }
    void mistakesAreToldInASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QString, part);
        QCOMPARE(amissInRefusal(runCli(QStringList{"lesson"} + arguments), 2, part), QString{});
    }

private:
    static QJsonObject jsonOf(const QStringList& arguments)
    {
        return QJsonDocument::fromJson(runCli(arguments).output).object();
    }
};

QTEST_APPLESS_MAIN(TestLessonCommand)
#include "tst_lesson_command.moc"
