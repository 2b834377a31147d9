#include <QTest>

#include "core/analysis/analyze.h"
#include "core/analysis/comparison.h"
#include "core/import/importer.h"
#include "core/prediction/messages/rank_parts.h"
#include "core/prediction/predict.h"
#include "core/scenario/presets.h"
#include "core/scenario/rank_order.h"
#include "core/scenario/scenario_json.h"
#include "core/trace/trace_builder.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

using namespace shardscope;

// Two stages of one layer each on two replicas. Calls tell their kinds, and nothing tells groups: who is in
// one with whom follows from what single ranks sent.
class TestLayoutChoice : public QObject
{
    Q_OBJECT

    static constexpr RankOrder custom = usual_rank_orders[1];

    static Scenario scenario(const RankOrder& order = megatron_rank_order)
    {
        Scenario scenario;
        scenario.model.layers = 2;
        scenario.model.hidden_size = 4;
        scenario.model.attention_heads = 2;
        scenario.model.kv_heads = 2;
        scenario.model.head_dim = 2;
        scenario.model.ffn_hidden_size = 16;
        scenario.model.vocab_size = 100;
        scenario.model.sequence_length = 2;
        scenario.training.global_batch_size = 4;
        scenario.training.micro_batch_size = 1;
        scenario.parallel.pipeline = 2;
        scenario.parallel.data = 2;
        scenario.parallel.rank_order = order;
        return scenario;
    }

    static TraceFile traceOf(std::int64_t rank, const std::vector<Message>& messages,
                             std::string_view group_ranks = {})
    {
        TraceBuilder builder;
        const auto main_thread = builder.addTrack("9", "1");
        TraceTime start = 0;
        for (const Message& message : messages) {
            const std::string kind{word(message.kind)};
            const std::string op{word(message.op)};
            const auto track = builder.addTrack("9", kind + op);
            for (std::int64_t i = 0; i < message.count; ++i, start += 10) {
                builder.addEvent(main_thread, start, 8, "ptdp::" + kind + '.' + op, "user_annotation");
                CollectiveCall call;
                call.event = builder.addEvent(track, start + 1, 5, "gloo:" + op, "user_annotation");
                call.name = builder.intern("gloo:" + op);
                call.dtype = builder.intern("float");
                call.in_bytes = message.message_bytes;
                if (message.kind == Kind::mp)
                    call.group_ranks = builder.intern(group_ranks);
                call.sizes_from = SizesFrom::annotation;
                builder.addCollective(call);
            }
        }
        TraceFile file;
        file.path = "rank" + std::to_string(rank) + ".json";
        file.rank = rank;
        file.rank_is_known = true;
        file.store = builder.finish();
        return file;
    }

    // What the ranks of a run send whose ranks were in that order.
    static TraceSet runOf(const RankOrder& order,
                          const std::function<void(std::int64_t, std::vector<Message>&)>& spoil = {})
    {
        const Scenario of_run = scenario(order);
        const Result<Prediction> prediction = predict(of_run);
        const RankParts parts{of_run};
        const RankLayout layout{of_run.parallel};
        TraceSet traces;
        for (std::int64_t rank = 0; rank < layout.worldSize(); ++rank) {
            auto messages = parts.messages(prediction.value(), parts.part(layout.coordinates(rank)));
            if (spoil)
                spoil(rank, messages);
            traces.files.push_back(traceOf(rank, messages));
        }
        return traces;
    }

    static Measurement measured(const TraceSet& traces, const Scenario& layout,
                                const Scenario* known_layout = nullptr)
    {
        AnalysisOptions options;
        options.layout = &layout;
        options.known_layout = known_layout;
        return analyze(traces, options);
    }

    static QStringList pairs(const Measurement& measurement)
    {
        QStringList text;
        for (const MeasuredCell& cell : measurement.matrix)
            text << QStringLiteral("%1 %2>%3 %4")
                        .arg(QString::fromStdString(std::string{word(cell.kind)}))
                        .arg(cell.sender)
                        .arg(cell.receiver)
                        .arg(cell.bytes);
        return text;
    }

