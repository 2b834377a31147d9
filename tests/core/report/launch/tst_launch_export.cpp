#include <QTest>

#include <QRegularExpression>

#include "core/report/launch/launch_export.h"
#include "tests/core/report/launch/written_scenario.h"

using namespace shardscope;

// What a person would type for the same run, written by hand.
class TestLaunchExport : public QObject
{
    Q_OBJECT
private slots:
    // Li et al. 2024, Table 3: 54 layers on four stages are uneven, which Megatron-LM wants spelled out.
    void table3IsAMegatronCommand()
    {
        const QStringList expected{
            "# GPT 3B",
            "# 32 GPUs; data parallel 4 follows from the others.",
            "# To be added: data, tokenizer, learning rate and the number of iterations.",
            "CUDA_DEVICE_MAX_CONNECTIONS=1 torchrun --nnodes 4 --nproc-per-node 8 "
            "pretrain_gpt.py",
            "--num-layers 54",
            "--seq-length 1024",
            "--max-position-embeddings 1024",
            "--hidden-size 2000",
            "--ffn-hidden-size 8000",
            "--num-attention-heads 40",
            "--kv-channels 50",
            "--make-vocab-size-divisible-by 128",
            "--vocab-size 50257",
            "--position-embedding-type learned_absolute",
            "--normalization LayerNorm",
            "--micro-batch-size 32",
            "--global-batch-size 1024",
            "--fp16",
            "--optimizer adam",
            "--recompute-granularity full",
            "--recompute-method uniform",
            "--recompute-num-layers 1",
            "--attention-backend unfused",
            "--tensor-model-parallel-size 2",
            "--pipeline-model-parallel-size 4",
            "--pipeline-model-parallel-layout 'Et*14|t*14|t*13|t*13L'"};
        const Scenario scenario = scenarioOf(
            R"({"name": "GPT 3B", "model": {"preset": "gpt-3b"},
                "training": {"global_batch_size": 1024, "micro_batch_size": 32, "precision": "fp16",
                             "recompute": "full"},
                "parallel": {"pipeline": 4, "tensor": 2, "data": 4},
                "cluster": {"preset": "rtx3090-pcie-100g-roce"}})");
        QCOMPARE(linesOf(megatronArguments(scenario)), expected);
    }

    void mixturesOfExpertsAndLatentAttentionHaveArguments()
    {
        const QStringList lines = linesOf(megatronArguments(scenarioOf(
            R"({"model": {"preset": "deepseek-v3"}, "training": {"global_batch_size": 64, "micro_batch_size": 1},
                "parallel": {"data": 64, "expert": 64, "zero_stage": 1}, "conventions": {"ep_overlap": true, "token_dispatcher": "deepep"}})")));
        for (const char* argument : {"--multi-latent-attention",
                                     "--q-lora-rank 1536",
                                     "--kv-lora-rank 512",
                                     "--qk-head-dim 128",
                                     "--qk-pos-emb-head-dim 64",
                                     "--v-head-dim 128",
                                     "--qk-layernorm",
                                     "--num-experts 256",
                                     "--moe-router-topk 8",
                                     "--moe-router-num-groups 8",
                                     "--moe-router-group-topk 4",
                                     "--moe-token-dispatcher-type flex",
                                     "--moe-enable-deepep",
                                     "--moe-ffn-hidden-size 2048",
                                     "--moe-layer-freq '([0]*3+[1]*58)'",
                                     "--moe-shared-expert-intermediate-size 2048",
                                     "--moe-router-score-function sigmoid",
                                     "--moe-router-enable-expert-bias",
                                     "--expert-model-parallel-size 64",
                                     "--overlap-moe-expert-parallel-comm",
                                     "--swiglu",
                                     "--disable-bias-linear",
                                     "--untie-embeddings-and-output-weights",
                                     "--normalization RMSNorm",
                                     "--use-distributed-optimizer",
                                     "--overlap-grad-reduce",
                                     "--overlap-param-gather",
                                     "--bf16"})
            QVERIFY2(lines.contains(argument), argument);
        QVERIFY(!lines.contains("--kv-channels 128"));
    }

    void multiTokenPredictionHasArguments()
    {
        const auto linesFor = [](const QByteArray& parallel) {
            const QByteArray model = R"("model": {"preset": "llama3-8b", "mtp_layers": 2})";
            const QByteArray text = "{" + model + R"(, "parallel": )" + parallel + "}";
            return linesOf(megatronArguments(scenarioOf(text.constData())));
        };
        QVERIFY(linesFor(R"({"pipeline": 4})").contains("--mtp-num-layers 2"));
        QVERIFY(linesFor(R"({"pipeline": 2, "stage_layers": [17, 15]})")
                    .contains("--pipeline-model-parallel-layout 'Et*17|t*15mmL'"));
    }

    // Megatron-LM lets interleaved stages work on while their messages travel, unless told not to.
    void messagesThatInterleavedStagesWaitForAreSaid()
    {
        const QString argument = "--no-overlap-p2p-communication";
        const char* const interleaved =
            R"({"model": {"layers": 8}, "parallel": {"pipeline": 2, "virtual_stages": 2}})";
        const char* const overlapped = R"({"model": {"layers": 8},
            "parallel": {"pipeline": 2, "virtual_stages": 2}, "conventions": {"pp_overlap": true}})";
        QVERIFY(linesOf(megatronArguments(scenarioOf(interleaved))).contains(argument));
        QVERIFY(!linesOf(megatronArguments(scenarioOf(overlapped))).contains(argument));
        QVERIFY(
            !linesOf(megatronArguments(scenarioOf(R"({"parallel": {"pipeline": 2}})"))).contains(argument));
    }

    // overlap-param-gather needs overlap-grad-reduce.
    void parametersAreGatheredDuringForwardOnlyWhereGradientsOverlapToo()
    {
        const auto lines = [](const char* conventions) {
            return linesOf(megatronArguments(scenarioOf(QByteArray{
                                                            R"({"parallel": {"data": 8, "zero_stage": 1},
                "conventions": )"} + conventions + "}")));
        };
        const QString argument = "--overlap-param-gather";
        QVERIFY(lines(R"({"dp_overlap": true})").contains(argument));
        QVERIFY(!lines(R"({"dp_overlap": true, "param_overlap": false})").contains(argument));
        const QStringList alone = lines(R"({"dp_overlap": false, "param_overlap": true})");
        QVERIFY(!alone.contains(argument));
        QCOMPARE(alone.filter("No equivalent: param_overlap").size(), 1);
    }

    // Transformer Engine overlaps within NVLink's reach alone.
    void tensorGroupsThatLeaveTheirNodesAreNotOverlapped()
    {
        const auto lines = [](const char* tensor) {
            return linesOf(megatronArguments(scenarioOf(QByteArray{R"({"conventions": {"tp_overlap": true},
                "parallel": {"sequence_parallel": true, "tensor": )"}
                                                        + tensor + "}}")));
        };
        QVERIFY(lines("8").contains("--tp-comm-overlap"));
        QVERIFY(!lines("16").contains("--tp-comm-overlap"));
        QCOMPARE(lines("16").filter("No equivalent: tp_overlap").size(), 1);
    }

    void aModelWithoutExpertsHasNoArgumentsOfTheirs()
    {
        const QStringList lines =
            linesOf(megatronArguments(scenarioOf(R"({"conventions": {"ep_overlap": true}})")));
        QVERIFY(lines.filter("moe").isEmpty());
    }

    void everyOtherLayerWithExpertsIsAList()
    {
        const QStringList lines = linesOf(megatronArguments(
            scenarioOf(R"({"model": {"layers": 4, "experts": {"count": 8, "every": 2, "first": 1}}})")));
        QVERIFY(lines.contains("--moe-layer-freq '([0]*1+[1]*1+[0]*1+[1]*1)'"));
    }

    void interleavedStagesAndTheCustomMappingHaveArguments()
    {
        const QStringList lines = linesOf(megatronArguments(scenarioOf(
            R"({"model": {"layers": 32}, "training": {"global_batch_size": 64, "micro_batch_size": 1},
                           "parallel": {"pipeline": 4, "virtual_stages": 2, "context": 2, "tensor": 2,
                                        "sequence_parallel": true, "rank_order": "tp-cp-ep-pp-dp"}})")));
        for (const char* argument :
             {"--num-layers-per-virtual-pipeline-stage 4", "--use-tp-pp-dp-mapping",
              "--context-parallel-size 2", "--cp-comm-type p2p", "--sequence-parallel"})
            QVERIFY2(lines.contains(argument), argument);
    }

    void whatMegatronHasNoWordForIsAComment_data()
    {
        QTest::addColumn<QByteArray>("scenario");
        QTest::addColumn<QString>("comment");
        QTest::newRow("schedule") << QByteArray(
            R"({"model": {"layers": 8}, "parallel": {"pipeline": 4, "schedule": "zb-h1"}})")
                                  << "schedule zb-h1";
        QTest::newRow("mapping") << QByteArray(R"({"parallel": {"rank_order": "dp-tp-pp"}})")
                                 << "rank_order dp-tp-pp";
        QTest::newRow("alibi") << QByteArray(R"({"model": {"position_embedding": "alibi"}})") << "alibi";
        QTest::newRow("framework") << QByteArray(R"({"conventions": {"framework": "deepspeed"}})")
                                   << "deepspeed";
        QTest::newRow("experts in fp16")
            << QByteArray(R"({"model": {"experts": {"count": 8}}, "training": {"precision": "fp16"},
                              "parallel": {"data": 2, "expert": 2}})")
            << "fp16";
        QTest::newRow("halves of sequences")
            << QByteArray(R"({"model": {"sequence_length": 1026}, "parallel": {"context": 2}})")
            << "multiple of 2 * context-parallel-size = 4";
        QTest::newRow("offload without the distributed optimizer")
            << QByteArray(R"({"training": {"offload": "optimizer"}})") << "zero_stage 1";
        QTest::newRow("regather") << QByteArray(R"({"parallel": {"tensor": 2, "sequence_parallel": true},
                                         "conventions": {"sp_regather": false}})")
                                  << "sp_regather";
    }
    void whatMegatronHasNoWordForIsAComment()
    {
        QFETCH(QByteArray, scenario);
        QFETCH(QString, comment);
        const QStringList comments =
            linesOf(megatronArguments(scenarioOf(scenario.constData()))).filter(QRegularExpression{"^#"});
        QVERIFY2(comments.join('\n').contains(comment), qPrintable(comments.join('\n')));
    }

    void kernelsThatAreStartedOneByOneAreASettingOfTheEnvironment()
    {
        const Scenario scenario = scenarioOf(R"({"cluster": {"launch_blocking": true}})");
        QVERIFY(linesOf(megatronArguments(scenario)).join('\n').contains("CUDA_LAUNCH_BLOCKING=1 torchrun "));
        QVERIFY(linesOf(deepSpeedConfig(scenario)).join('\n').contains("CUDA_LAUNCH_BLOCKING=1 in the"));
        QVERIFY(!linesOf(megatronArguments(scenarioOf("{}"))).join('\n').contains("BLOCKING"));
    }

    void asManyProcessesAsGpusAreStarted_data()
    {
        QTest::addColumn<QByteArray>("scenario");
        QTest::addColumn<QString>("hosts");
        QTest::addColumn<QString>("remark");
        QTest::newRow("full nodes") << QByteArray{R"({"parallel": {"tensor": 2, "data": 8}})"}
                                    << "--nnodes 2 --nproc-per-node 8"
                                    << "";
        QTest::newRow("less than a node")
            << QByteArray{R"({"parallel": {"data": 6}, "training": {"global_batch_size": 60}})"}
            << "--nnodes 1 --nproc-per-node 6"
            << "";
        QTest::newRow("nodes that are not filled")
            << QByteArray{R"({"parallel": {"tensor": 2, "data": 6}, "training": {"global_batch_size": 60}})"}
            << "--nnodes 2 --nproc-per-node 6"
            << "do not fill nodes of 8";
        QTest::newRow("racks") << QByteArray{R"({"parallel": {"data": 256},
            "training": {"global_batch_size": 1024}, "cluster": {"preset": "gb200-nvl72"}})"}
                               << "--nnodes 64 --nproc-per-node 4"
                               << "Hosts are taken to have 4";
    }
    void asManyProcessesAsGpusAreStarted()
    {
        QFETCH(const QByteArray, scenario);
        QFETCH(const QString, hosts);
        QFETCH(const QString, remark);
        const QString text = linesOf(megatronArguments(scenarioOf(scenario.constData()))).join('\n');
        QVERIFY2(text.contains(hosts), qPrintable(text));
        QVERIFY2(remark.isEmpty() || text.contains(remark), qPrintable(text));
    }

    void whatMegatronWouldDoByItselfIsTurnedOff()
    {
        const QStringList lines =
            linesOf(megatronArguments(scenarioOf(R"({"conventions": {"gradient_norm": false}})")));
        QVERIFY(lines.contains("--clip-grad 0.0"));
        const QStringList usual = linesOf(megatronArguments(scenarioOf("{}")));
        QVERIFY(usual.filter("--clip-grad").isEmpty());
    }

    // What validate_args of Megatron-LM asks for beside each of them.
    void argumentsBringWhatTheyDependOn()
    {
        const QStringList offloaded = linesOf(megatronArguments(scenarioOf(
            R"({"training": {"offload": "optimizer"}, "parallel": {"data": 2, "zero_stage": 1}})")));
        QVERIFY(offloaded.contains("--use-precision-aware-optimizer"));
        const QStringList sharded = linesOf(
            megatronArguments(scenarioOf(R"({"parallel": {"tensor": 2, "data": 2, "zero_stage": 3}})")));
        QVERIFY(sharded.contains("--ckpt-format fsdp_dtensor"));
        QVERIFY(sharded.filter("CUDA_DEVICE_MAX_CONNECTIONS").isEmpty());
        const QStringList half = linesOf(
            megatronArguments(scenarioOf(R"({"training": {"precision": "bf16", "gradient_bytes": 2}})")));
        QVERIFY(half.contains("--grad-reduce-in-bf16"));
    }

    void statesThatMegatronHasNotAreRemarked_data()
    {
        QTest::addColumn<QString>("training");
        QTest::addColumn<QString>("remark");
        const auto row = [](const char* training, const char* remark) {
            QTest::newRow(training) << QString{training} << QString{remark};
        };
        row(R"("master_bytes": 0)", "# No equivalent: master_bytes 0");
        row(R"("exp_avg_bytes": 2)", "# No equivalent: master_bytes 4");
        row(R"("master_bytes": 2)", "# use-precision-aware-optimizer needs the distributed optimizer");
        row(R"("optimizer": "sgd", "exp_avg_bytes": 2)", "# No equivalent: a copy or a momentum");
        row(R"("offload": "optimizer", "exp_avg_bytes": 2)", "# No equivalent: states in other formats");
    }
    void statesThatMegatronHasNotAreRemarked()
    {
        QFETCH(QString, training);
        QFETCH(QString, remark);
        const QByteArray text = ("{\"training\": {" + training + "}}").toUtf8();
        const auto command = megatronArguments(scenarioOf(text.constData()));
        QVERIFY(command);
        QVERIFY2(command.value().find(remark.toStdString()) != std::string::npos, command.value().c_str());
        QVERIFY(megatronArguments(scenarioOf("{}")).value().find("precision-aware") == std::string::npos);
    }

    void encodersHaveScriptsOfTheirOwn()
    {
        const QStringList lines =
            linesOf(megatronArguments(scenarioOf(R"({"model": {"preset": "t5-base"}})")));
        QVERIFY(lines.contains("--encoder-num-layers 12") && lines.contains("--decoder-seq-length 512"));
        QVERIFY(lines.filter("pretrain_t5.py").size() == 1);
        const QStringList bert =
            linesOf(megatronArguments(scenarioOf(R"({"model": {"preset": "bert-base"}})")));
        QVERIFY(bert.filter("pretrain_bert.py").size() == 1);
    }

    void listsOfTensorsHaveNoMegatronArguments()
    {
        QVERIFY(!megatronArguments(scenarioOf(R"({"model": {"preset": "vgg16"}})")));
    }
};

QTEST_APPLESS_MAIN(TestLaunchExport)
#include "tst_launch_export.moc"
