#include <QTest>

#include "core/scenario/layer_form_words.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/scenario_settings.h"
#include "tests/core/shipped_presets.h"

using namespace shardscope;

// What layers are made of, as files, the form and Megatron-LM write it.
class TestLayerPattern : public QObject
{
    Q_OBJECT
private slots:
    void textsAreWords_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("written");
        QTest::newRow("words") << QByteArray{"ME ME *E"} << QByteArray{"ME ME *E"};
        QTest::newRow("commas, lines and blanks around")
            << QByteArray{" M-,M-\n *- "} << QByteArray{"M- M- *-"};
        QTest::newRow("Megatron-LM's letters") << QByteArray{"M-M*-E"} << QByteArray{"M - M * - E"};
        QTest::newRow("letters with a blank behind") << QByteArray{"M-M*- "} << QByteArray{"M - M * -"};
        QTest::newRow("two letters are a layer of both") << QByteArray{"M-"} << QByteArray{"M-"};
        QTest::newRow("a gated delta net") << QByteArray{"GE GE *E"} << QByteArray{"ME ME *E"};
        QTest::newRow("nothing") << QByteArray{""} << QByteArray{""};
    }
    void textsAreWords()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, written);
        const auto pattern = layerPattern(text.toStdString());
        QVERIFY(pattern);
        QCOMPARE(layerPatternText(pattern.value()), written.toStdString());
    }

    void aPatternIsAsShortAsItsLayersAllow_data()
    {
        QTest::addColumn<QByteArray>("layers");
        QTest::addColumn<QByteArray>("shortest");
        QTest::newRow("none") << QByteArray{""} << QByteArray{""};
        QTest::newRow("one") << QByteArray{"M-"} << QByteArray{"M-"};
        QTest::newRow("all alike") << QByteArray{"M- M- M-"} << QByteArray{"M-"};
        QTest::newRow("two rounds") << QByteArray{"M- *- M- *-"} << QByteArray{"M- *-"};
        QTest::newRow("a round that has repeats in it")
            << QByteArray{"M- M- *- M- M- M- *- M-"} << QByteArray{"M- M- *- M-"};
        QTest::newRow("a second round broken off")
            << QByteArray{"M- M- *- M- M-"} << QByteArray{"M- M- *- M- M-"};
        QTest::newRow("nothing twice") << QByteArray{"M- *- ME"} << QByteArray{"M- *- ME"};
    }
    void aPatternIsAsShortAsItsLayersAllow()
    {
        QFETCH(QByteArray, layers);
        QFETCH(QByteArray, shortest);
        const auto listed = layerPattern(layers.toStdString());
        QVERIFY(listed);
        QCOMPARE(layerPatternText(shortestPattern(listed.value())), shortest.toStdString());
    }

    void otherWordsAreNone_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char* text : {"X", "M- Q", "-M", "EE *E", "M|M-", "M-/*-"})
            QTest::newRow(text) << QByteArray{text};
    }
    void otherWordsAreNone()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!layerPattern(text.toStdString()));
    }

    void filesHaveATextOrAList_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("a text") << QByteArray{R"("M - * -")"};
        QTest::newRow("a list") << QByteArray{R"(["M", "-", "*", "-"])"};
        QTest::newRow("letters in a list") << QByteArray{R"(["M-*-"])"};
    }
    void filesHaveATextOrAList()
    {
        QFETCH(QByteArray, json);
        const auto reading = readScenario(R"({"model": {"recurrence": {"heads": 64}, "layer_pattern": )"
                                              + json.toStdString() + "}}",
                                          shipped());
        QVERIFY(reading);
        QCOMPARE(layerPatternText(reading.value().scenario.model.layer_pattern), std::string{"M - * -"});
    }

    // A preset's figures stand where a file says nothing.
    void whatAPresetHasAndAScenarioHasNotIsWritten()
    {
        const auto reading = readScenario(
            R"({"model": {"preset": "qwen3-next-80b-a3b", "attention_gate": false, "layer_pattern": ""}})",
            shipped());
        QVERIFY(reading);
        const Scenario& scenario = reading.value().scenario;
        const auto again = readScenario(writeScenario(scenario), shipped());
        QVERIFY(again);
        QVERIFY(again.value().scenario.model == scenario.model);
        QVERIFY(scenario.model.layer_pattern.empty() && !scenario.model.attention_gate);
    }

    // Keys of recurrences have names of their own: those that were the only ones of their name stay so.
    void shortNamesMeanWhatTheyMeant()
    {
        for (const char* text : {"head_dim=64", "groups=1", "heads=64", "value_dim=64", "key_groups=4"})
            QVERIFY2(ScenarioSettings::parse(text), text);
    }
};

QTEST_APPLESS_MAIN(TestLayerPattern)
#include "tst_layer_pattern.moc"
