#include "tests/core/prediction/small_scenario.h"

#include <tuple>

using namespace shardscope;

// Weights of products that ZeRO gathers in fp8, counted by hand for a small model. A layer has 12 h^2 =
// 49,152 of them, and 13 h = 832 parameters more; the ends have 67,712.
class TestFp8Gathers : public QObject
{
    Q_OBJECT
private slots:
    void eachFormatHasItsCalls_data()
    {
        QTest::addColumn<int>("framework");
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("op");
        QTest::addColumn<int>("phase");
        QTest::addColumn<QList<Row>>("rows");
        const auto row = [](const char* name, Framework framework, int stage, Op op, Phase phase,
                            const QList<Row>& rows) {
            QTest::newRow(name) << static_cast<int>(framework) << stage << static_cast<int>(op)
                                << static_cast<int>(phase) << rows;
        };
        constexpr auto megatron = Framework::megatron;
        constexpr qint64 rest = 467'584 - 8 * 49'152;
        row("Megatron-LM's buffers are gathered", megatron, 1, Op::all_gather, Phase::step,
            {{Dtype::fp8, 1, 8 * 49'152}, {Dtype::bf16, 1, 2 * rest}});
        row("Megatron-LM's buffers are reduced", megatron, 1, Op::reduce_scatter, Phase::step,
            {{Dtype::fp32, 1, 4 * rest}, {Dtype::fp32, 1, 4 * 8 * 49'152}});
        row("Megatron-FSDP's units are gathered", megatron, 3, Op::all_gather, Phase::forward,
            {{Dtype::bf16, 4, 2 * 67'712}, {Dtype::bf16, 4 * 8, 2 * 832}, {Dtype::fp8, 4 * 8, 49'152}});
        row("Megatron-FSDP's units are reduced", megatron, 3, Op::reduce_scatter, Phase::backward,
            {{Dtype::fp32, 4, 4 * 67'712}, {Dtype::fp32, 4 * 8, 4 * 832}, {Dtype::fp32, 4 * 8, 4 * 49'152}});
        row("FSDP's units are bytes", Framework::fsdp, 3, Op::all_gather, Phase::forward,
            {{Dtype::bf16, 4, 2 * 67'712}, {Dtype::fp8, 4 * 8, 49'152 + 2 * 832}});
        row("FSDP reduces units", Framework::fsdp, 3, Op::reduce_scatter, Phase::backward,
            {{Dtype::fp32, 4, 4 * 67'712}, {Dtype::fp32, 4 * 8, 4 * 49'984}});
        row("DeepSpeed gathers 16 bits", Framework::deepspeed, 3, Op::all_gather, Phase::forward,
            {{Dtype::bf16, 4, 2 * 67'712}, {Dtype::bf16, 4 * 8, 2 * 49'984}});
    }
    void eachFormatHasItsCalls()
    {
        QFETCH(int, framework);
        QFETCH(int, stage);
        QFETCH(int, op);
        QFETCH(int, phase);
        QFETCH(QList<Row>, rows);
        Scenario scenario = inFp8(stage);
        scenario.conventions.framework = static_cast<Framework>(framework);
        QList<Row> found;
        for (const Message& message : messagesOf(scenario, 0))
            if (message.kind == Kind::dp && message.op == static_cast<Op>(op)
                && message.phase == static_cast<Phase>(phase))
                found.append({message.dtype, message.count, message.message_bytes});
        std::ranges::sort(found);
        std::ranges::sort(rows);
        QVERIFY2(found == rows, qPrintable(textOf(found)));
    }

    // torchao's grouped weights.
    void routedExpertsOfFsdpStayInSixteenBits()
    {
        Scenario scenario = withExperts(inFp8(3), 0.0);
        scenario.conventions.framework = Framework::fsdp;
        scenario.parallel.data = 8;
        scenario.training.global_batch_size = 64;
        for (const Message& message : messagesOf(scenario, 0))
            if (message.kind == Kind::edp && message.op == Op::all_gather)
                QCOMPARE(message.dtype, Dtype::bf16);
    }

    // Megatron-LM sends what is not fp8 with the last bucket that is: nothing of it before the pass ends.
    void whatIsNotFp8GoesWithTheLastBucket()
    {
        Scenario scenario = inFp8(1);
        scenario.conventions.dp_overlap = true;
        scenario.conventions.dp_reduction = DpReduction::buckets;
        scenario.conventions.dp_bucket_bytes = 400'000;
        const Result<Prediction> prediction = predict(scenario);
        QVERIFY(prediction);
        const StagePrediction& stage = prediction.value().stages.front();
        std::size_t early = 0;
        for (const GradientBucket& bucket : stage.buckets) {
            const Message& gathered = stage.messages[static_cast<std::size_t>(bucket.gathered)];
            early += bucket.ready < 1.0 ? 1U : 0U;
            QVERIFY(bucket.ready == 1.0 || gathered.dtype == Dtype::fp8);
        }
        QVERIFY(early > 1);
    }

    void otherFormatsDoNotAsk_data()
    {
        QTest::addColumn<int>("precision");
        QTest::newRow("fp32") << static_cast<int>(Precision::fp32);
        QTest::newRow("fp16") << static_cast<int>(Precision::fp16);
        QTest::newRow("bf16") << static_cast<int>(Precision::bf16);
    }
    void otherFormatsDoNotAsk()
    {
        QFETCH(int, precision);
        Scenario scenario = inFp8(1);
        scenario.training.precision = static_cast<Precision>(precision);
        const QList<Row> set = rowsOf(scenario);
        scenario.conventions.fp8_param_gather = false;
        QVERIFY(set == rowsOf(scenario));
    }

    // Of any stage as many elements as without it, in parts that are padded by themselves; the products at
    // half the bytes. Biases of experts have a buffer of theirs.
    void nothingIsLost_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<bool>("overlaps");
        QTest::addColumn<bool>("has_latents");
        for (const int stage : {1, 2, 3})
            for (const bool overlaps : {false, true})
                for (const bool latents : {false, true})
                    QTest::addRow("stage %d, %s, %s", stage, overlaps ? "overlapping" : "after it",
                                  latents ? "latents" : "heads")
                        << stage << overlaps << latents;
    }
    void nothingIsLost()
    {
        QFETCH(int, stage);
        QFETCH(bool, overlaps);
        QFETCH(bool, has_latents);
        Scenario scenario = withModules(withExperts(inFp8(stage), 0.0), 1);
        if (has_latents)
            scenario = withLatents(scenario);
        scenario.parallel.data = 8; // two replicas of each expert
        scenario.training.global_batch_size = 64;
        scenario.conventions.dp_overlap = overlaps;
        scenario.conventions.dp_reduction = overlaps ? DpReduction::buckets : DpReduction::flat;
        scenario.conventions.dp_bucket_bytes = 400'000;
        const std::vector<Message> set = messagesOf(scenario, 0);
        scenario.conventions.fp8_param_gather = false;
        const std::vector<Message> unset = messagesOf(scenario, 0);
        constexpr std::int64_t padding = 64 * 200; // a tensor begins at a multiple of 64
        for (const Kind kind : {Kind::dp, Kind::edp}) {
            const std::int64_t reduced = elements(unset, kind, Op::reduce_scatter);
            const std::int64_t gathered = elements(unset, kind, Op::all_gather);
            QVERIFY(reduced > 0 && gathered > 0);
            QVERIFY(std::abs(elements(set, kind, Op::reduce_scatter) - reduced) < reduced / 100 + padding);
            QVERIFY(std::abs(elements(set, kind, Op::all_gather) - gathered) < gathered / 100 + padding);
            QVERIFY(bytes(set, kind, Op::all_gather) < bytes(unset, kind, Op::all_gather) * 8 / 10);
        }
    }

private:
    using Row = std::tuple<Dtype, std::int64_t, std::int64_t>; // format, calls, bytes of each

    static Scenario inFp8(int stage)
    {
        Scenario scenario = small(1, 1, 4);
        scenario.training.precision = Precision::fp8;
        scenario.parallel.zero_stage = stage;
        scenario.conventions.fp8_param_gather = true;
        return scenario;
    }

    static QList<Row> rowsOf(const Scenario& scenario)
    {
        QList<Row> rows;
        for (const Message& message : messagesOf(scenario, 0))
            rows.append({message.dtype, message.count, message.message_bytes});
        return rows;
    }

    static std::int64_t elements(const std::vector<Message>& messages, Kind kind, Op op)
    {
        std::int64_t sum = 0;
        for (const Message& message : messages)
            if (message.kind == kind && message.op == op)
                sum += message.total_bytes / bytesPerElement(message.dtype);
        return sum;
    }

    static std::int64_t bytes(const std::vector<Message>& messages, Kind kind, Op op)
    {
        std::int64_t sum = 0;
        for (const Message& message : messages)
            if (message.kind == kind && message.op == op)
                sum += message.total_bytes;
        return sum;
    }

    static QString textOf(const QList<Row>& rows)
    {
        QString text;
        for (const auto& [dtype, count, bytes] : rows)
            text += QStringLiteral("%1 %2 x %3; ").arg(word(dtype).data()).arg(count).arg(bytes);
        return text;
    }
};

QTEST_APPLESS_MAIN(TestFp8Gathers)
#include "tst_fp8_gathers.moc"
