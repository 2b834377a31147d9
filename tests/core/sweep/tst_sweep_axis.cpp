#include <QTest>

#include "core/scenario/defaults.h"
#include "core/scenario/node_wiring.h"
#include "core/scenario/scenario_change.h"
#include "core/scenario/validation/validation.h"
#include "core/sweep/axis_values.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_axis.h"
#include "core/sweep/sweep_place.h"
#include "tests/core/sweep/scenarios.h"

#include <algorithm>
#include <array>

using namespace shardscope;

class TestSweepAxis : public QObject
{
    Q_OBJECT
private slots:
    void everythingElseStays_data() { everyAxis(); }
    void everythingElseStays()
    {
        QFETCH(int, axis);
        const Scenario base = gpt3b();
        const AxisValue own{static_cast<SweepAxis>(axis), ownValue(base, static_cast<SweepAxis>(axis))};
        Scenario scenario = base;
        QCOMPARE(setPlace(scenario, base, std::array{own}), Misfit::none);
        QVERIFY(scenario == base);
        // Wherever it was before.
        for (const double value : barValues(base, own.axis)) {
            if (setPlace(scenario, base, std::array{AxisValue{own.axis, value}}) != Misfit::none)
                continue;
            QCOMPARE(setPlace(scenario, base, std::array{own}), Misfit::none);
            QVERIFY(scenario == base);
        }
    }

    void aPlaceDoesNotDependOnTheOneBefore_data() { everyAxis(); }
    void aPlaceDoesNotDependOnTheOneBefore()
    {
        QFETCH(int, axis);
        const Scenario base = gpt3b();
        Scenario moving = base;
        for (const double value : barValues(base, static_cast<SweepAxis>(axis))) {
            const AxisValue place{static_cast<SweepAxis>(axis), value};
            Scenario fresh = base;
            QCOMPARE(setPlace(moving, base, std::array{place}), setPlace(fresh, base, std::array{place}));
            QVERIFY(moving == fresh);
        }
    }

    void expertRanksGiveWayWithTheReplicas()
    {
        Scenario base = gpt3b();
        base.model.experts.count = 8;
        base.parallel.pipeline = base.parallel.tensor = 1;
        base.parallel.data = base.parallel.expert = 8;
        Scenario scenario = base;
        const auto expertRanks = [&](SweepAxis axis, double value) {
            setPlace(scenario, base, std::array{AxisValue{axis, value}});
            return scenario.parallel.expert;
        };
        QCOMPARE(expertRanks(SweepAxis::gpus_weak, 4.0), std::int64_t{4});
        QCOMPARE(expertRanks(SweepAxis::gpus_weak, 16.0), std::int64_t{8});
        QCOMPARE(expertRanks(SweepAxis::tensor, 4.0), std::int64_t{2});
        QCOMPARE(expertRanks(SweepAxis::expert, 2.0), std::int64_t{2});
        QCOMPARE(expertRanks(SweepAxis::layers, 8.0), std::int64_t{8});
        QVERIFY(barValues(base, SweepAxis::expert) == (std::vector<double>{1.0, 2.0, 4.0, 8.0}));
    }

    void aSplitByHandHoldsWhereThereAreAsManyParts()
    {
        Scenario base = gpt3b();
        const auto layers = base.model.layers;
        base.parallel.pipeline = 4;
        base.parallel.stage_layers = {1, 4, layers - 9, 4};
        Scenario scenario = base;
        const auto place = [&](SweepAxis axis, double value) {
            setPlace(scenario, base, std::array{AxisValue{axis, value}});
            return scenario.parallel.stage_layers == base.parallel.stage_layers;
        };
        const auto of = [](Schedule schedule) { return static_cast<double>(schedule); };
        QVERIFY(place(SweepAxis::schedule, of(Schedule::gpipe)));
        QVERIFY(place(SweepAxis::schedule, of(Schedule::zb_h1)));
        QVERIFY(!place(SweepAxis::schedule, of(Schedule::interleaved)));
        QVERIFY(place(SweepAxis::schedule, of(Schedule::one_f_one_b)));
        QVERIFY(!place(SweepAxis::pipeline, 2.0));
        QVERIFY(place(SweepAxis::pipeline, 4.0));
        QVERIFY(!place(SweepAxis::layers, static_cast<double>(layers) + 2.0));
    }

