#include <QTest>

#include "tests/core/scenario/megatron/deepspeed_scripts.h"

#include <optional>

using namespace shardscope;

namespace
{

MegatronRun runWith(const QString& options)
{
    const QString script = "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 24 --hidden-size 1024 "
                           "--num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 --bf16 "
                           "--attention-backend flash --vocab-size 50257 ";
    return runOf((script + options).toStdString());
}

std::optional<ArgumentFigure> figureOf(const MegatronRun& run, const QString& key)
{
    const auto found = std::ranges::find(run.figures, key.toStdString(), &ArgumentFigure::key);
    return found == run.figures.end() ? std::nullopt : std::optional{*found};
}

} // namespace

// Which figures arguments are said to tell, and by what.
class TestToldFigures : public QObject
{
    Q_OBJECT
private slots:
    void aSizeThatIsNoneIsANoteAndNoEvidence_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("key"); // that it does not tell; empty: nor would it alone
        QTest::addColumn<QString>("note");
        const QString none = ", which is no whole number from 1 to 999 999 999; ";
        QTest::newRow("a word") << "--global-batch-size abc"
                                << "training.global_batch_size"
                                << "global_batch_size is \"abc\"" + none + "8 is taken.";
        QTest::newRow("nothing") << "--global-batch-size 0"
                                 << "training.global_batch_size"
                                 << "global_batch_size is \"0\"" + none + "8 is taken.";
        QTest::newRow("a part") << "--micro-batch-size 1.5"
                                << "training.micro_batch_size"
                                << "micro_batch_size is \"1.5\"" + none + "1 is taken.";
        QTest::newRow("of a layout") << "--tensor-model-parallel-size two"
                                     << "parallel.tensor"
                                     << "tensor_model_parallel_size is \"two\"" + none + "1 is taken.";
        QTest::newRow("of what is no figure")
            << "--make-vocab-size-divisible-by many"
            << ""
            << "make_vocab_size_divisible_by is \"many\"" + none + "it is left out.";
        QTest::newRow("a share") << "--num-experts 8 --moe-expert-capacity-factor some"
                                 << "model.experts.capacity_factor"
                                 << "moe_expert_capacity_factor some is no number; 0 is taken.";
    }
    void aSizeThatIsNoneIsANoteAndNoEvidence()
    {
        QFETCH(QString, options);
        QFETCH(QString, key);
        QFETCH(QString, note);
        const MegatronRun run = runWith(options);
        QVERIFY(!figureOf(run, key));
        QCOMPARE(notesOf(run).count(note), 1);
    }

    // A figure is predicted all the same.
    void whatMegatronRefusesIsANote_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("note"); // empty: it takes them
        const QString stages = "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage ";
        QTest::newRow("layers that do not divide a stage")
            << stages + "5"
            << "num_layers_per_virtual_pipeline_stage 5 does not divide the layers of a stage, which "
               "Megatron-LM refuses; 2 virtual stages are taken.";
        QTest::newRow("layers that do") << stages + "4"
                                        << "";
        QTest::newRow("parameters that nobody shares out")
            << "--overlap-param-gather"
            << "overlap_param_gather: Megatron-LM refuses it without use_distributed_optimizer; no "
               "parameters are predicted to be gathered.";
        QTest::newRow("shared out") << "--overlap-param-gather --use-distributed-optimizer"
                                    << "";
    }
    void whatMegatronRefusesIsANote()
    {
        QFETCH(QString, options);
        QFETCH(QString, note);
        const QStringList notes = notesOf(runWith(options));
        QCOMPARE(notes.filter("Megatron-LM refuses"), note.isEmpty() ? QStringList{} : QStringList{note});
    }

    // Of none there are modules for further tokens, as the argument says.
    void noneOfAThingIsEvidence()
    {
        const MegatronRun run = runWith("--mtp-num-layers 0");
        QCOMPARE(figureOf(run, "model.mtp_layers").value().evidence, "mtp_num_layers 0");
        QVERIFY(!anyHolds(notesOf(run), "mtp_num_layers"));
    }

    void whatIsTakenIsTold_data()
    {
        QTest::addColumn<QString>("options");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("evidence");
        const auto row = [](const QString& options, const QString& key, const QString& value,
                            const QString& evidence) {
            QTest::newRow(qPrintable(key + ' ' + value)) << options << key << value << evidence;
        };
        const QString experts = "--num-experts 8 ";
        row(experts + "--moe-expert-capacity-factor 1.25 --moe-pad-expert-input-to-capacity",
            "model.experts.capacity_factor", "1.25", "moe_expert_capacity_factor 1.25");
        row(experts + "--moe-router-enable-expert-bias", "model.experts.routing_bias", "true",
            "moe_router_enable_expert_bias True");
        row(experts + "--moe-layer-freq '([0]*3+[1]*21)'", "model.experts.first", "3",
            "moe_layer_freq ([0]*3+[1]*21)");
        row(experts + "--expert-interval 2", "model.experts.first", "1", "expert_interval 2");
        row(experts + "--overlap-moe-expert-parallel-comm", "conventions.ep_overlap", "true",
            "overlap_moe_expert_parallel_comm True");
        const QString latent = "--multi-latent-attention ";
        row(latent + "--q-lora-rank 1536", "model.mla.q_lora_rank", "1536", "q_lora_rank 1536");
        row(latent + "--kv-lora-rank 512", "model.mla.kv_lora_rank", "512",
            "multi_latent_attention True, kv_lora_rank 512");
        row(latent + "--qk-head-dim 128", "model.mla.qk_nope_head_dim", "128", "qk_head_dim 128");
        row(latent + "--qk-pos-emb-head-dim 64", "model.mla.qk_rope_head_dim", "64",
            "qk_pos_emb_head_dim 64");
        row(latent + "--v-head-dim 192", "model.mla.v_head_dim", "192", "v_head_dim 192");
    }
    void whatIsTakenIsTold()
    {
        QFETCH(QString, options);
        QFETCH(QString, key);
        const std::optional<ArgumentFigure> figure = figureOf(runWith(options), key);
        QVERIFY(figure.has_value());
        QTEST(QString::fromStdString(figure->value), "value");
        QTEST(QString::fromStdString(figure->evidence), "evidence");
    }
};

QTEST_APPLESS_MAIN(TestToldFigures)
#include "tst_told_figures.moc"
