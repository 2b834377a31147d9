#include <QTest>

#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>

#include "core/analysis/analyze.h"
#include "core/import/importer.h"

using namespace shardscope;

// Real traces against figures that an independent script found with decimal arithmetic.
class TestReferenceTraces : public QObject
{
    Q_OBJECT

    static QString shared(const QString& path)
    {
        return QStringLiteral(SHARDSCOPE_SHARED_FOLDER "/traces/") + path;
    }

    // The file of that name, gzipped or not.
    static QString find(const QString& name)
    {
        QString bare = name;
        if (bare.endsWith(".gz"))
            bare.chop(3);
        QDirIterator files{shared({}), {bare, bare + ".gz"}, QDir::Files, QDirIterator::Subdirectories};
        return files.hasNext() ? files.next() : QString{};
    }

    static QMap<QString, qint64> figures(const RankMeasurement& rank)
    {
        return {{"window_ns", rank.window_ns},
                {"busy_ns", rank.busy_ns},
                {"idle_ns", rank.idle_ns},
                {"comp_union_ns", rank.compute_ns},
                {"comm_union_ns", rank.communication_ns},
                {"mem_union_ns", rank.memory_ns},
                {"noncompute_ns", rank.non_compute_ns},
                {"comm_comp_overlap_ns", rank.overlap_ns},
                {"exposed_comm_ns", rank.exposed_communication_ns},
                {"gpu_events", rank.gpu_events},
                {"comp", rank.compute_count},
                {"comm", rank.communication_count},
                {"mem", rank.memory_count}};
    }

    static QMap<QString, qint64> figures(const QJsonObject& expected)
    {
        QMap<QString, qint64> values;
        for (const char* key :
             {"window_ns", "busy_ns", "idle_ns", "comp_union_ns", "comm_union_ns", "mem_union_ns",
              "noncompute_ns", "comm_comp_overlap_ns", "exposed_comm_ns", "gpu_events"})
            values[QLatin1String{key}] = expected[QLatin1String{key}].toInteger();
        for (const char* key : {"comp", "comm", "mem"})
            values[QLatin1String{key}] = expected["counts"][QLatin1String{key}].toInteger();
        return values;
    }

    static void compareKernels(const RankMeasurement& rank, const QJsonObject& expected)
    {
        const QJsonObject kernels = expected["comm_kernels"].toObject();
        qsizetype found = 0;
        for (const KernelRow& row : rank.kernels) {
            if (row.of != EventClass::communication)
                continue;
            const QJsonObject kernel = kernels[QString::fromStdString(row.name)].toObject();
            QCOMPARE(row.count, kernel["n"].toInteger());
            QCOMPARE(row.sum_ns, kernel["sum_ns"].toInteger());
            QCOMPARE(row.min_ns, kernel["min_ns"].toInteger());
            QCOMPARE(row.max_ns, kernel["max_ns"].toInteger());
            ++found;
        }
        QCOMPARE(found, kernels.size());
    }

    static void compareAcross(const CrossRank& across, const QJsonObject& expected)
    {
        QCOMPARE(across.matched, expected["matched"].toInteger());
        QCOMPARE(across.transfer_ns, expected["sum_min_dur_ns"].toInteger());
        for (const auto& [rank, wait_ns] : across.wait_ns)
            QCOMPARE(wait_ns, expected["wait_ns"][QString::number(rank)].toInteger());
        for (const auto& [rank, count] : across.last_starter)
            QCOMPARE(count, expected["last_starter_counts"][QString::number(rank)].toInteger(0));
    }

private slots:
    void figuresEqualTheReference_data()
    {
        QTest::addColumn<QString>("set");
        for (const char* set : {"megatron_tp8_a100", "dlrm8_v100", "hta_sampled_2ranks", "hta_nccl_data",
                                "hta_ns_resolution", "hta_amd_mi250", "tracelens_resnet_ddp8"})
            QTest::newRow(set) << set;
    }
    void figuresEqualTheReference()
    {
        QFETCH(QString, set);
        QFile file{shared("reference/exact/" + set + ".json")};
        if (!file.open(QIODevice::ReadOnly))
            QSKIP("the shared reference traces are not there");
        const QJsonObject reference = QJsonDocument::fromJson(file.readAll()).object();
        const QJsonObject ranks = reference["ranks"].toObject();
        std::vector<std::filesystem::path> paths;
        for (const QJsonValue rank : ranks)
            paths.emplace_back(find(rank["file"].toString()).toStdString());
        const auto traces = importTraces(paths);
        QVERIFY(traces);
        const Measurement measurement = analyze(traces.value());
        QCOMPARE(static_cast<qsizetype>(measurement.ranks.size()), ranks.size());
        for (const RankMeasurement& rank : measurement.ranks) {
            const QJsonObject expected = ranks[QString::number(rank.rank)].toObject();
            QCOMPARE(figures(rank), figures(expected));
            compareKernels(rank, expected);
        }
        if (reference.contains("cross_rank"))
            compareAcross(measurement.cross_rank, reference["cross_rank"].toObject());
    }

    // Ends of these two ranks lie tens of milliseconds apart because one of them lost events.
    void aligningLossyTracesIsNotTrusted()
    {
        const std::vector<std::filesystem::path> folder{shared("hta_sampled_2ranks").toStdString()};
        if (!std::filesystem::exists(folder.front()))
            QSKIP("the shared reference traces are not there");
        const auto traces = importTraces(folder);
        QVERIFY(traces);
        QVERIFY(!analyze(traces.value()).cross_rank.alignment_trusted);
    }
};

QTEST_APPLESS_MAIN(TestReferenceTraces)
#include "tst_reference_traces.moc"