    void twoValuesHoldTogetherInEitherOrder()
    {
        Scenario base = gpt3b();
        base.parallel.stage_layers = {1, 4, base.model.layers - 9, 4};
        const auto at = [&](AxisValue first, AxisValue second) {
            Scenario scenario = base;
            setPlace(scenario, base, std::array{first, second});
            Scenario turned = base;
            setPlace(turned, base, std::array{second, first});
            return scenario == turned ? scenario : Scenario{};
        };
        const AxisValue zero_bubble{SweepAxis::schedule, static_cast<double>(Schedule::zb_h1)};
        const Scenario deeper = at(zero_bubble, {SweepAxis::pipeline, 8.0});
        QCOMPARE(deeper.parallel.schedule, Schedule::zb_h1);
        QCOMPARE(deeper.parallel.pipeline, 8);

        const double layers = static_cast<double>(base.model.layers) + 4.0;
        const Scenario larger = at({SweepAxis::layers, layers}, {SweepAxis::pipeline, 4.0});
        QCOMPARE(larger.parallel.pipeline, 4);
        QVERIFY(larger.parallel.stage_layers.empty());

        const Scenario slower = at({SweepAxis::network_bandwidth, 50.0}, {SweepAxis::slower_links, 4.0});
        QCOMPARE(slower.cluster.inter_node.bandwidth_GBps, 12.5);
    }

    // Whatever else moves: twice the GPUs have twice the sequences.
    void moreGpusWithTheSameWorkKeepIt()
    {
        const Scenario base = gpt3b();
        const auto batch = [&](double gpus, AxisValue other) {
            Scenario scenario = base;
            const Misfit misfit =
                setPlace(scenario, base, std::array{AxisValue{SweepAxis::gpus_weak, gpus}, other});
            return misfit == Misfit::none ? scenario.training.global_batch_size : 0;
        };
        const std::int64_t own = base.training.global_batch_size;
        const auto gpus = static_cast<double>(base.worldSize());
        for (const double size : {1.0, 2.0, 4.0})
            QCOMPARE(batch(2.0 * gpus, {SweepAxis::micro_batch_size, size}), 2 * own);
        QCOMPARE(batch(gpus, {SweepAxis::pipeline, 1.0}), own);
        QCOMPARE(batch(2.0 * gpus, {SweepAxis::global_batch_size, 64.0}), 128);
        QCOMPARE(batch(gpus / 8.0, {SweepAxis::global_batch_size, 2.0}), 0); // a quarter of a sequence
    }

    // A figure below that of seven links each would tell of a switch.
    void otherLinksLeaveANodeWiredAsItIs()
    {
        Scenario base = gpt3b();
        base.cluster.gpus_per_node = 8;
        base.cluster.intra_node = {"infinity_fabric", 448.0, 6.0};
        for (const AxisValue& value :
             {AxisValue{SweepAxis::slower_links, 2.0}, AxisValue{SweepAxis::node_bandwidth, 224.0}}) {
            Scenario scenario = base;
            setPlace(scenario, base, std::array{value});
            QCOMPARE(scenario.cluster.intra_node.bandwidth_GBps, 224.0);
            QCOMPARE(meshPeers(scenario.cluster), 7);
            setPlace(scenario, base, std::array{AxisValue{value.axis, ownValue(base, value.axis)}});
            QVERIFY(scenario == base);
        }
    }

