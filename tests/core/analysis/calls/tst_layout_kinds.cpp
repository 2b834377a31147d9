#include <QTest>

#include "core/analysis/analyze.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/predict.h"
#include "core/trace/trace_builder.h"

#include <algorithm>
#include <map>

Q_DECLARE_METATYPE(shardscope::Scenario)

using namespace shardscope;

// One layer of hidden size 4 on two tensor-parallel ranks, one micro-batch of 2 tokens in fp32. Each rank
// all-reduces over tp 6 buffers of 32 bytes (embedding, attention, MLP forward; head, MLP, attention
// backward) and 3 of 8 bytes (the cross-entropy), and over mp the gradient norm, 4 bytes.
class TestLayoutKinds : public QObject
{
    Q_OBJECT

    static Scenario scenario()
    {
        Scenario scenario;
        scenario.model.layers = 1;
        scenario.model.hidden_size = 4;
        scenario.model.attention_heads = 2;
        scenario.model.kv_heads = 2;
        scenario.model.head_dim = 2;
        scenario.model.ffn_hidden_size = 16;
        scenario.model.vocab_size = 100;
        scenario.model.sequence_length = 2;
        scenario.training.global_batch_size = 1;
        scenario.training.micro_batch_size = 1;
        scenario.training.precision = Precision::fp32;
        scenario.training.gradient_bytes = 4;
        scenario.parallel.tensor = 2;
        return scenario;
    }

    // gloo's calls of one thread: how many of each size.
    struct Thread {
        const char* tid;
        std::vector<std::pair<std::int64_t, int>> calls;
    };

    static TraceFile glooTrace(std::int64_t rank, const std::vector<Thread>& threads, int steps = 1)
    {
        return trace(rank, threads, "gloo:all_reduce", steps);
    }

    static TraceFile trace(std::int64_t rank, const std::vector<Thread>& threads, const std::string& name,
                           int steps = 1, const std::vector<std::string>& operators = {})
    {
        TraceBuilder builder;
        const auto main_thread = builder.addTrack("9", "1");
        for (int step = 0; step < steps; ++step)
            builder.addEvent(main_thread, step * 1000, 1000, "ProfilerStep#" + std::to_string(step),
                             "user_annotation");
        for (const std::string& one : operators)
            builder.addEvent(main_thread, 0, 1, one, "cpu_op");
        for (const Thread& thread : threads) {
            const auto track = builder.addTrack("9", thread.tid);
            TraceTime start = 0;
            for (const auto& [bytes, count] : thread.calls)
                for (int i = 0; i < count * steps; ++i) {
                    CollectiveCall call;
                    call.event = builder.addEvent(track, start, 5, name, "user_annotation");
                    call.name = builder.intern(name);
                    call.dtype = builder.intern("float");
                    call.in_bytes = bytes;
                    call.sizes_from = SizesFrom::annotation;
                    builder.addCollective(call);
                    start += 10;
                }
        }
        TraceFile file;
        file.path = "rank" + std::to_string(rank) + ".json";
        file.rank = rank;
        file.store = builder.finish();
        return file;
    }

    static QStringList rows(const Measurement& measurement, std::size_t rank = 0)
    {
        QStringList text;
        for (const MeasuredCollective& row : measurement.ranks[rank].collectives)
            text += QStringLiteral("%1 %2 x %3 of %4 %5")
                        .arg(QLatin1String{word(row.kind).data(), static_cast<int>(word(row.kind).size())})
                        .arg(row.count)
                        .arg(row.message_bytes)
                        .arg(row.group_size)
                        .arg(QString::fromStdString(row.kind_from));
        text.sort();
        return text;
    }

    static Measurement measured(const TraceFile& file, const Scenario& layout,
                                const Scenario* known_layout = nullptr)
    {
        AnalysisOptions options;
        options.layout = &layout;
        options.known_layout = known_layout;
        return analyze({{file}, {}}, options);
    }

private slots:
    void threadsAreToldByWhatTheyDo()
    {
        const auto measurement = measured(
            glooTrace(0, {{"4", {{32, 3}, {8, 2}}}, {"5", {{32, 3}, {8, 1}}}, {"6", {{4, 1}}}}), scenario());
        QCOMPARE(rows(measurement),
                 (QStringList{"mp 1 x 4 of 2 layout", "tp 3 x 8 of 2 layout", "tp 6 x 32 of 2 layout"}));
        QCOMPARE(measurement.matrix.size(), std::size_t{2});
        QCOMPARE(measurement.matrix[0].kind, Kind::tp);
        QCOMPARE(measurement.matrix[0].receiver, std::int64_t{1});
        QCOMPARE(measurement.matrix[0].bytes, 6.0 * 32 + 3 * 8); // all_reduce of two sends what it is given
    }

