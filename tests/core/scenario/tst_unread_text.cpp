#include <QTest>

#include "core/scenario/scenario_json.h"
#include "core/scenario/unread_text.h"

using namespace shardscope;

// Configurations that no scenario is read from are told which are.
class TestUnreadText : public QObject
{
    Q_OBJECT
private slots:
    void configurationsThatAreNotReadAreNamed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("YAML of NeMo") << QByteArray{"# GPT\nname: megatron_gpt\n\ntrainer:\n  devices: 8\n"
                                                    "  num_nodes: 4\nmodel:\n  hidden_size: 12288\n"}
                                      << QString{"this is YAML"};
        QTest::newRow("YAML with a mark at its beginning")
            << QByteArray{"---\nbase_model: meta-llama\ndatasets:\n- path: c4\n  type: text\n"}
            << QString{"this is YAML"};
        QTest::newRow("YAML that is a list")
            << QByteArray{"- name: a\n  lr: 3\n- name: b\n"} << QString{"this is YAML"};
        QTest::newRow("TOML of a project") << QByteArray{"[project]\nname = \"x\"\n"}
                                           << QString{"this is TOML, but no job configuration of torchtitan"};
        QTest::newRow("TOML with a slip") << QByteArray{"# x\n[a]\nb = \n"} << QString{"this is TOML"};
    }
    void configurationsThatAreNotReadAreNamed()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, sentence);
        QVERIFY(isUnreadConfiguration(text.toStdString()));
        QVERIFY(looksLikeScenario(text.toStdString()));
        const auto reading = readScenario(text.toStdString(), Presets{});
        QVERIFY(!reading);
        const QString refusal = QString::fromStdString(reading.error().sentence);
        QVERIFY2(refusal.startsWith(sentence), qPrintable(refusal));
        for (const char* file :
             {"docs/scenario.md", "config.json", "ds_config.json", "Megatron-LM", "torchtitan"})
            QVERIFY2(refusal.contains(file), file);
    }

    void othersAreNone_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("nothing") << QByteArray{};
        QTest::newRow("JSON") << QByteArray{"{\"name\": \"x\"}\n"};
        QTest::newRow("a list of JSON") << QByteArray{"[true,\n{\"a\": 1}]\n"};
        QTest::newRow("a script") << QByteArray{"#!/bin/bash\nTP=2\n[ -f x ] && exit\npython train.py\n"};
        QTest::newRow("a script of Megatron-LM")
            << QByteArray{"TP=2\n[[ -f x ]] && exit\ntorchrun pretrain_gpt.py --num-layers 2\n"};
        QTest::newRow("a job of torchtitan") << QByteArray{"[model]\nflavor = \"8B\"\n"};
        QTest::newRow("a log") << QByteArray{"WARNING: a\nINFO: b\n iteration 1/ 2 | loss: 3\n"};
        QTest::newRow("a log of NCCL") << QByteArray{"n1: 9\nn1: 8\nn1:9:9 [0] NCCL INFO x\n"};
        QTest::newRow("a table") << QByteArray{"bytes,us\n1,2\n"};
        QTest::newRow("one line with a colon") << QByteArray{"time: 3\n"};
        QTest::newRow("nested") << QByteArray{"  a: 1\n  b: 2\n"};
        QTest::newRow("bytes") << QByteArray{"\x80\x02}q\x00(X\x07:\n", 11};
    }
    void othersAreNone()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!isUnreadConfiguration(text.toStdString()));
    }
};

QTEST_APPLESS_MAIN(TestUnreadText)
#include "tst_unread_text.moc"