    void expertsGrowWithTheHiddenSize()
    {
        Scenario base = gpt3b();
        base.model.experts.count = 8;
        base.model.experts.ffn_hidden_size = base.model.hidden_size;
        Scenario scenario = base;
        const std::int64_t hidden = 2 * base.model.hidden_size;
        setPlace(scenario, base, std::array{AxisValue{SweepAxis::hidden_size, static_cast<double>(hidden)}});
        QCOMPARE(scenario.model.experts.ffn_hidden_size, hidden);
    }

    void barsHoldTheScenariosOwnValue_data() { everyAxis(); }
    void barsHoldTheScenariosOwnValue()
    {
        QFETCH(int, axis);
        const Scenario base = gpt3b();
        const auto values = barValues(base, static_cast<SweepAxis>(axis));
        QVERIFY(values.size() >= 2);
        QVERIFY(std::ranges::is_sorted(values));
        QVERIFY(std::ranges::adjacent_find(values) == values.end());
        const double own = ownValue(base, static_cast<SweepAxis>(axis));
        QVERIFY(std::ranges::find(values, own) != values.end());
    }

    void smallModelsHaveSizesAroundTheirOwn_data()
    {
        QTest::addColumn<int>("axis");
        QTest::newRow("hidden size") << static_cast<int>(SweepAxis::hidden_size);
        QTest::newRow("sequence length") << static_cast<int>(SweepAxis::sequence_length);
    }
    void smallModelsHaveSizesAroundTheirOwn()
    {
        QFETCH(int, axis);
        Scenario base = gpt3b();
        base.model.hidden_size = 64;
        base.model.attention_heads = base.model.kv_heads = 4;
        base.model.head_dim = 16;
        base.model.sequence_length = 64;
        const std::vector<double> bars = barValues(base, static_cast<SweepAxis>(axis));
        QVERIFY(bars.size() >= 4 && bars.front() < 64.0);
        QVERIFY(std::ranges::find(bars, 64.0) != bars.end());
        const std::vector<double> map = mapValues(base, static_cast<SweepAxis>(axis), 48);
        QVERIFY(map.front() < 64.0 && map.back() >= 1024.0);
    }

    void someOtherPlaceCanBeTrained_data() { everyAxis(); }
    void someOtherPlaceCanBeTrained()
    {
        QFETCH(int, axis);
        const Scenario base = gpt3b(static_cast<SweepAxis>(axis));
        int trained = 0;
        for (const double value : mapValues(base, static_cast<SweepAxis>(axis), 32)) {
            Scenario scenario = base;
            const AxisValue place{static_cast<SweepAxis>(axis), value};
            if (setPlace(scenario, base, std::array{place}) == Misfit::none && validate(scenario).empty())
                ++trained;
        }
        QVERIFY2(trained >= 2, qPrintable(QString::number(trained)));
    }

