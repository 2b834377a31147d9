#include <QTest>

#include "core/prediction/model/layer_traits.h"
#include "core/prediction/time/ends_time.h"
#include "core/prediction/time/operator_costs.h"
#include "tests/core/near.h"
#include "tests/core/shipped_presets.h"

#include <algorithm>

using namespace shardscope;

class TestOperatorCosts : public QObject
{
    Q_OBJECT
private slots:
    // Every row of the list is a part of the layer's time, and no part is missing.
    void operatorsAddUpToTheLayer_data()
    {
        QTest::addColumn<QByteArray>("model");
        for (const char* model : {"gpt3-175b", "llama3-8b", "deepseek-v3", "mixtral-8x7b", "bloom-176b"})
            QTest::newRow(model) << QByteArray{model};
    }
    void operatorsAddUpToTheLayer()
    {
        QFETCH(QByteArray, model);
        Scenario scenario;
        scenario.model = shipped().model(model.toStdString())->model;
        scenario.cluster = shipped().cluster("dgx-h100")->cluster;
        scenario.training.micro_batch_size = 1;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        const LayerTime layers{figures, machine};
        for (const OperatorCosts::Layer& listed : operatorCosts(scenario).layers) {
            const ComputeTime layer = layers.layer(listed.form);
            double forward = 0.0;
            double backward = 0.0;
            for (const OperatorCost& cost : listed.operators) {
                QVERIFY(!cost.what.empty() && cost.forward_s >= 0.0 && cost.backward_s >= 0.0);
                forward += cost.forward_s;
                backward += cost.backward_s;
            }
            QVERIFY(isNear(forward, layer.forward_s));
            QVERIFY(isNear(backward, layer.input_gradient_s + layer.weight_gradient_s));
        }
        const OperatorCosts costs = operatorCosts(scenario);
        QCOMPARE(costs.layers.size(),
                 std::size_t{hasExperts(scenario.model) && scenario.model.experts.first > 0 ? 2U : 1U});
        QVERIFY(costs.mtp_module.empty());
    }

    // A module is a layer like the model's last, with a look-up and a projection before it.
    void operatorsAddUpToTheModule_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::newRow("of a dense model") << QByteArray{"llama3-8b"};
        QTest::newRow("of one with experts") << QByteArray{"deepseek-v3"};
    }
    void operatorsAddUpToTheModule()
    {
        QFETCH(QByteArray, model);
        Scenario scenario;
        scenario.model = shipped().model(model.toStdString())->model;
        scenario.model.mtp_layers = 1;
        scenario.parallel.tensor = 2;
        scenario.training.micro_batch_size = 1;
        const IterationFigures figures{scenario};
        const Machine machine{scenario.cluster};
        ComputeTime module = LayerTime{figures, machine}.module(moduleSort(scenario.model).form);
        module.add(EndsTime{figures, machine}.lookUp());
        double forward = 0.0;
        double backward = 0.0;
        for (const OperatorCost& cost : operatorCosts(scenario).mtp_module) {
            forward += cost.forward_s;
            backward += cost.backward_s;
        }
        QVERIFY(isNear(forward, module.forward_s));
        QVERIFY(isNear(backward, module.input_gradient_s + module.weight_gradient_s));
        const auto& operators = operatorCosts(scenario).mtp_module;
        const auto projects = [](const OperatorCost& cost) {
            return cost.what == "projection of both inputs";
        };
        const auto found = std::ranges::find_if(operators, projects);
        QVERIFY(found != operators.end());
        const double h = static_cast<double>(scenario.model.hidden_size);
        QCOMPARE(found->shape.n, h / 2.0);
        QCOMPARE(found->shape.k, 2.0 * h);
    }
};

QTEST_APPLESS_MAIN(TestOperatorCosts)
#include "tst_operator_costs.moc"
