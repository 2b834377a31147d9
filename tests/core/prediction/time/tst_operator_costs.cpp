#include <QTest>

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
        for (const bool moe : {false, hasExperts(scenario.model)}) {
            const ComputeTime layer = layers.layer(moe);
            double forward = 0.0;
            double backward = 0.0;
            for (const OperatorCost& cost : layers.layerOperators(moe)) {
                QVERIFY(!cost.what.empty() && cost.forward_s >= 0.0 && cost.backward_s >= 0.0);
                forward += cost.forward_s;
                backward += cost.backward_s;
            }
            QVERIFY(isNear(forward, layer.forward_s));
            QVERIFY(isNear(backward, layer.input_gradient_s + layer.weight_gradient_s));
        }
        const OperatorCosts costs = operatorCosts(scenario);
        QCOMPARE(costs.expert_layer.empty(), !hasExperts(scenario.model));
    }
};

QTEST_APPLESS_MAIN(TestOperatorCosts)
#include "tst_operator_costs.moc"
