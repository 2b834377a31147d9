#include <QTest>

#include "core/base/resources.h"
#include "core/report/csv.h"
#include "core/report/projection_report.h"
#include "core/scenario/scenario_json.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QString>

#include <array>

using namespace shardscope;

namespace
{

Scenario scenario()
{
    static const Presets presets = Presets::load(resourcesFolder() / "presets").value();
    return readScenario(R"({"model": {"preset": "gpt3-175b"}, "parallel": {"tensor": 8, "data": 8}})",
                        presets)
        .value()
        .scenario;
}

} // namespace

class TestProjectionReport : public QObject
{
    Q_OBJECT
private slots:
    void everyLayerOfTheSweepIsARow()
    {
        const ProjectionSheet sheet = projectSheet(scenario(), {});
        const ProjectionRows table = projectionRows(sheet, Precision::bf16);
        const auto told =
            std::ranges::count_if(sheet.cells, [](const auto& cell) { return cell.has_value(); });
        QCOMPARE(static_cast<std::ptrdiff_t>(table.rows.size()), told);
        for (const ProjectionRow& row : table.rows)
            QCOMPARE(row.size(), table.columns.size());
        // h 1,024, s 1,024, b 1, t 4: the edge is (h + s) / t, the slack s * b.
        QCOMPARE(std::get<std::int64_t>(table.rows[0][0]), std::int64_t{1024});
        QCOMPARE(std::get<double>(table.rows[0][10]), 512.0);
        QCOMPARE(std::get<double>(table.rows[0][11]), 1024.0);
        QCOMPARE(plainCells(table.rows[0])[10], std::string{"512"});
    }

    void theThreeFuturesAreRows()
    {
        const LayerFutures futures = layerFutures(scenario(), {.flop_vs_bandwidth = 4.0});
        const ProjectionRows table = futureRows(futures);
        QCOMPARE(table.rows.size(), std::size_t{3});
        QCOMPARE(std::get<std::string_view>(table.rows[0][0]), std::string_view{"today"});
        QCOMPARE(std::get<double>(table.rows[1][6]), futures.times[1].total_s());
        QVERIFY(futures.times[1].total_s() < futures.times[0].total_s());
    }

    void itSaysHowFarOffItMayBe()
    {
        constexpr std::array values{1.0};
        Scenario known = scenario();
        known.cluster.compute.time_error = 0.1;
        known.cluster.compute.time_error_small = 0.1;
        QVERIFY(futuresStudy(known, values, RowFormat::text)
                    .ends_with(
                        "note: times of today's hardware are within ± 10 % as those of whole iterations are "
                        "(docs/accuracy.md)\n"));
        const std::string json = projectionStudy(known, values, RowFormat::json);
        const QJsonArray band =
            QJsonDocument::fromJson(QByteArray::fromStdString(json)).object()["error_band"].toArray();
        QCOMPARE(band, (QJsonArray{-0.1, 0.1}));
        known.cluster.calibrated = false;
        QVERIFY(futuresStudy(known, values, RowFormat::text).find("±") == std::string::npos);
    }

    void aStudyHasItsValuesInFront_data()
    {
        QTest::addColumn<int>("format");
        QTest::addColumn<QString>("heading");
        QTest::newRow("text") << static_cast<int>(RowFormat::text) << "flop vs bandwidth";
        QTest::newRow("csv") << static_cast<int>(RowFormat::csv) << "flop_vs_bandwidth";
    }
    void aStudyHasItsValuesInFront()
    {
        QFETCH(int, format);
        QFETCH(QString, heading);
        constexpr std::array values{1.0, 4.0};
        const QString text =
            QString::fromStdString(futuresStudy(scenario(), values, static_cast<RowFormat>(format)));
        const QStringList lines = text.trimmed().split('\n');
        QCOMPARE(lines.filter(QRegularExpression{"^ *[14][ ,]"}).size(), 6);
        QVERIFY(lines[0].trimmed().startsWith(heading));
        QVERIFY(lines[1].trimmed().startsWith("1"));
        QVERIFY(lines[4].trimmed().startsWith("4"));
    }

    void itsJsonHoldsNumbers()
    {
        constexpr std::array values{2.0};
        const std::string text = projectionStudy(scenario(), values, RowFormat::json);
        const QJsonObject row =
            QJsonDocument::fromJson(QByteArray::fromStdString(text)).object()["rows"][0].toObject();
        QCOMPARE(row["flop_vs_bandwidth"].toDouble(), 2.0);
        QCOMPARE(row["hidden_size"].toInt(), 1024);
        QVERIFY(row["serialized_fraction"].toDouble() > 0.0);
    }

    void cellsWithCommasAreQuoted()
    {
        QCOMPARE(csvLine({"a", "b, c", "d \"e\""}), std::string{"a,\"b, c\",\"d \"\"e\"\"\"\n"});
        QCOMPARE(allDigits(0.1), std::string{"0.1"});
    }
};

QTEST_APPLESS_MAIN(TestProjectionReport)
#include "tst_projection_report.moc"