    void otherFiguresGiveWay()
    {
        const Scenario base = gpt3b(); // (4, 2, 4), gb 1024, b 32: 8 micro-batches
        const auto at = [&](SweepAxis axis, double value) {
            Scenario scenario = base;
            const Misfit misfit = setPlace(scenario, base, std::array{AxisValue{axis, value}});
            return misfit == Misfit::none ? scenario : Scenario{};
        };
        const Scenario strong = at(SweepAxis::gpus_strong, 64);
        QCOMPARE(strong.parallel.data, 8);
        QCOMPARE(strong.training.global_batch_size, 1024);
        QCOMPARE(strong.microBatches(), 4);

        const Scenario weak = at(SweepAxis::gpus_weak, 64);
        QCOMPARE(weak.parallel.data, 8);
        QCOMPARE(weak.training.global_batch_size, 2048);
        QCOMPARE(weak.microBatches(), 8);

        const Scenario deep = at(SweepAxis::pipeline, 8);
        QCOMPARE(deep.worldSize(), 32);
        QCOMPARE(deep.parallel.data, 2);

        const Scenario traded = at(SweepAxis::tensor_for_pipeline, 4);
        QCOMPARE(traded.parallel.pipeline, 2);
        QCOMPARE(traded.parallel.data, 4);

        const Scenario wide = at(SweepAxis::hidden_size, 4000);
        QCOMPARE(wide.model.attention_heads, 80);
        QCOMPARE(wide.model.head_dim, 50);
        QCOMPARE(wide.model.ffn_hidden_size, 16000);

        const Scenario fast = at(SweepAxis::flop_vs_bandwidth, 4);
        QCOMPARE(fast.cluster.peak_tflops, 4 * base.cluster.peak_tflops);
        QCOMPARE(fast.cluster.inter_node.bandwidth_GBps, base.cluster.inter_node.bandwidth_GBps);

        const Scenario floats = at(SweepAxis::precision, static_cast<double>(Precision::fp32));
        QCOMPARE(floats.training.gradient_bytes, 4);

        Scenario in_deepspeed = base; // counts its buckets in gradients
        in_deepspeed.conventions = defaultConventions(Framework::deepspeed, in_deepspeed.model,
                                                      in_deepspeed.training, in_deepspeed.parallel);
        const std::array place{AxisValue{SweepAxis::precision, static_cast<double>(Precision::fp32)}};
        Scenario in_floats = in_deepspeed;
        QCOMPARE(setPlace(in_floats, in_deepspeed, place), Misfit::none);
        QVERIFY(in_floats == withPrecision(in_deepspeed, Precision::fp32));
    }

    void twoAxesHoldTogether()
    {
        const Scenario base = gpt3b();
        Scenario scenario = base;
        // 4 * 2 * 4 GPUs: 8 * 4 leaves one replica, in either order.
        const std::array place{AxisValue{SweepAxis::pipeline, 8}, AxisValue{SweepAxis::tensor, 4}};
        QCOMPARE(setPlace(scenario, base, place), Misfit::none);
        QCOMPARE(scenario.parallel.data, 1);
        const std::array weak{AxisValue{SweepAxis::gpus_weak, 64},
                              AxisValue{SweepAxis::micro_batch_size, 16}};
        scenario = base;
        QCOMPARE(setPlace(scenario, base, weak), Misfit::none);
        QCOMPARE(scenario.training.global_batch_size, 2 * base.training.global_batch_size);
    }

    void aTextNamesAValue_data()
    {
        QTest::addColumn<int>("axis");
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("value"); // -1: none
        const auto row = [](const char* name, SweepAxis axis, const char* text, double value) {
            QTest::newRow(name) << static_cast<int>(axis) << QString{text} << value;
        };
        row("a count", SweepAxis::layers, "96", 96);
        row("a bandwidth", SweepAxis::network_bandwidth, "12.5", 12.5);
        row("a word", SweepAxis::schedule, "zb-h1", static_cast<double>(Schedule::zb_h1));
        row("a title", SweepAxis::schedule, "DualPipe", static_cast<double>(Schedule::dualpipe));
        row("no ZeRO", SweepAxis::zero_stage, "0", 0);
        row("a length as it is written", SweepAxis::sequence_length, "32K", 32768);
        row("no length", SweepAxis::layers, "1K", -1);
        row("nothing computed again", SweepAxis::recomputed_layers, "0", 0);
        row("half a layer", SweepAxis::layers, "1.5", -1);
        row("no layer", SweepAxis::layers, "0", -1);
        row("less than none", SweepAxis::network_bandwidth, "-3", -1);
        row("no number", SweepAxis::network_bandwidth, "nan", -1);
        row("beyond all bounds", SweepAxis::layers, "1e300", -1);
        row("more behind it", SweepAxis::layers, "12x", -1);
        row("nothing", SweepAxis::layers, "", -1);
        row("no such word", SweepAxis::precision, "fp12", -1);
    }
    void aTextNamesAValue()
    {
        QFETCH(int, axis);
        QFETCH(QString, text);
        QFETCH(double, value);
        const Result<double> named = axisValue(static_cast<SweepAxis>(axis), text.toStdString());
        QCOMPARE(static_cast<bool>(named), value >= 0.0);
        if (named)
            QCOMPARE(named.value(), value);
        else
            QVERIFY(named.error().sentence.find('"' + text.toStdString() + '"') != std::string::npos);
    }

