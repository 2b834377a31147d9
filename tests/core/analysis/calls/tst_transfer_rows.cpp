#include <QTest>

#include "core/analysis/calls/transfer_rows.h"

using namespace shardscope;

class TestTransferRows : public QObject
{
    Q_OBJECT
private slots:
    void collectivesThatWereReadInPartAreSaid_data()
    {
        QTest::addColumn<std::vector<std::int32_t>>("matches"); // of each call, over four ranks
        QTest::addColumn<QString>("note");
        using Matches = std::vector<std::int32_t>;
        QTest::newRow("of all ranks") << Matches{0, 0, 0, 0} << QString{};
        QTest::newRow("one of two is whole") << Matches{0, 0, 0, 0, 1, 1} << "1 of 2 matched collectives";
        QTest::newRow("of one rank alone") << Matches{-1, -1} << "no collective was read of two";
        QTest::newRow("none") << Matches{} << QString{};
    }
    void collectivesThatWereReadInPartAreSaid()
    {
        QFETCH(std::vector<std::int32_t>, matches);
        QFETCH(QString, note);
        std::vector<MeasuredCall> calls;
        for (const std::int32_t match : matches) {
            calls.emplace_back();
            calls.back().op = Op::all_reduce;
            calls.back().group_size = 4;
            calls.back().match = match;
        }
        const QString said = QString::fromStdString(partlyReadNote(calls).value_or(""));
        QVERIFY2(note.isEmpty() ? said.isEmpty() : said.startsWith(note), qPrintable(said));
    }
};

QTEST_APPLESS_MAIN(TestTransferRows)
#include "tst_transfer_rows.moc"
