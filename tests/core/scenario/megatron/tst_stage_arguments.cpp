#include <QTest>

#include "core/scenario/validation/validation.h"
#include "tests/core/scenario/megatron/megatron_table.h"

using namespace shardscope;

// Stages that have layers of their own, in the arguments of Megatron-LM.
class TestStageArguments : public QObject
{
    Q_OBJECT
private slots:
    void stagesOfTheirOwnAreReadFromALayout_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QList<qint64>>("layers");
        const QString p4 = QStringLiteral("pipeline_model_parallel_size 4");
        QTest::newRow("counted") << QStringList{p4, "pipeline_model_parallel_layout Et*7|t*6|t*6|t*5L"}
                                 << QList<qint64>{7, 6, 6, 5};
        QTest::newRow("one by one") << QStringList{p4, "num_layers 5",
                                                   "pipeline_model_parallel_layout Et|tt|t|tL"}
                                    << QList<qint64>{1, 2, 1, 1};
        QTest::newRow("with modules for further tokens on the last")
            << QStringList{p4, "num_layers 5", "mtp_num_layers 1",
                           "pipeline_model_parallel_layout Et|tt|t|tmL"}
            << QList<qint64>{1, 2, 1, 1};
        QTest::newRow("with virtual stages")
            << QStringList{"num_layers 5", "pipeline_model_parallel_size 2", "global_batch_size 16",
                           "pipeline_model_parallel_layout Et|tt|t|tL"}
            << QList<qint64>{1, 2, 1, 1};
        QTest::newRow("ends of their own")
            << QStringList{p4, "decoder_first_pipeline_num_layers 4", "decoder_last_pipeline_num_layers 4"}
            << QList<qint64>{4, 8, 8, 4};
        QTest::newRow("ends of their own, cut into virtual stages")
            << QStringList{p4, "decoder_first_pipeline_num_layers 4", "decoder_last_pipeline_num_layers 4",
                           "virtual_pipeline_model_parallel_size 2", "global_batch_size 32"}
            << QList<qint64>{2, 4, 4, 2, 2, 4, 4, 2};
        QTest::newRow("commas among parts that are repeated")
            << QStringList{p4, "num_layers 7", "pipeline_model_parallel_layout E,t*2|(t,t|)*2,tL"}
            << QList<qint64>{2, 2, 2, 1};
        QTest::newRow("repeated parts")
            << QStringList{p4, "pipeline_model_parallel_layout E,(t*8|)*3,L"} << QList<qint64>{8, 8, 8, 0};
        QTest::newRow("of DeepSeek-V3 on eight stages")
            << QStringList{"num_layers 61",        "pipeline_model_parallel_size 8",
                           "mtp_num_layers 1",     "world_size 16",
                           "global_batch_size 32", "pipeline_model_parallel_layout Et*2|(tt|)*22t|(tt|)*7mL"}
            << (QList<qint64>{} << QList<qint64>(23, 2) << 1 << QList<qint64>(7, 2) << 0);
        QTest::newRow("modules before the last, predicted there")
            << QStringList{p4, "num_layers 5", "mtp_num_layers 1",
                           "pipeline_model_parallel_layout Et|tt|tm|tL"}
            << QList<qint64>{1, 2, 1, 1};
        QTest::newRow("parts that nobody closes")
            << QStringList{p4, "pipeline_model_parallel_layout E(t*8|t*16L"} << QList<qint64>{};
        QTest::newRow("more parts than anyone has")
            << QStringList{p4, "pipeline_model_parallel_layout E(tt|)*999999999L"} << QList<qint64>{};
        QTest::newRow("other layers than the model's are not")
            << QStringList{p4, "pipeline_model_parallel_layout Et*7|t*6|t*6|t*9L"} << QList<qint64>{};
    }
    void stagesOfTheirOwnAreReadFromALayout()
    {
        QFETCH(QStringList, more);
        QFETCH(QList<qint64>, layers);
        const MegatronRun run = runOf(small_gpt + more);
        const auto& read = run.scenario.parallel.stage_layers;
        QCOMPARE(QList<qint64>(read.begin(), read.end()), layers);
        QCOMPARE(hasNote(run, "Which layers each stage has"), layers.isEmpty());
        QVERIFY(validate(run.scenario).empty());
    }
};

QTEST_APPLESS_MAIN(TestStageArguments)
#include "tst_stage_arguments.moc"
