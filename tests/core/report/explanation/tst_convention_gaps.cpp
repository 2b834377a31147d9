#include <QTest>

#include "core/prediction/predict.h"
#include "core/report/explanation/explanation.h"
#include "tests/core/report/explanation/read_scenario.h"

#include <algorithm>

using namespace shardscope;

// What papers count instead of what is sent, and why it differs.
class TestConventionGaps : public QObject
{
    Q_OBJECT
private slots:
    // Li et al. 2024, Table 3 against their Eq. 2 to 4: 680 messages, 741 MiB. 2 * 2,695,970,000 / 8 B = 643
    // MiB; 8 * 54 / 4 * 6 = 648.
    void gapsToTheEquationsOfLiEtAl_data()
    {
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<QString>("gap");
        QTest::newRow("Eq. 2")
            << Kind::tp
            << "Li et al. 2024, Eq. 2: m * l / p * 6 = 8 * 54 / 4 * 6 = 648 all_reduces, "
               "79.1 GiB on the wire; this rank makes 680 calls, 83 GiB: stage 0 holds 14 of "
               "the 54 layers, and the embedding";
        QTest::newRow("Eq. 3")
            << Kind::pp
            << "Li et al. 2024, Eq. 3: m * 2 * e b s h = 1.953 GiB; this rank sends 1000 MiB: an "
               "end of the pipeline has one neighbour. Their Table 3 may count what is received "
               "among the messages, 16 here, and not in the volume, or DeepSpeed's partitioned messages, "
               "each 1 / t of the size.";
        QTest::newRow("Eq. 4")
            << Kind::dp
            << "Li et al. 2024, Eq. 4: g * P / p / t = 643 MiB; this rank reduces 741 MiB: "
               "stage 0 holds 14 of the 54 layers, and the embedding";
    }
    void gapsToTheEquationsOfLiEtAl()
    {
        QFETCH(Kind, kind);
        const Scenario scenario = read(li_table_3);
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        const std::vector<Message>& rows = prediction.value().stages[0].messages;
        const auto row = std::ranges::find_if(
            rows, [&](const Message& message) { return message.kind == kind && message.op != Op::recv; });
        QTEST(QString::fromStdString(explain(*row, 0, scenario, prediction.value()).gaps), "gap");
    }

    // 4-byte gradients over 2-byte weights, 8 micro-batches: (8 * (4 + 2 * 2)) / (2 * 4) = 8 times.
    void gapsOfZeroSayWhatIsRepeated()
    {
        const Scenario scenario = read(
            R"({"model": {"preset": "llama3-8b"}, "parallel": {"data": 8, "zero_stage": 3},
                "training": {"global_batch_size": 64, "micro_batch_size": 1, "gradient_bytes": 4},
                "conventions": {"zero3_keeps": "none"}})");
        const auto prediction = predict(scenario);
        QVERIFY(prediction);
        const std::vector<Message>& rows = prediction.value().stages[0].messages;
        const auto row = std::ranges::find(rows, std::string_view{"gradients"}, &Message::what);
        const QString gaps = QString::fromStdString(explain(*row, 0, scenario, prediction.value()).gaps);
        QVERIFY2(gaps.contains("8.00 times") && gaps.contains("each of 8 micro-batches"), qPrintable(gaps));
    }
};

QTEST_APPLESS_MAIN(TestConventionGaps)
#include "tst_convention_gaps.moc"
