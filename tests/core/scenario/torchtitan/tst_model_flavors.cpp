#include <QTest>

#include "core/base/resources.h"
#include "core/prediction/model/model_parameters.h"
#include "core/scenario/torchtitan/model_flavors.h"

using namespace shardscope;

// The models that torchtitan knows by name and flavor.
class TestModelFlavors : public QObject
{
    Q_OBJECT
private slots:
    // The number of parameters that the models are published with: their weights' index, or their card. Of
    // DeepSeek's 236B the report tells 235.7 billion (DeepSeek-V2, section 3.1.2).
    void flavorsHaveThePublishedParameters_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("flavor");
        QTest::addColumn<qint64>("parameters");
        QTest::newRow("Llama 3 8B") << "llama3"
                                    << "8B" << qint64{8030261248};
        QTest::newRow("Llama 3 8B with another kernel") << "llama3"
                                                        << "8B_flex" << qint64{8030261248};
        QTest::newRow("Llama 3 70B") << "llama3"
                                     << "70B" << qint64{70553706496};
        QTest::newRow("Llama 3 405B") << "llama3"
                                      << "405B" << qint64{405853388800};
        QTest::newRow("DeepSeek-V2-Lite") << "deepseek_v3"
                                          << "16B" << qint64{15706484224};
        QTest::newRow("DeepSeek-V2") << "deepseek_v3"
                                     << "236B" << qint64{235741434880};
        QTest::newRow("DeepSeek-V3") << "deepseek_v3"
                                     << "671B" << qint64{671026419200};
        QTest::newRow("Qwen3 0.6B") << "qwen3"
                                    << "0.6B" << qint64{596049920};
        QTest::newRow("Qwen3 1.7B") << "qwen3"
                                    << "1.7B" << qint64{1720574976};
        QTest::newRow("Qwen3 4B") << "qwen3"
                                  << "4B" << qint64{4022468096};
        QTest::newRow("Qwen3 8B") << "qwen3"
                                  << "8B" << qint64{8190735360};
        QTest::newRow("Qwen3 14B") << "qwen3"
                                   << "14B" << qint64{14768307200};
        QTest::newRow("Qwen3 30B-A3B") << "qwen3"
                                       << "30B-A3B" << qint64{30532122624};
        QTest::newRow("Llama 4 Scout, text") << "llama4"
                                             << "17bx16e" << qint64{107769861120};
        QTest::newRow("Llama 4 Maverick, text") << "llama4"
                                                << "17bx128e" << qint64{400711848960};
    }
    void flavorsHaveThePublishedParameters()
    {
        QFETCH(QString, name);
        QFETCH(QString, flavor);
        const auto presets = Presets::load(resourcesFolder() / "presets");
        QVERIFY(presets);
        const auto model = modelOfFlavor(name.toStdString(), flavor.toStdString(), presets.value());
        QVERIFY(model);
        QTEST(qint64{countParameters(*model).total}, "parameters");
    }

    void othersAreNotKnown()
    {
        QVERIFY(!modelOfFlavor("llama3", "3B", Presets{}));
        QVERIFY(!modelOfFlavor("flux", "8B", Presets{}));
        QVERIFY2(!modelOfFlavor("llama3", "8B", Presets{}), "its preset is not there");
    }
};

QTEST_APPLESS_MAIN(TestModelFlavors)
#include "tst_model_flavors.moc"
