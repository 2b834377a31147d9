#include <QTest>

#include "core/prediction/time/ends_time.h"
#include "core/prediction/time/layer_time.h"
#include "tests/core/prediction/predicted.h"
#include "tests/core/prediction/small_scenario.h"

#include <cmath>

using namespace shardscope;

// What modules of multi-token prediction take, and where they stand in the passes of the last stage.
class TestMultiTokenTime : public QObject
{
    Q_OBJECT
private slots:
    // All micro-batches pass a layer and a head more, by the laws that theirs go by.
    void theIterationTakesTheirTime_data()
    {
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("split_tokens");
        QTest::newRow("one GPU") << 1 << 1 << false;
        QTest::newRow("tensor ranks") << 1 << 2 << false;
        QTest::newRow("split tokens") << 1 << 2 << true;
        QTest::newRow("stages") << 4 << 1 << false;
    }
    void theIterationTakesTheirTime()
    {
        QFETCH(int, pipeline);
        QFETCH(int, tensor);
        QFETCH(bool, split_tokens);
        Scenario scenario = small(pipeline, tensor, 1);
        scenario.model.hidden_size = 2048;
        scenario.model.head_dim = 512;
        scenario.model.ffn_hidden_size = 8192;
        scenario.model.sequence_length = 2048;
        scenario.parallel.sequence_parallel = split_tokens;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        const ComputeTime layer = LayerTime{figures, machine}.layer(LayerForm::attention_mlp);
        const ComputeTime head = EndsTime{figures, machine}.head();
        const double each_s = layer.forward_s + layer.input_gradient_s + layer.weight_gradient_s
                              + head.forward_s + head.input_gradient_s + head.weight_gradient_s;
        const double least_s = static_cast<double>(scenario.microBatches()) * each_s;
        const double with_s = predicted(withModules(scenario, 1)).time.iteration_s;
        const double without_s = predicted(scenario).time.iteration_s;
        QVERIFY2(with_s - without_s > least_s, qPrintable(QString::number((with_s - without_s) / least_s)));
        // And not much more: the projection, norms and words of h beside a layer of 12 h.
        QVERIFY2(with_s - without_s < 2.0 * least_s,
                 qPrintable(QString::number((with_s - without_s) / least_s)));
    }

    void leastTimeStaysBelowTheTime()
    {
        Scenario scenario = withModules(withExperts(small(4, 2, 4), 0.0), 2);
        const Result<CostAtLeast> least = costAtLeast(scenario);
        QVERIFY(least);
        const double time_s = predicted(scenario).time.iteration_s;
        QVERIFY(least.value().iteration_s <= time_s);
        QVERIFY(least.value().iteration_s > 0.5 * time_s);
    }

    void theLiModelCountsThem()
    {
        Scenario scenario = small(2, 2, 1);
        scenario.time_model = TimeModel::li;
        const TimePrediction without = predicted(scenario).time;
        const TimePrediction with = predicted(withModules(scenario, 2)).time;
        QCOMPARE(with.tp_s / without.tp_s, 10.0 / 8.0);
        QVERIFY(with.compute_s > without.compute_s);
    }

    // A pass's parts fill it, and name the layers behind the model's own.
    void theTimelineShowsThem_data()
    {
        QTest::addColumn<QString>("schedule");
        for (const char* name : {"1f1b", "interleaved", "zb-h1", "dualpipe"})
            QTest::newRow(name) << QString{name};
    }
    void theTimelineShowsThem()
    {
        QFETCH(QString, schedule);
        Scenario scenario = withModules(withExperts(small(4, 2, 4), 0.0), 1);
        scenario.training.global_batch_size *= 2;
        if (schedule == "interleaved") {
            scenario.parallel.schedule = Schedule::interleaved;
            scenario.parallel.virtual_stages = 2;
        } else if (schedule == "zb-h1") {
            scenario.parallel.schedule = Schedule::zb_h1;
        } else if (schedule == "dualpipe") {
            scenario.parallel.schedule = Schedule::dualpipe;
        }
        const PredictedTimeline timeline = timelineOf(scenario);
        bool projects = false;
        bool sums_words = false;
        for (const PassParts& pass : timeline.passes) {
            double end_s = 0.0;
            for (const PassPart& part : pass.in_turn) {
                QVERIFY(part.layer < 9);
                projects = projects || (part.layer == 8 && part.what == "projection of both inputs");
                sums_words = sums_words || (part.layer == 8 && part.what == "mtp_embedding");
                end_s = part.end_s();
            }
            QVERIFY(std::fabs(end_s - pass.duration_s) <= 1e-9 * pass.duration_s);
        }
        QVERIFY(projects);
        QVERIFY(sums_words);
    }

    void theWordsComeBeforeTheProjectionAndThatBeforeTheLayer()
    {
        const PredictedTimeline timeline = timelineOf(withModules(small(1, 2, 1), 1));
        const PassParts& forward = timeline.passes[passPartsIndex(0, PassForm::forward)];
        std::vector<std::string_view> of_module;
        for (const PassPart& part : forward.in_turn)
            if (part.layer == 8)
                of_module.push_back(part.what);
        const std::vector<std::string_view> first(of_module.begin(), of_module.begin() + 5);
        QCOMPARE(first, (std::vector<std::string_view>{"embedding", "mtp_embedding",
                                                       "norms and joining of both inputs",
                                                       "projection of both inputs", "mtp_projected"}));
        QCOMPARE(forward.in_turn[forward.in_turn.size() - 4].what, "logits and loss");
    }
};

QTEST_APPLESS_MAIN(TestMultiTokenTime)
#include "tst_multi_token_time.moc"
