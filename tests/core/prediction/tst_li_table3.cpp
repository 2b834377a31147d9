#include <QTest>

#include "core/prediction/predict.h"
#include "core/prediction/traffic/traffic_matrix.h"
#include "scenarios.h"
#include "tests/core/prediction/predicted.h"

using namespace shardscope;

namespace
{

constexpr std::int64_t mebibyte = 1048576;

struct Sum {
    std::int64_t count = 0;
    std::int64_t message_bytes = 0; // of the last row
};

// Rows of a kind; those of fewer than a kilobyte (loss, norm) are not in the table.
Sum sumOf(const StagePrediction& stage, Kind kind)
{
    Sum sum;
    for (const Message& message : stage.messages)
        if (message.kind == kind && message.message_bytes > 1024) {
            sum.count += message.count;
            sum.message_bytes = message.message_bytes;
        }
    return sum;
}

double bytesBetween(const TrafficMatrix& matrix, Kind kind, std::int64_t sender, std::int64_t receiver)
{
    std::vector<TrafficCell> cells;
    matrix.appendRow(kind, sender, cells);
    for (const TrafficCell& cell : cells)
        if (cell.receiver == receiver)
            return cell.bytes;
    return 0.0;
}

} // namespace

// Li et al. 2024: Table 3 (what rank 0 sends), the heatmaps of (4,2,4) and (4,4,2), and Eq. 1 to 9.
class TestLiTable3 : public QObject
{
    Q_OBJECT
private slots:
    void messagesOfRank0AreThoseOfTheTable()
    {
        const StagePrediction stage = predicted(test::gpt3b(4, 2, 4)).stages.front();
        QCOMPARE(stage.layers.size(), std::size_t{14});
        QCOMPARE(sumOf(stage, Kind::tp).count, std::int64_t{680});
        QCOMPARE(sumOf(stage, Kind::tp).message_bytes, 125 * mebibyte);
        QCOMPARE(sumOf(stage, Kind::pp).count, std::int64_t{16});
        QCOMPARE(sumOf(stage, Kind::pp).message_bytes, 125 * mebibyte);
        QCOMPARE(sumOf(stage, Kind::dp).count, std::int64_t{1});
        QCOMPARE(sumOf(stage, Kind::dp).message_bytes, std::int64_t{777492000});
        QCOMPARE(sumOf(stage, Kind::emb).count, std::int64_t{1});
        QCOMPARE(sumOf(stage, Kind::emb).message_bytes, std::int64_t{100864000}); // 96.19 MiB
    }

    void partitionedPipelineMessagesAreTheOtherReading()
    {
        Scenario scenario = test::gpt3b(4, 2, 4);
        scenario.conventions.pp_partitioned = true;
        const StagePrediction stage = predicted(scenario).stages.front();
        QCOMPARE(sumOf(stage, Kind::pp).count, std::int64_t{16});
        QCOMPARE(sumOf(stage, Kind::pp).message_bytes, 125 * mebibyte / 2);
        // The gradients that stage 0 receives are gathered from both halves.
        QCOMPARE(sumOf(stage, Kind::tp).count, std::int64_t{688});
    }

    void moreTensorRanksDoubleTheMessages()
    {
        const StagePrediction stage = predicted(test::gpt3b(4, 4, 2)).stages.front();
        QCOMPARE(sumOf(stage, Kind::tp).count, std::int64_t{1360});
        QCOMPARE(sumOf(stage, Kind::dp).message_bytes / mebibyte, std::int64_t{373});
    }

    void heatmapPairsExchangeTheseBytes_data()
    {
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("custom");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("receiver"); // of rank 0
        QTest::addColumn<double>("bytes");
        const auto row = [](const char* name, int tensor, bool custom, Kind kind, int receiver,
                            double bytes) {
            QTest::newRow(name) << tensor << custom << static_cast<int>(kind) << receiver << bytes;
        };
        // (4,2,4): rank = pipe * 8 + data * 2 + tensor, and custom pipe * 2 + data * 8 + tensor.
        row("tp, default", 2, false, Kind::tp, 1, 680.0 * 131072000.0);
        row("dp, default", 2, false, Kind::dp, 2, 1.5 * 777492000.0);
        row("pp, default", 2, false, Kind::pp, 8, 8.0 * 131072000.0);
        row("emb, default", 2, false, Kind::emb, 24, 100864000.0);
        row("tp, custom", 2, true, Kind::tp, 1, 680.0 * 131072000.0);
        row("dp, custom", 2, true, Kind::dp, 8, 1.5 * 777492000.0);
        row("pp, custom", 2, true, Kind::pp, 2, 8.0 * 131072000.0);
        row("emb, custom", 2, true, Kind::emb, 6, 100864000.0);
        // (4,4,2): twice the micro-batches, a ring of four.
        row("tp of four, default", 4, false, Kind::tp, 1, 1360.0 * 1.5 * 131072000.0);
        row("pp of four, default", 4, false, Kind::pp, 8, 16.0 * 131072000.0);
        row("pp of four, custom", 4, true, Kind::pp, 4, 16.0 * 131072000.0);
    }
    void heatmapPairsExchangeTheseBytes()
    {
        QFETCH(int, tensor);
        QFETCH(bool, custom);
        QFETCH(int, kind);
        QFETCH(int, receiver);
        Scenario scenario = test::gpt3b(4, tensor, 8 / tensor);
        if (custom)
            scenario.parallel.rank_order = test::custom_rank_order;
        const TrafficMatrix matrix{scenario, predicted(scenario)};
        QTEST(bytesBetween(matrix, static_cast<Kind>(kind), 0, receiver), "bytes");
    }

    // Worked out by hand from Eq. 1 to 9 with mu F = 30 Tflop/s, C_TP = 5, C_PP = 2, C_DP = 1 GB/s.
    void timeFollowsTheEquations()
    {
        Scenario scenario = test::gpt3b(4, 2, 4);
        scenario.cluster.peak_tflops = 100.0;
        scenario.cluster.mu = 0.3;
        scenario.cluster.effective = {5.0, 2.0, 1.0};
        const TimePrediction time = predicted(scenario).time;
        const double n = 2695970000.0;
        const double micro_batch_compute = 8.0 * n * 32.0 * 1024.0 / (4.0 * 2.0 * 30e12);
        const double micro_batch_tp = 13.5 * 6.0 * 131072000.0 * 1.0 / 5e9;
        const double micro_batch_pp = 2.0 * 131072000.0 / 2e9;
        QCOMPARE(time.compute_s, 8.0 * micro_batch_compute);
        QCOMPARE(time.tp_s, 8.0 * micro_batch_tp);
        QCOMPARE(time.pp_s, 8.0 * micro_batch_pp);
        QCOMPARE(time.dp_s, 2.0 * n / 8.0 * 1.5 / 1e9);
        QCOMPARE(time.bubble_s, 3.0 * (micro_batch_compute + micro_batch_tp + micro_batch_pp));
        QCOMPARE(time.iteration_s, time.compute_s + time.tp_s + time.pp_s + time.dp_s + time.bubble_s);
        QCOMPARE(time.tokens_per_s, 1024.0 * 1024.0 / time.iteration_s);
    }
};

QTEST_APPLESS_MAIN(TestLiTable3)
#include "tst_li_table3.moc"