    void aMisfitSaysWhy()
    {
        const Scenario base = gpt3b();
        Scenario scenario = base;
        const Misfit gpus = setPlace(scenario, base, std::array{AxisValue{SweepAxis::pipeline, 3}});
        QCOMPARE(misfitSentence(gpus, scenario),
                 std::string{"the GPUs do not divide by pipeline * tensor * context (3 * 2 * 1)"});
        const Misfit heads = setPlace(scenario, base, std::array{AxisValue{SweepAxis::hidden_size, 2001}});
        QCOMPARE(heads, Misfit::heads);
        QVERIFY(!misfitSentence(heads, scenario).empty());
    }

    void valuesAreWrittenShort_data()
    {
        QTest::addColumn<int>("axis");
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, SweepAxis axis, double value, const char* text) {
            QTest::newRow(name) << static_cast<int>(axis) << value << text;
        };
        row("a length", SweepAxis::sequence_length, 4096, "4K");
        row("an odd length", SweepAxis::sequence_length, 1000, "1000");
        row("a stage of ZeRO", SweepAxis::zero_stage, 2, "ZeRO 2");
        row("a schedule", SweepAxis::schedule, 1, "1F1B");
        row("a schedule without bubbles", SweepAxis::schedule, 3, "ZB-H1");
        row("a format", SweepAxis::precision, 3, "fp8");
        row("the smallest format", SweepAxis::precision, 4, "fp4");
        row("a ratio", SweepAxis::flop_vs_bandwidth, 2.5, "2.5x");
        row("a bandwidth", SweepAxis::network_bandwidth, 3.125, "3.125");
        row("GPUs", SweepAxis::gpus_weak, 1024, "1024");
    }
    void valuesAreWrittenShort()
    {
        QFETCH(int, axis);
        QFETCH(double, value);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(axisText(static_cast<SweepAxis>(axis), value)), text);
    }

    void placesAreNamedInSentences()
    {
        QCOMPARE(axisPhrase(SweepAxis::gpus_weak, 64), std::string{"64 GPUs"});
        QCOMPARE(axisPhrase(SweepAxis::gpus_strong, 64), std::string{"64 GPUs"});
        QCOMPARE(axisPhrase(SweepAxis::zero_stage, 3), std::string{"ZeRO 3"});
        QCOMPARE(axisPhrase(SweepAxis::sequence_length, 4096), std::string{"sequence length s 4K"});
    }

    // The interleaved schedule needs several virtual stages, whatever the scenario has.
    void anInterleavedPointTellsItsVirtualStages()
    {
        const Scenario base = gpt3b();
        SweepPoint point;
        point.scenario = base;
        const double interleaved = static_cast<double>(Schedule::interleaved);
        QCOMPARE(setPlace(point.scenario, base, std::array{AxisValue{SweepAxis::schedule, interleaved}}),
                 Misfit::none);
        QCOMPARE(pointText(point, SweepAxis::schedule, interleaved), std::string{"Interleaved, v 2"});
        point.scenario = base;
        QCOMPARE(pointText(point, SweepAxis::schedule, 1.0), std::string{"1F1B"});
    }

private:
    static void everyAxis()
    {
        QTest::addColumn<int>("axis");
        for (int axis = 0; axis < sweep_axis_count; ++axis)
            QTest::addRow("%d %s", axis, axisKey(static_cast<SweepAxis>(axis)).c_str()) << axis;
    }
};

QTEST_APPLESS_MAIN(TestSweepAxis)
#include "tst_sweep_axis.moc"
