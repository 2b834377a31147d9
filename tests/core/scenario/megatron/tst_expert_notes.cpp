#include <QTest>

#include "core/scenario/validation/validation.h"
#include "tests/core/scenario/megatron/deepspeed_scripts.h"

using namespace shardscope;

// What runs say of their experts, and what of it no scenario does.
class TestExpertNotes : public QObject
{
    Q_OBJECT
private slots:
    void tokensThatAllRanksGatherAreNoted_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<bool>("is_table"); // of a log
        QTest::addColumn<QString>("note");  // empty: none
        const QString spread = "--num-experts 8 --expert-model-parallel-size 4 ";
        QTest::newRow("by default") << spread << false
                                    << "not set, and Megatron-LM's default is allgather: every rank";
        QTest::newRow("told") << spread + "--moe-token-dispatcher-type allgather" << false
                              << "moe_token_dispatcher_type is allgather: every rank";
        QTest::newRow("in a table") << spread + "--moe-token-dispatcher-type allgather" << true
                                    << "moe_token_dispatcher_type is allgather: every rank";
        QTest::newRow("not in a table of a version without a choice") << spread << true << "";
        QTest::newRow("another one") << spread + "--moe-token-dispatcher-type alltoall" << false << "";
        QTest::newRow("DeepEP") << spread + "--moe-token-dispatcher-type flex" << false << "";
        QTest::newRow("DeepEP with a capacity")
            << spread
                   + "--moe-token-dispatcher-type flex --moe-pad-expert-input-to-capacity "
                     "--moe-expert-capacity-factor 1.0"
            << false
            << "flex with a capacity of experts, which no scenario has together; all_to_all is predicted";
        QTest::newRow("all experts on each rank") << "--num-experts 8" << false << "";
        QTest::newRow("no experts") << "" << false << "";
        QTest::newRow("Megatron-DeepSpeed has all_to_all alone")
            << "--deepspeed --num-experts 8 --moe-expert-parallel-size 4" << false << "";
    }
    void tokensThatAllRanksGatherAreNoted()
    {
        QFETCH(QString, options);
        QFETCH(bool, is_table);
        QFETCH(QString, note);
        const MegatronRun run = runOf(script(options + (is_table ? " --params-dtype torch.bfloat16" : "")));
        QStringList notes = notesOf(run).filter("moe_token_dispatcher_type");
        QCOMPARE(notes.size(), note.isEmpty() ? 0 : 1);
        QVERIFY2(note.isEmpty() || notes.first().contains(note), qPrintable(notes.join(' ')));
        QVERIFY(validate(run.scenario).empty());
    }

    void expertsAreSplitOrWhole_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<bool>("are_split");
        QTest::addColumn<QString>("note"); // empty: none
        QTest::newRow("split as the rest where nothing says otherwise")
            << "--sequence-parallel --expert-model-parallel-size 2" << true << "";
        QTest::newRow("split as the rest")
            << "--sequence-parallel --expert-model-parallel-size 2 --expert-tensor-parallel-size 4" << true
            << "";
        QTest::newRow("whole, on more ranks than replicas are")
            << "--sequence-parallel --expert-model-parallel-size 8 --expert-tensor-parallel-size 1" << false
            << "";
        QTest::newRow("whole, all of them on each rank")
            << "--sequence-parallel --expert-tensor-parallel-size 1" << false << "";
        QTest::newRow("split over a part of the ranks")
            << "--sequence-parallel --expert-model-parallel-size 2 --expert-tensor-parallel-size 2" << true
            << "the run has expert_tensor_parallel_size 2.";
        QTest::newRow("whole, of the same tokens on each rank")
            << "--expert-model-parallel-size 2 --expert-tensor-parallel-size 1" << true
            << "the run has expert_tensor_parallel_size 1.";
    }
    void expertsAreSplitOrWhole()
    {
        QFETCH(QString, options);
        QFETCH(QString, note);
        const MegatronRun run = runOf(script("--num-experts 8 --tensor-model-parallel-size 4 " + options));
        const QStringList notes = notesOf(run).filter("expert_tensor_parallel_size");
        QCOMPARE(notes.size(), note.isEmpty() ? 0 : 1);
        QVERIFY2(note.isEmpty() || notes.first().contains(note), qPrintable(notes.join(' ')));
        QTEST(run.scenario.parallel.expert_tensor_parallel, "are_split");
        QVERIFY(validate(run.scenario).empty());
    }

private:
    static std::string script(const QString& options)
    {
        return QString{"torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 12 --hidden-size 768 "
                       "--num-attention-heads 12 --seq-length 1024 --vocab-size 50257 --bf16 %1\n"}
            .arg(options)
            .toStdString();
    }
};

QTEST_APPLESS_MAIN(TestExpertNotes)
#include "tst_expert_notes.moc"
