#include <QTest>

#include "core/base/resources.h"
#include "core/scenario/asked_names.h"
#include "core/scenario/scenario_json.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace shardscope;

class TestAskedNames : public QObject
{
    Q_OBJECT
private slots:
    void slipsAreTold_data()
    {
        QTest::addColumn<QByteArray>("written");
        QTest::addColumn<QByteArray>("asked");
        QTest::addColumn<bool>("told");
        const auto row = [](const char* name, const char* written, const char* asked, bool told) {
            QTest::newRow(name) << QByteArray{written} << QByteArray{asked} << told;
        };
        row("a letter is missing", "tensor_model_paralel_size", "tensor_model_parallel_size", true);
        row("two slips in a long name", "use_distributted_optimiser", "use_distributed_optimizer", true);
        row("one in a short name", "stagee", "stage", true);
        row("two in a short name", "stagger", "stage", false);
        row("a name of four letters", "topp", "topk", false);
        row("another section", "training.degree", "parallelism.degreee", false);
        row("the same section", "parallelism.degreee", "parallelism.degree", true);
        row("a section", "zero_optimizations", "zero_optimization.stage", true);
        row("no slip", "tensor_model_parallel_size", "tensor_model_parallel_size", false);
        row("of no interest", "log_interval", "tensor_model_parallel_size", false);
    }
    void slipsAreTold()
    {
        QFETCH(QByteArray, written);
        QFETCH(QByteArray, asked);
        AskedNames names;
        names.add(asked.toStdString());
        const std::vector<std::string> all{written.toStdString()};
        QTEST(!names.misspelt(all).empty(), "told");
    }

    void aNameThatIsThereIsNotMeant()
    {
        AskedNames names;
        names.add("kv_lora_rank");
        const std::vector<std::string> written{"kv_lora_rank", "kw_lora_rank"};
        QVERIFY(names.misspelt(written).empty());
    }

    void readersTellThem_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("note");
        QTest::newRow("a script of Megatron-LM")
            << QByteArray{"torchrun pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 "
                          "--seq-length 128 --tensor-model-paralel-size 8\n"}
            << QByteArray{"tensor_model_paralel_size is not known here and is left out; "
                          "tensor_model_parallel_size may have been meant."};
        QTest::newRow("a job of torchtitan")
            << QByteArray{"[model]\nname = \"llama3\"\nflavor = \"8B\"\n[parallelism]\n"
                          "tensor_paralel_degree = 8\n"}
            << QByteArray{"parallelism.tensor_paralel_degree is not known here and is left out; "
                          "parallelism.tensor_parallel_degree may have been meant."};
        QTest::newRow("DeepSpeed's configuration")
            << QByteArray{R"({"train_batch_size": 8, "zero_optimizations": {"stage": 2}})"}
            << QByteArray{"zero_optimizations is not known here and is left out; zero_optimization may have "
                          "been meant."};
    }
    void readersTellThem()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, note);
        const Presets presets = Presets::load(resourcesFolder() / "presets").value();
        const ScenarioReading reading = readScenario(text.toStdString(), presets).value();
        QVERIFY(std::ranges::find(reading.warnings, note.toStdString()) != reading.warnings.end());
    }
};

QTEST_APPLESS_MAIN(TestAskedNames)
#include "tst_asked_names.moc"
