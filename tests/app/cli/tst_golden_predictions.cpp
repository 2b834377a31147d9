#include <QTest>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "tests/app/cli/cli_run.h"

// Each example is predicted through the command line and compared with a file of what its paper says. Such a
// file holds the part of the answer that is known: members of objects that it leaves out may be anything,
// lists are whole.
class TestGoldenPredictions : public QObject
{
    Q_OBJECT
private slots:
    void everyExampleCanBePredicted_data()
    {
        QTest::addColumn<QString>("file");
        const QDir folder{QString{SHARDSCOPE_SOURCE_FOLDER} + "/resources/examples"};
        for (const QString& name : folder.entryList({"*.scenario.json"}))
            QTest::newRow(qPrintable(name)) << folder.filePath(name);
    }
    void everyExampleCanBePredicted()
    {
        QFETCH(QString, file);
        const CliRun run = runCli({"predict", file, "--json"});
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        const QJsonDocument answer = QJsonDocument::fromJson(run.output);
        QVERIFY(!answer["scenario"]["name"].toString().isEmpty());
        QVERIFY(answer["memory"]["fits"].toBool());
        QVERIFY(runCli({"predict", file}).output.contains("Messages of each rank of stage 0"));
    }

    void examplesAgreeWithTheirPapers_data()
    {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<QString>("expected");
        const QDir folder{QString{SHARDSCOPE_SOURCE_FOLDER} + "/tests/app/cli/golden"};
        for (const QString& name : folder.entryList({"*.expected.json"})) {
            const QString stem = name.chopped(QString{".expected.json"}.size());
            QTest::newRow(qPrintable(stem))
                << QString{SHARDSCOPE_SOURCE_FOLDER} + "/resources/examples/" + stem + ".scenario.json"
                << folder.filePath(name);
        }
    }
    void examplesAgreeWithTheirPapers()
    {
        QFETCH(QString, scenario);
        QFETCH(QString, expected);
        QFile file{expected};
        QVERIFY(file.open(QIODevice::ReadOnly));
        QJsonParseError error;
        const QJsonDocument known = QJsonDocument::fromJson(file.readAll(), &error);
        QCOMPARE(error.errorString(), QJsonParseError{}.errorString());
        const CliRun run = runCli({"predict", scenario, "--json", "--matrix", "--ranks", "all"});
        QVERIFY2(run.status == 0, qPrintable(run.errors));
        QStringList differences;
        compare(known.object()["answer"], QJsonDocument::fromJson(run.output).object(), "answer",
                differences);
        QVERIFY2(differences.isEmpty(), qPrintable(differences.join('\n')));
        compareCells(known.object()["cells"].toObject(),
                     QJsonDocument::fromJson(run.output)["matrix"].toObject());
    }

private:
    static void compare(const QJsonValue& known, const QJsonValue& found, const QString& path,
                        QStringList& differences)
    {
        if (known.isObject() && found.isObject()) {
            const QJsonObject members = known.toObject();
            for (auto member = members.begin(); member != members.end(); ++member)
                compare(member.value(), found.toObject()[member.key()], path + '.' + member.key(),
                        differences);
        } else if (known.isArray() && found.isArray()) {
            const QJsonArray elements = known.toArray();
            for (int i = 0; i < elements.size(); ++i)
                compare(elements[i], found.toArray()[i], QString{"%1[%2]"}.arg(path).arg(i), differences);
        } else if (known != found) {
            differences << QString{"%1: %2, predicted %3"}.arg(path, text(known), text(found));
        }
    }

    // {"tp": [[0, 1, 89128960000], ...]}: the whole row of each sender that is named.
    static void compareCells(const QJsonObject& known, const QJsonObject& matrix)
    {
        for (auto kind = known.begin(); kind != known.end(); ++kind) {
            QSet<int> senders;
            for (const auto cell : kind.value().toArray())
                senders << cell.toArray()[0].toInt();
            QJsonArray rows;
            for (const auto cell : matrix[kind.key()].toArray())
                if (senders.contains(cell.toArray()[0].toInt()))
                    rows << cell;
            QVERIFY2(rows == kind.value().toArray(), qPrintable(kind.key() + ": " + text(rows)));
        }
    }

    static QString text(const QJsonValue& value)
    {
        return QString::fromUtf8(QJsonDocument{QJsonArray{value}}.toJson(QJsonDocument::Compact))
            .mid(1)
            .chopped(1);
    }
};

QTEST_APPLESS_MAIN(TestGoldenPredictions)
#include "tst_golden_predictions.moc"
