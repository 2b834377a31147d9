#include <QTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/report/trace_report.h"
#include "core/report/unfinished_report.h"

using namespace shardscope;

class TestUnfinishedReport : public QObject
{
    Q_OBJECT

    using Ranks = std::vector<std::int64_t>;

    static UnfinishedCollective row()
    {
        UnfinishedCollective row;
        row.group = "72";
        row.description = "EXPERT_MODEL_PARALLEL_GROUP";
        row.ranks = {8, 9, 10, 11, 12, 13, 14, 15};
        row.name = "all_to_all";
        row.message_bytes = 20971520;
        row.sequence = 123;
        return row;
    }

    static Measurement measured(std::vector<UnfinishedCollective> rows)
    {
        Measurement measurement;
        measurement.unfinished = std::move(rows);
        return measurement;
    }

private slots:
    void oneSentenceTellsTheLikelyCause_data()
    {
        QTest::addColumn<UnfinishedCollective>("row");
        QTest::addColumn<QString>("sentence");
        const QString call = "all_to_all of EXPERT_MODEL_PARALLEL_GROUP (sequence 123)";
        UnfinishedCollective missing = row();
        missing.missing = {9, 14};
        QTest::newRow("ranks are missing")
            << missing << call + " waits for ranks 9 and 14, whose dumps end before it";
        missing.missing = {9, 10, 11, 14};
        QTest::newRow("neighbours are missing")
            << missing << call + " waits for ranks 9 to 11 and 14, whose dumps end before it";
        missing.missing = {12};
        missing.lagging = {12, 14};
        QTest::newRow("ranks lag as well")
            << missing
            << call
                   + " waits for rank 12, whose dump ends before it; ranks 12 and 14 have not completed what "
                     "others of the group have";
        UnfinishedCollective other = row();
        other.no_dump = {9};
        QTest::newRow("a dump is missing")
            << other << call + " did not complete; of rank 9 there is no dump that can be read";
        other.no_dump.clear();
        other.differing = {8};
        QTest::newRow("another operation")
            << other << call + " did not complete; rank 8 calls another operation instead";
        QTest::newRow("all are there")
            << row() << call + " did not complete, though all of its ranks have called it";
        UnfinishedCollective unnamed = row();
        unnamed.description.clear();
        QTest::newRow("a group without a description") << unnamed
                                                       << "all_to_all of group 72 (sequence 123) did not "
                                                          "complete, though all of its ranks have called it";
    }

    void oneSentenceTellsTheLikelyCause()
    {
        QFETCH(UnfinishedCollective, row);
        const Measurement measurement = measured({row});
        QTEST(QString::fromStdString(unfinishedSentence(measurement)), "sentence");
        QVERIFY(unfinishedText(measurement).find(unfinishedSentence(measurement)) != std::string::npos);
    }

    void nothingIsToldWhereAllHasCompleted()
    {
        QCOMPARE(unfinishedSentence({}), std::string());
        QCOMPARE(unfinishedText({}), std::string());
        QVERIFY(traceJson({}, {}).find("unfinished") == std::string::npos);
    }

    void theSummaryHasEveryRow()
    {
        UnfinishedCollective later = row();
        later.follows = 0;
        later.last_completed = 122;
        const std::string text = traceJson({}, measured({row(), later}));
        const QJsonArray rows =
            QJsonDocument::fromJson(QByteArray::fromStdString(text)).object()["unfinished"].toArray();
        QCOMPARE(rows.size(), qsizetype{2});
        QCOMPARE(rows[0]["sequence"].toInteger(), qint64{123});
        QVERIFY(rows[0]["follows"].isNull());
        QVERIFY(rows[0]["last_completed"].isNull());
        QCOMPARE(rows[1]["follows"].toInteger(-1), qint64{0});
        QCOMPARE(rows[1]["last_completed"].toInteger(), qint64{122});
        QCOMPARE(rows[1]["ranks"].toArray().size(), qsizetype{8});
    }

    void theTextNamesThoseThatAreLeftOut()
    {
        const Measurement many = measured(std::vector<UnfinishedCollective>(23, row()));
        QVERIFY(unfinishedText(many).find("and 3 groups more") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestUnfinishedReport)
#include "tst_unfinished_report.moc"
