#include "widgets/models/analysis_table.h"
#include "widgets/models/analysis_table_model.h"

#include <QTest>

using namespace shardscope;

Q_DECLARE_METATYPE(GroupTransferRow)

class TestAnalysisTable : public QObject
{
    Q_OBJECT
private slots:
    // Figures whose heading alone leaves open what they add up.
    void columnsSayWhatTheyCount_data()
    {
        QTest::addColumn<AnalysisSection>("section");
        QTest::addColumn<QString>("heading");
        QTest::newRow("stragglers") << AnalysisSection::stragglers << "delay_ns";
        QTest::newRow("share of calls") << AnalysisSection::stragglers << "share";
        QTest::newRow("groups") << AnalysisSection::groups << "wait_ns";
        QTest::newRow("steps") << AnalysisSection::steps << "duration_ns";
        QTest::newRow("idle time") << AnalysisSection::idle << "other_ns";
    }
    void columnsSayWhatTheyCount()
    {
        QFETCH(AnalysisSection, section);
        QFETCH(QString, heading);
        AnalysisTableModel model;
        AnalysisTable table = analysisTable(section, {}, {}, std::nullopt);
        const auto column =
            static_cast<int>(table.file_headings.indexOf(heading)) + (table.parts.empty() ? 0 : 1);
        model.setTable(std::move(table));
        const QString tip = model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
        QVERIFY2(tip.endsWith('.'), qPrintable(tip));
    }

    void aGroupIsNamed_data()
    {
        QTest::addColumn<GroupTransferRow>("row");
        QTest::addColumn<QString>("shown");
        const auto row = [](const char* name, const char* group, const char* description,
                            std::vector<std::int64_t> ranks, const char* shown) {
            GroupTransferRow transfer;
            transfer.group = group;
            transfer.description = description;
            transfer.ranks = std::move(ranks);
            QTest::newRow(name) << transfer << QString{shown};
        };
        row("as the trace describes it", "3", "DATA_PARALLEL_GROUP", {0, 1}, "DATA_PARALLEL_GROUP");
        row("by its number", "3", "", {0, 1}, "3");
        row("by its ranks where nothing names it", "", "", {0, 4}, "ranks 0, 4");
        row("by the first and the last of many ranks", "", "", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
            "ranks 0, 1, 2, 3, 4, 5, 6, 7, ... 9");
    }
    void aGroupIsNamed()
    {
        QFETCH(GroupTransferRow, row);
        QFETCH(QString, shown);
        Measurement measurement;
        measurement.cross_rank.group_transfers.push_back(row);
        const AnalysisTable table = analysisTable(AnalysisSection::groups, measurement, {}, std::nullopt);
        QCOMPARE(table.rows.front().cells[1].text, shown);
        QCOMPARE(table.headings.size(), static_cast<qsizetype>(table.rows.front().cells.size()));
    }

    void kernelsOfAllRanksAreAddedUp()
    {
        const auto row = [](const char* name, EventClass of, std::int64_t count, std::int64_t sum_ns,
                            std::int64_t min_ns, std::int64_t max_ns) {
            return KernelRow{name, of, count, sum_ns, min_ns, max_ns};
        };
        Measurement measurement;
        measurement.ranks.resize(2);
        measurement.ranks[0].kernels = {row("ampere_gemm", EventClass::compute, 2, 60, 10, 50),
                                        row("nccl", EventClass::communication, 1, 20, 20, 20)};
        measurement.ranks[1].rank = 1;
        measurement.ranks[1].kernels = {row("ampere_gemm", EventClass::compute, 1, 20, 20, 20)};
        const auto shown = [&](std::optional<std::int64_t> rank) {
            QStringList rows;
            for (const AnalysisRow& each :
                 analysisTable(AnalysisSection::kernels, measurement, {}, rank).rows) {
                QStringList cells;
                for (const AnalysisCell& cell : each.cells)
                    cells << cell.text;
                rows << cells.join(" | ");
            }
            return rows;
        };
        QCOMPARE(shown(std::nullopt),
                 (QStringList{"ampere_gemm | matrix | 3 | 80 ns | 80.0 % | 27 ns | 10 ns | 50 ns",
                              "nccl | communication | 1 | 20 ns | 20.0 % | 20 ns | 20 ns | 20 ns"}));
        QCOMPARE(shown(1), QStringList{"ampere_gemm | matrix | 1 | 20 ns | 100.0 % | 20 ns | 20 ns | 20 ns"});
    }

    // Their shares are of their own times, which add up to one.
    void operatorsWithoutAGpuTellTheirOwnTime()
    {
        Measurement measurement;
        measurement.ranks.resize(1);
        measurement.ranks[0].kernels = {{"aten::linear", EventClass::compute, 1, 100, 100, 100, 75},
                                        {"aten::mm", EventClass::compute, 1, 75, 75, 75}};
        const AnalysisTable table = analysisTable(AnalysisSection::kernels, measurement, {}, std::nullopt);
        QCOMPARE(table.headings.mid(3, 3), (QStringList{"own time", "share", "time"}));
        QCOMPARE(table.file_headings.mid(3, 3), (QStringList{"own_ns", "time_share", "sum_ns"}));
        const auto cells = [&](std::size_t row) {
            QStringList texts;
            for (const AnalysisCell& cell : table.rows[row].cells)
                texts << cell.text;
            return texts.join(" | ");
        };
        QCOMPARE(cells(0), "aten::mm | matrix | 1 | 75 ns | 75.0 % | 75 ns | 75 ns | 75 ns | 75 ns");
        QCOMPARE(cells(1), "aten::linear | matrix | 1 | 25 ns | 25.0 % | 100 ns | 100 ns | 100 ns | 100 ns");
    }

    // A figure of a bandwidth tells no unit by itself.
    void bandwidthsHaveTheirUnit()
    {
        for (const AnalysisSection section : {AnalysisSection::groups, AnalysisSection::copies}) {
            const AnalysisTable table = analysisTable(section, {}, {}, std::nullopt);
            for (qsizetype i = 0; i < table.headings.size(); ++i)
                QCOMPARE(table.headings[i].contains("GB/s"), table.file_headings[i].endsWith("GBps"));
        }
    }
};

QTEST_APPLESS_MAIN(TestAnalysisTable)
#include "tst_analysis_table.moc"
