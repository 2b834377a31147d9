#include <QtTest>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/report/trace_report.h"

using namespace shardscope;

namespace
{

constexpr std::int64_t gib = std::int64_t{1} << 30;

QJsonObject objectOf(const std::string& json)
{
    return QJsonDocument::fromJson(QByteArray::fromStdString(json)).object();
}

QStringList linesOf(const std::string& text)
{
    QStringList lines;
    for (const QString& line : QString::fromStdString(text).split('\n'))
        lines << line.simplified();
    return lines;
}

ComparedMemory compared(std::int64_t rank, int stage, std::int64_t allocated_bytes,
                        std::int64_t reserved_bytes)
{
    return {{rank, allocated_bytes, reserved_bytes, MemoryFrom::log}, stage, 3 * gib, 4 * gib};
}

} // namespace

class TestMemoryReport : public QObject
{
    Q_OBJECT
private slots:
    void theSummaryListsWhatEachRankHeld()
    {
        Measurement measurement;
        measurement.memory = {{-1, gib, -1, MemoryFrom::log},
                              {3, -1, 2 * gib, MemoryFrom::schedule},
                              {4, gib, 2 * gib, MemoryFrom::profiler}};
        const QJsonArray rows = objectOf(traceJson({}, measurement))["memory"].toArray();
        QCOMPARE(rows.size(), qsizetype{3});
        QVERIFY(rows[0]["rank"].isNull());
        QCOMPARE(rows[0]["peak_allocated_bytes"].toInteger(), qint64{gib});
        QVERIFY(!rows[0].toObject().contains("peak_reserved_bytes"));
        QCOMPARE(rows[1]["rank"].toInteger(), qint64{3});
        QVERIFY(!rows[1].toObject().contains("peak_allocated_bytes"));
        QCOMPARE(rows[1]["from"].toString(), QStringLiteral("schedule"));
        QCOMPARE(rows[2]["peak_reserved_bytes"].toInteger(), qint64{2 * gib});
        const QStringList lines = linesOf(traceText({}, measurement));
        QVERIFY(lines.contains("a rank 1 GiB – training log"));
        QVERIFY(lines.contains("3 – 2 GiB pipeline schedule"));
        QVERIFY(lines.contains("4 1 GiB 2 GiB profiler"));
    }

    void nothingIsWrittenWhereNothingWasMeasured()
    {
        QVERIFY(!objectOf(traceJson({}, {})).contains("memory"));
        QVERIFY(linesOf(traceText({}, {})).filter("Memory").isEmpty());
        QVERIFY(!objectOf(comparisonJson({})).contains("memory"));
        QVERIFY(linesOf(comparisonText({})).filter("Memory").isEmpty());
    }

    // Predicted over measured, less one.
    void aComparisonHasEachRankAndTheFullestOfEachStage()
    {
        Comparison comparison;
        comparison.memory.ranks = {compared(0, 0, 2 * gib, 5 * gib), compared(1, 0, 4 * gib, -1),
                                   compared(2, 1, -1, 8 * gib)};
        const QJsonArray rows = objectOf(comparisonJson(comparison))["memory"].toArray();
        QCOMPARE(rows.size(), qsizetype{3});
        QCOMPARE(rows[1]["stage"].toInt(), 0);
        QCOMPARE(rows[1]["predicted_allocated_bytes"].toInteger(), qint64{3 * gib});
        QCOMPARE(rows[1]["measured_allocated_bytes"].toInteger(), qint64{4 * gib});
        QCOMPARE(rows[1]["allocated_residual"].toDouble(), -0.25);
        QVERIFY(rows[1]["measured_reserved_bytes"].isNull());
        QVERIFY(rows[1]["reserved_residual"].isNull());
        QCOMPARE(rows[2]["reserved_residual"].toDouble(), -0.5);
        const QStringList lines = linesOf(comparisonText(comparison));
        QVERIFY(lines.contains("0 allocated 1 3 GiB 4 GiB -25.0 %"));
        QVERIFY(lines.contains("0 reserved 0 4 GiB 5 GiB -20.0 %"));
        QVERIFY(lines.contains("1 reserved 2 4 GiB 8 GiB -50.0 %"));
        QCOMPARE(lines.filter("GiB").size(), qsizetype{3});
    }
};

QTEST_APPLESS_MAIN(TestMemoryReport)
#include "tst_memory_report.moc"