    void severalStepsCountAsOften()
    {
        const auto measurement =
            measured(glooTrace(1, {{"4", {{32, 3}, {8, 2}}}, {"5", {{32, 3}, {8, 1}}}, {"6", {{4, 1}}}}, 3),
                     scenario());
        QCOMPARE(rows(measurement),
                 (QStringList{"mp 3 x 4 of 2 layout", "tp 18 x 32 of 2 layout", "tp 9 x 8 of 2 layout"}));
    }

    // Half of the calls of a step are all calls of its forward pass.
    void forwardPassesAloneAreHeldAgainstTheirMessages_data()
    {
        QTest::addColumn<std::string>("operation");
        QTest::addColumn<bool>("is_misfit");
        QTest::newRow("nothing of a backward pass") << std::string{"aten::add"} << false;
        QTest::newRow("a backward pass") << std::string{"MulBackward0"} << true;
    }
    void forwardPassesAloneAreHeldAgainstTheirMessages()
    {
        QFETCH(const std::string, operation);
        TraceFile file = trace(0, {{"4", {{32, 3}, {8, 3}}}}, "gloo:all_reduce", 1, {"aten::mm", operation});
        file.rank_is_known = true;
        const Measurement measurement = measured(file, scenario());
        QCOMPARE(rows(measurement), (QStringList{"tp 3 x 32 of 2 layout", "tp 3 x 8 of 2 layout"}));
        const bool is_told = std::ranges::any_of(measurement.notes, [](const std::string& note) {
            return note.find("not there as often as the scenario says") != std::string::npos;
        });
        QTEST(is_told, "is_misfit");
    }

    void anotherModelsTraceStaysUnknown()
    {
        const auto measurement = measured(glooTrace(0, {{"4", {{320, 6}}}}), scenario());
        QCOMPARE(rows(measurement), (QStringList{"unknown 6 x 320 of 0 "}));
    }

    // What if the same model had another layout? The traces are still of the one that they were recorded
    // with.
    void aLayoutThatExplainsMoreIsNotForgotten_data()
    {
        Scenario other_degrees = scenario();
        other_degrees.parallel.tensor = 1;
        other_degrees.parallel.data = 2;
        other_degrees.training.global_batch_size = 2;
        Scenario other_world = scenario();
        other_world.parallel.data = 2;
        other_world.training.global_batch_size = 2;
        Scenario broken = scenario();
        broken.model.attention_heads = 3;
        Scenario twice_as_often = scenario(); // tells all kinds too
        twice_as_often.training.global_batch_size = 2;
        QTest::addColumn<Scenario>("open");
        QTest::newRow("other degrees") << other_degrees;
        QTest::newRow("another number of GPUs") << other_world;
        QTest::newRow("no valid scenario") << broken;
        QTest::newRow("another number of micro-batches") << twice_as_often;
    }
    void aLayoutThatExplainsMoreIsNotForgotten()
    {
        QFETCH(Scenario, open);
        const TraceFile file = glooTrace(0, {{"4", {{32, 6}, {8, 3}}}, {"6", {{4, 1}}}});
        const Scenario known = scenario();
        const auto measurement = measured(file, open, &known);
        QVERIFY(measurement.is_of_known_layout && measurement.knows_all_kinds);
        QCOMPARE(rows(measurement), rows(measured(file, known)));
        QCOMPARE(measurement.notes, measured(file, known).notes);
    }

    void theOpenLayoutGoesFirstWhereItExplainsAsMuch()
    {
        const TraceFile file = glooTrace(0, {{"4", {{32, 6}, {8, 3}}}, {"6", {{4, 1}}}});
        Scenario known = scenario();
        known.training.global_batch_size = 2;
        const auto measurement = measured(file, scenario(), &known);
        QVERIFY(!measurement.is_of_known_layout && measurement.knows_all_kinds);
    }

    void aRunOfAnotherSizeIsNotHeldAgainstTheLayout()
    {
        TraceFile file = glooTrace(0, {{"4", {{32, 6}}}});
        file.world_size = 8;
        const auto measurement = measured(file, scenario());
        QCOMPARE(rows(measurement), (QStringList{"unknown 6 x 32 of 0 "}));
        QVERIFY(QString::fromStdString(measurement.notes.front()).contains("8 ranks and the scenario of 2"));
    }