    static bool hasNote(const std::vector<std::string>& notes, std::string_view part)
    {
        return std::ranges::any_of(
            notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
    }

private slots:
    void pairsAreThoseOfTheRunWhateverTheOpenOrder_data()
    {
        QTest::addColumn<bool>("of_custom");
        QTest::newRow("a run of the custom mapping") << true;
        QTest::newRow("a run of Megatron's") << false;
    }
    void pairsAreThoseOfTheRunWhateverTheOpenOrder()
    {
        QFETCH(bool, of_custom);
        const RankOrder of_run = of_custom ? custom : megatron_rank_order;
        const RankOrder open = of_custom ? megatron_rank_order : custom;
        const TraceSet traces = runOf(of_run);
        const Measurement right = measured(traces, scenario(of_run));
        QVERIFY(!right.other_order);
        QCOMPARE(right.notes, std::vector<std::string>{});
        QVERIFY(pairs(right).contains(of_custom ? "pp 0>1 32" : "pp 0>2 32"));
        const Measurement mended = measured(traces, scenario(open));
        QCOMPARE(mended.other_order, std::optional{of_run});
        QCOMPARE(pairs(mended), pairs(right));
        QVERIFY(hasNote(mended.notes, "of another mapping than the scenario"));
    }

    void theComparisonSaysThatTheMappingDiffers()
    {
        const TraceSet traces = runOf(custom);
        const Scenario open = scenario();
        const Comparison comparison = compare(open, predict(open).value(), traces, measured(traces, open));
        QVERIFY(comparison.equal());
        QVERIFY(hasNote(comparison.notes, "the mapping differs: tp-pp-dp in the traces, tp-dp-pp"));
        const Scenario right = scenario(custom);
        QVERIFY(!hasNote(compare(right, predict(right).value(), traces, measured(traces, right)).notes,
                         "the mapping differs"));
    }

    // One rank is enough: it is of the other stage.
    void ranksThatWereNotRecordedDoNotMatter()
    {
        TraceSet traces = runOf(custom);
        traces.files = {traces.files[1]};
        QCOMPARE(measured(traces, scenario()).other_order, std::optional{custom});
        QVERIFY(!measured(traces, scenario(custom)).other_order);
    }

    void callsThatAreMissingDoNotTurnTheOrder()
    {
        const auto spoil = [](std::int64_t rank, std::vector<Message>& messages) {
            if (rank == 1)
                messages.pop_back(); // it ends too early
        };
        const TraceSet traces = runOf(megatron_rank_order, spoil);
        const Measurement measurement = measured(traces, scenario());
        QVERIFY(!measurement.other_order);
        QVERIFY(hasNote(measurement.notes, "not there as often as the scenario says"));
        QCOMPARE(measured(runOf(custom, spoil), scenario()).other_order, std::optional{custom});
    }

    void anotherModelTurnsNoOrder()
    {
        Scenario other = scenario();
        other.model.hidden_size = 8;
        QVERIFY(!measured(runOf(megatron_rank_order), other).other_order);
    }

    // As NCCL's calls do: such a trace knows its mapping better.
    void oneGroupThatIsToldLeavesAllAsItIs()
    {
        TraceSet traces = runOf(custom);
        const Scenario of_run = scenario(custom);
        const RankParts parts{of_run};
        traces.files[0] = traceOf(
            0,
            parts.messages(predict(of_run).value(), parts.part(RankLayout{of_run.parallel}.coordinates(0))),
            "[0, 1]");
        const Measurement measurement = measured(traces, scenario());
        QVERIFY(!measurement.other_order);
        QVERIFY(!hasNote(measurement.notes, "not there as often as the scenario says"));
    }

    void ranksThatAreGuessedProveNothing()
    {
        TraceSet traces = runOf(custom);
        for (TraceFile& file : traces.files)
            file.rank_guess = RankGuess::layout;
        const Measurement measurement = measured(traces, scenario());
        QVERIFY(!measurement.other_order);
        QVERIFY(!hasNote(measurement.notes, "not there as often as the scenario says"));
    }

    void whatTheKnownLayoutToldStaysWhileOrdersAreTried()
    {
        const TraceSet traces = runOf(custom);
        const Scenario known = scenario(custom);
        const Measurement measurement = measured(traces, scenario(), &known);
        QVERIFY(measurement.is_of_known_layout);
        QCOMPARE(measurement.other_order, std::optional{custom});
        QCOMPARE(pairs(measurement), pairs(measured(traces, known)));
        QVERIFY(!measured(traces, known, &known).other_order);
    }

    void aLayoutOnTrialIsTakenAsItIs()
    {
        const Scenario open = scenario();
        AnalysisOptions options;
        options.layout = &open;
        options.layout_is_on_trial = true;
        const Measurement measurement = analyze(runOf(custom), options);
        QVERIFY(!measurement.other_order);
        QVERIFY(pairs(measurement).contains("pp 0>2 32"));
    }

    void recordingsOfAnyMappingShowTheirOwnPairs_data()
    {
        QTest::addColumn<QString>("run");
        QTest::newRow("annotated") << "p2t2d2";
        QTest::newRow("custom mapping") << "p2t2d2-custom";
        QTest::newRow("nothing annotated") << "p2t2d2-plain";
    }
    void recordingsOfAnyMappingShowTheirOwnPairs()
    {
        QFETCH(QString, run);
        const std::filesystem::path folder{SHARDSCOPE_SHARED_FOLDER "/rig/traces/" + run.toStdString()};
        if (!std::filesystem::exists(folder))
            QSKIP("../shared has the traces");
        const auto traces = importTraces(std::array{folder});
        QVERIFY(traces);
        std::ifstream file{SHARDSCOPE_SOURCE_FOLDER "/sample_traces/sample.scenario.json"};
        std::stringstream text;
        text << file.rdbuf();
        const Presets presets = Presets::load(SHARDSCOPE_SOURCE_FOLDER "/resources/presets").value();
        Scenario open = readScenario(text.str(), presets).value().scenario;
        QStringList first;
        for (const char* order : {"tp-dp-pp", "tp-pp-dp", "pp-tp-dp"}) {
            open.parallel.rank_order = rankOrderFromWord(order).value();
            const QStringList shown = pairs(measured(traces.value(), open));
            QVERIFY(shown.contains(run == "p2t2d2-custom" ? "pp 0>2 131072" : "pp 0>4 131072"));
            QVERIFY(first.isEmpty() || shown == first);
            first = shown;
        }
    }
};

QTEST_APPLESS_MAIN(TestLayoutChoice)
#include "tst_layout_choice.moc"