    void anInvalidScenarioTellsNothing()
    {
        Scenario broken = scenario();
        broken.model.attention_heads = 3;
        const auto measurement = measured(glooTrace(0, {{"4", {{32, 6}}}}), broken);
        QCOMPARE(rows(measurement), (QStringList{"unknown 6 x 32 of 0 "}));
        QVERIFY(measurement.notes.front().starts_with("the scenario's layout does not tell kinds: "));
    }

    // Twelve of 25 tokens choose the first of four experts: ranks tell their exchanges by what their own
    // receives, and another's sizes are none of theirs.
    void unevenExpertsTellRanksTheirOwnExchanges()
    {
        Scenario uneven = scenario();
        uneven.model.sequence_length = 96;
        uneven.model.experts.count = 4;
        uneven.model.experts.per_token = 1;
        uneven.model.experts.skew = 1.0;
        uneven.training.global_batch_size = 4;
        uneven.parallel.tensor = 1;
        uneven.parallel.data = 4;
        uneven.parallel.expert = 4;
        const auto prediction = predict(uneven);
        QVERIFY2(prediction, prediction ? "" : prediction.error().sentence.c_str());
        const RankParts parts{uneven};
        const RankLayout layout{uneven.parallel};
        const auto exchangesOf = [&](std::int64_t rank) {
            std::map<std::int64_t, int> counts;
            for (const Message& message :
                 parts.messages(prediction.value(), parts.part(layout.coordinates(rank))))
                if (message.kind == Kind::ep && message.op == Op::all_to_all)
                    counts[message.message_bytes] += static_cast<int>(message.count);
            return std::vector<std::pair<std::int64_t, int>>(counts.begin(), counts.end());
        };
        const auto kindOf = [&](std::int64_t rank, std::int64_t sizes_of) {
            const auto calls = exchangesOf(sizes_of);
            const auto found = measured(trace(rank, {{"4", calls}}, "gloo:all_to_all"), uneven);
            return found.ranks[0].collectives.front().kind;
        };
        QVERIFY(exchangesOf(0) != exchangesOf(3));
        for (const std::int64_t rank : {0, 3})
            QCOMPARE(kindOf(rank, rank), Kind::ep);
        QCOMPARE(kindOf(3, 0), Kind::unknown);
    }

    void annotationsGoBeforeTheLayout()
    {
        TraceBuilder builder;
        const auto main_thread = builder.addTrack("9", "1");
        const auto gloo = builder.addTrack("9", "4");
        builder.addEvent(main_thread, 0, 100, "ptdp::dp.all_reduce|step", "user_annotation");
        builder.addEvent(main_thread, 20, 30, "ptdp::emb.all_reduce|step", "user_annotation");
        for (const TraceTime start : {10, 30, 70, 120})
            builder.addEvent(gloo, start, 5, "gloo:all_reduce", "user_annotation");
        TraceFile file;
        file.store = builder.finish();
        const auto collectives = analyze({{file}, {}}).ranks.at(0).collectives;
        QCOMPARE(collectives.size(), std::size_t{3});
        QCOMPARE(collectives[0].kind, Kind::dp);
        QCOMPARE(collectives[0].count, std::int64_t{2});
        QCOMPARE(collectives[0].kind_from, std::string{"annotation"});
        QCOMPARE(collectives[1].kind, Kind::emb); // the inner one
        QCOMPARE(collectives[2].kind, Kind::unknown);
    }

    // DistributedDataParallel waits for no bucket: the annotation may be over before gloo's thread begins.
    void aThreadsOtherCallsTellWhatNoAnnotationIsAround()
    {
        TraceBuilder builder;
        const auto main_thread = builder.addTrack("9", "1");
        const auto gloo = builder.addTrack("9", "4");
        for (const TraceTime start : {0, 100})
            builder.addEvent(main_thread, start, 20, "ptdp::dp.all_reduce|bwd", "user_annotation");
        for (const TraceTime start : {10, 130})
            builder.addEvent(gloo, start, 40, "gloo:all_reduce", "user_annotation");
        TraceFile file;
        file.store = builder.finish();
        const auto collectives = analyze({{file}, {}}).ranks.at(0).collectives;
        QCOMPARE(collectives.size(), std::size_t{1});
        QCOMPARE(collectives[0].kind, Kind::dp);
        QCOMPARE(collectives[0].count, std::int64_t{2});
        QCOMPARE(collectives[0].kind_from, std::string{"annotation"});
    }
};

QTEST_APPLESS_MAIN(TestLayoutKinds)
#include "tst_layout_kinds.moc"
