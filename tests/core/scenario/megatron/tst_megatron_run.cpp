#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "core/scenario/scenario_json.h"
#include "core/scenario/validation/validation.h"
#include "tests/core/scenario/megatron/megatron_table.h"

#include <algorithm>

using namespace shardscope;

namespace
{

// "parallel.tensor": as the scenario's file has it, "" where it has none.
QString written(const Scenario& scenario, const QString& key)
{
    QJsonValue value = QJsonDocument::fromJson(QByteArray::fromStdString(writeScenario(scenario))).object();
    for (const QString& name : key.split('.'))
        value = value.toObject().value(name);
    return value.isArray() ? value.toVariant().toStringList().join(',') : value.toVariant().toString();
}

} // namespace

// Arguments of Megatron-LM and its forks, and the scenario that they are.
class TestMegatronRun : public QObject
{
    Q_OBJECT
private slots:
    void eachArgumentSetsItsFigure_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        const auto row = [](const char* name, const QStringList& more, const char* key, const char* value) {
            QTest::newRow(name) << more << QString{key} << QString{value};
        };
        row("layers", {}, "model.layers", "24");
        row("heads of the hidden size", {}, "model.head_dim", "64");
        row("heads of a width of their own", {"kv_channels 96"}, "model.head_dim", "96");
        row("as many heads for keys where none are grouped", {"num_query_groups 1"}, "model.kv_heads", "16");
        row("grouped queries", {"group_query_attention True", "num_query_groups 4"}, "model.kv_heads", "4");
        row("Megatron-DeepSpeed's grouped queries", {"num_key_value_heads 2"}, "model.kv_heads", "2");
        row("four times the width", {}, "model.ffn_hidden_size", "4096");
        row("two thirds of it with a gate", {"swiglu True"}, "model.ffn_hidden_size", "2688");
        row("a gate of BigScience's fork", {"glu_activation geglu"}, "model.gated_mlp", "true");
        row("the tokenizer's vocabulary", {"tokenizer_vocab_size 50257", "padded_vocab_size 50304"},
            "model.vocab_size", "50257");
        row("a padded vocabulary alone", {"padded_vocab_size 32128"}, "model.vocab_padding", "1");
        row("padding that does not come out", {"vocab_size 250680", "padded_vocab_size 250880"},
            "model.vocab_size", "250880");
        row("learned positions unless said", {}, "model.position_embedding", "learned");
        row("rotary positions", {"position_embedding_type rope"}, "model.position_embedding", "rope");
        row("rotary positions of 2023",
            {"use_rotary_position_embeddings True", "add_position_embedding False"},
            "model.position_embedding", "rope");
        row("ALiBi", {"position_embedding_type PositionEmbeddingType.alibi"}, "model.position_embedding",
            "alibi");
        row("no positions", {"position_embedding_type none"}, "model.position_embedding", "none");
        row("RMSNorm", {"normalization RMSNorm"}, "model.norm", "rmsnorm");
        row("no biases", {"add_bias_linear False"}, "model.linear_bias", "false");
        row("a head of its own", {"untie_embeddings_and_output_weights True"}, "model.tied_embeddings",
            "false");
        row("normalised embeddings", {"embed_layernorm True"}, "model.embedding_norm", "true");
        row("16-bit floats", {"bf16 False", "fp16 True"}, "training.precision", "fp16");
        row("32-bit floats", {"bf16 False"}, "training.precision", "fp32");
        row("eight bits", {"fp8 hybrid"}, "training.precision", "fp8");
        row("four bits", {"fp4 e2m1"}, "training.precision", "fp4");
        row("four bits that are off", {"fp4 None"}, "training.precision", "bf16");
        row("graphs", {"cuda_graph_impl local"}, "conventions.cuda_graphs", "true");
        row("graphs by an older switch", {"enable_cuda_graph True"}, "conventions.cuda_graphs", "true");
        row("no graphs", {"cuda_graph_impl none"}, "conventions.cuda_graphs", "false");
        row("eight bits that are off", {"fp8 None", "fp8_hybrid False"}, "training.precision", "bf16");
        row("sums in float", {"accumulate_allreduce_grads_in_fp32 True"}, "training.gradient_bytes", "4");
        row("sums in bf16", {"grad_reduce_in_bf16 True"}, "training.gradient_bytes", "2");
        row("fp16 as it is", {"bf16 False", "fp16 True", "accumulate_allreduce_grads_in_fp32 False"},
            "training.gradient_bytes", "2");
        row("moments in fp32 unless told", {"use_precision_aware_optimizer True", "exp_avg_dtype None"},
            "training.exp_avg_bytes", "4");
        row("moments in bf16", {"use_precision_aware_optimizer True", "exp_avg_dtype torch.bfloat16"},
            "training.exp_avg_bytes", "2");
        row("in eight bits", {"use_precision_aware_optimizer True", "exp_avg_sq_dtype torch.uint8"},
            "training.exp_avg_sq_bytes", "1");
        row("of an optimizer that is not aware of them", {"exp_avg_dtype bf16"}, "training.exp_avg_bytes",
            "4");
        row("the rest of a float beside bf16", {"use_precision_aware_optimizer True"},
            "training.master_bytes", "2");
        row("all of it as told", {"use_precision_aware_optimizer True", "store_param_remainders False"},
            "training.master_bytes", "4");
        row("all of it in Megatron-FSDP",
            {"use_precision_aware_optimizer True", "use_megatron_fsdp True",
             "data_parallel_sharding_strategy optim_grads_params"},
            "training.master_bytes", "4");
        row("all of it beside fp16", {"bf16 False", "fp16 True", "use_precision_aware_optimizer True"},
            "training.master_bytes", "4");
        row("a copy in fp16",
            {"bf16 False", "fp16 True", "use_precision_aware_optimizer True", "main_params_dtype fp16"},
            "training.master_bytes", "2");
        row("none beside fp32", {"bf16 False"}, "training.master_bytes", "0");
        row("on the host all in fp32",
            {"use_precision_aware_optimizer True", "optimizer_cpu_offload True", "exp_avg_dtype bf16"},
            "training.exp_avg_bytes", "4");
        row("sums of the optimizer's format", {"use_precision_aware_optimizer True", "main_grads_dtype bf16"},
            "training.gradient_bytes", "2");
        row("nothing recomputed", {"recompute_granularity None"}, "training.recompute", "none");
        row("all recomputed", {"recompute_granularity full"}, "training.recompute", "full");
        row("all recomputed, in 2021", {"checkpoint_activations True"}, "training.recompute", "full");
        row("attention recomputed", {"recompute_granularity selective"}, "training.recompute", "selective");
        const QStringList block{"recompute_granularity full", "recompute_method block"};
        row("one layer of each stage recomputed", block, "training.recompute_layers", "1");
        row("some of them", block + QStringList{"recompute_num_layers 3"}, "training.recompute_layers", "3");
        const QStringList selective{"recompute_granularity selective"};
        row("modules of a table", selective + QStringList{"recompute_modules ['moe_act', 'layernorm']"},
            "training.recompute_modules", "layernorm,moe_act");
        row("modules of a command line", selective + QStringList{"recompute_modules mlp core_attn"},
            "training.recompute_modules", "core_attn,mlp");
        row("layers of experts, before there were modules", {"moe_layer_recompute True"},
            "training.recompute_modules", "moe");
        row("none of a stage's layers", block + QStringList{"recompute_num_layers 0"}, "training.recompute",
            "none");
        row("no modules", selective + QStringList{"recompute_modules True"}, "training.recompute", "none");
        row("modules that nobody knows", selective + QStringList{"recompute_modules mhc"},
            "training.recompute", "none");
        row("these and attention", selective + QStringList{"moe_layer_recompute True"},
            "training.recompute_modules", "core_attn,moe");
        row("a table of before fused attention", {"swiglu True"}, "training.flash_attention", "false");
        row("fused attention", {"use_flash_attn True"}, "training.flash_attention", "true");
        row("Transformer Engine's", {"transformer_impl transformer_engine", "use_flash_attn False"},
            "training.flash_attention", "true");
        row("not fused, as told", {"attention_backend AttnBackend.unfused"}, "training.flash_attention",
            "false");
        row("offloaded", {"optimizer_cpu_offload True"}, "training.offload", "optimizer");
        row("replicas are what is left", {"tensor_model_parallel_size 2", "pipeline_model_parallel_size 2"},
            "parallel.data", "2");
        row("a degree of 2020", {"model_parallel_size 4"}, "parallel.tensor", "4");
        row("one replica's batch where none is told", {"tensor_model_parallel_size 4"},
            "training.global_batch_size", "4");
        row("DeepSpeed's accumulation", {"deepspeed.gradient_accumulation_steps 3"},
            "training.global_batch_size", "48");
        row("context parallelism", {"context_parallel_size 2"}, "parallel.context", "2");
        row("Ulysses", {"ds_sequence_parallel_size 2"}, "parallel.context_method", "ulysses");
        row("sequence parallelism needs tensor parallelism", {"sequence_parallel True"},
            "parallel.sequence_parallel", "false");
        row("the distributed optimizer", {"use_distributed_optimizer True"}, "parallel.zero_stage", "1");
        row("DeepSpeed's stage, not the other's option",
            {"deepspeed True", "use_distributed_optimizer True", "zero_stage 2.0"}, "parallel.zero_stage",
            "2");
        row("what DeepSpeed's engine says",
            {"deepspeed True", "zero_stage 1.0", "deepspeed.zero_optimization_stage 0"},
            "parallel.zero_stage", "0");
        row("Megatron-FSDP", {"use_megatron_fsdp True", "data_parallel_sharding_strategy optim_grads_params"},
            "parallel.zero_stage", "3");
        row("the other mapping", {"use_tp_pp_dp_mapping True"}, "parallel.rank_order", "tp-pp-dp");
        row("virtual stages", {"pipeline_model_parallel_size 4", "num_layers_per_virtual_pipeline_stage 2"},
            "parallel.virtual_stages", "3");
        row("which are interleaved",
            {"pipeline_model_parallel_size 4", "virtual_pipeline_model_parallel_size 3"}, "parallel.schedule",
            "interleaved");
        row("ends that count",
            {"pipeline_model_parallel_size 2", "pp_partition_method type:transformer|embedding"},
            "parallel.stage_balance", "ends_count");
        row("gradients that overlap", {"overlap_grad_reduce True"}, "conventions.dp_overlap", "true");
        row("gradients that do not", {"use_distributed_optimizer True", "overlap_grad_reduce False"},
            "conventions.dp_overlap", "false");
        row("messages in parts, as of 2021",
            {"scatter_gather_tensors_in_pipeline True", "tensor_model_parallel_size 2"},
            "conventions.pp_partitioned", "true");
        row("no norm of gradients", {"clip_grad 0.0"}, "conventions.gradient_norm", "false");
        row("DeepSpeed's conventions", {"deepspeed True"}, "conventions.framework", "deepspeed");
        row("no experts", {"num_experts None"}, "model.experts.count", "0");
        row("a dense model of Megatron-DeepSpeed", {"num_experts [1]"}, "model.experts.count", "0");
        row("experts", {"num_experts 64"}, "model.experts.count", "64");
        row("experts of a list", {"num_experts [128]", "topk 1"}, "model.experts.per_token", "1");
        row("every other layer, counted from 1", {"num_experts [8]", "expert_interval 2"},
            "model.experts.first", "1");
        row("dense layers first", {"num_experts 8", "moe_layer_freq ([0]*3+[1]*21)"}, "model.experts.first",
            "3");
        row("all layers listed", {"num_layers 4", "num_experts 8", "moe_layer_freq [0, 1, 0, 1]"},
            "model.experts.every", "2");
        row("shared experts",
            {"num_experts 8", "moe_ffn_hidden_size 512", "moe_shared_expert_intermediate_size 1024"},
            "model.experts.shared", "2");
        row("routing limited to groups",
            {"num_experts 64", "moe_router_num_groups 8", "moe_router_group_topk 4"},
            "model.experts.groups_per_token", "4");
        row("tokens by DeepEP", {"num_experts 8", "moe_token_dispatcher_type flex"},
            "conventions.token_dispatcher", "deepep");
        row("tokens of a capacity by DeepEP",
            {"num_experts 8", "moe_token_dispatcher_type flex", "moe_expert_capacity_factor 1.5",
             "moe_pad_expert_input_to_capacity True"},
            "conventions.token_dispatcher", "all_to_all");
        row("windows of attention", {"window_size (1023, 0)", "window_attn_skip_freq 6"},
            "model.sliding_window", "1024");
        row("layers that attend to all", {"window_size 1023,0", "window_attn_skip_freq 6"},
            "model.full_attention_every", "6");
        row("a window of all tokens", {"window_size -1,0"}, "model.sliding_window", "");
        const QString split = QStringLiteral("tensor_model_parallel_size 2");
        row("the embedding's sum scattered",
            {split, "sequence_parallel True", "use_mcore_models True", "position_embedding_type rope"},
            "conventions.sp_reduce_scatter_embedding", "true");
        row("positions added to it", {split, "sequence_parallel True", "use_mcore_models True"},
            "conventions.sp_reduce_scatter_embedding", "false");
        row("before Megatron-Core", {split, "sequence_parallel True", "position_embedding_type rope"},
            "conventions.sp_reduce_scatter_embedding", "false");
        row("expert parallelism", {"num_experts 8", "expert_model_parallel_size 4"}, "parallel.expert", "4");
        row("a group of layers that is repeated", {"num_experts 8", "moe_layer_freq ([0]+[1])*12"},
            "model.experts.every", "2");
        row("slots that are filled",
            {"num_experts 8", "moe_expert_capacity_factor 1.5", "moe_pad_expert_input_to_capacity True"},
            "model.experts.capacity_factor", "1.5");
        row("tokens that are dropped, and no slot filled",
            {"num_experts 8", "moe_expert_capacity_factor 1.5"}, "model.experts.capacity_factor", "0");
        row("a capacity that is none", {"num_experts 8", "moe_expert_capacity_factor -1"},
            "model.experts.capacity_factor", "0");
        row("different numbers of experts", {"num_experts 64 64 128"}, "model.experts.count", "64");
        row("Ulysses by Megatron-LM", {"context_parallel_size 2", "cp_comm_type [a2a]"},
            "parallel.context_method", "ulysses");
        row("keys and values gathered", {"context_parallel_size 2", "cp_comm_type [all_gather]"},
            "parallel.context_method", "all_gather");
        row("a ring in steps of nodes is none", {"context_parallel_size 2", "cp_comm_type [a2a+p2p]"},
            "parallel.context_method", "ring");
        row("virtual stages of layers and ends",
            {"num_layers 22", "pipeline_model_parallel_size 4", "num_layers_per_virtual_pipeline_stage 2",
             "account_for_embedding_in_pipeline_split True", "account_for_loss_in_pipeline_split True"},
            "parallel.virtual_stages", "3");
        row("whole messages, as of Megatron-Core",
            {"scatter_gather_tensors_in_pipeline True", "tensor_model_parallel_size 2",
             "use_legacy_models False"},
            "conventions.pp_partitioned", "false");
        row("its own layers are not fused", {"transformer_impl local", "attention_backend AttnBackend.auto"},
            "training.flash_attention", "false");
        row("a tokenizer that adds the end of text", {"tokenizer_type NullTokenizer", "vocab_size 131072"},
            "model.vocab_size", "131073");
        row("latent attention", {"multi_latent_attention True", "q_lora_rank 1536", "kv_lora_rank 512"},
            "model.mla.q_lora_rank", "1536");
    }
    void eachArgumentSetsItsFigure()
    {
        QFETCH(QStringList, more);
        QFETCH(QString, key);
        QFETCH(QString, value);
        const MegatronRun run = runOf(small_gpt + more);
        QCOMPARE(written(run.scenario, key), value);
    }

    void whatIsToldSaysByWhat()
    {
        const MegatronRun run = runOf(small_gpt + Arguments{"tensor_model_parallel_size 2"});
        const auto tensor = std::ranges::find(run.figures, "parallel.tensor", &ArgumentFigure::key);
        QVERIFY(tensor != run.figures.end());
        QCOMPARE(tensor->value, "2");
        QCOMPARE(tensor->evidence, "tensor_model_parallel_size 2");
        QCOMPARE(std::ranges::count(run.figures, "parallel.context", &ArgumentFigure::key), 0);
    }

    void whatNoScenarioSaysIsNoted_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QString>("note");
        QTest::newRow("a batch that grows")
            << QStringList{"rampup_batch_size ['32' '32' '1000']"} << QStringLiteral("batch grows");
        QTest::newRow("a misspelt granularity") << QStringList{"recompute_granularity ful"}
                                                << QStringLiteral("recompute_granularity ful is not known");
        QTest::newRow("inputs of layers that tensor ranks share")
            << QStringList{"distribute_saved_activations True"}
            << QStringLiteral("whole on each tensor rank");
        QTest::newRow("modules of a fork that are computed again")
            << QStringList{"recompute_granularity selective", "recompute_modules ['moe', 'mhc']"}
            << QStringLiteral("recompute_modules: mhc is not known");
        QTest::newRow("an unknown optimizer") << QStringList{"optimizer muon"} << QStringLiteral("muon");
        QTest::newRow("one end that counts")
            << QStringList{"pipeline_model_parallel_size 2", "account_for_loss_in_pipeline_split True"}
            << QStringLiteral("One end of the model");
        QTest::newRow("groups of layers")
            << QStringList{"recompute_granularity full", "recompute_method uniform", "recompute_num_layers 4"}
            << QStringLiteral("Groups of 4 layers");
        QTest::newRow("ZeRO's stage elsewhere")
            << QStringList{"deepspeed True"} << QStringLiteral("DeepSpeed's configuration");
        QTest::newRow("another exchange of sequences")
            << QStringList{"context_parallel_size 2", "cp_comm_type a2a+p2p"} << QStringLiteral("a2a+p2p");
        QTest::newRow("a pattern of other layers than there are")
            << QStringList{"num_experts 8", "moe_layer_freq ([0]+[1])*16"}
            << QStringLiteral("moe_layer_freq");
        QTest::newRow("no vocabulary") << QStringList{} << QStringLiteral("The vocabulary is not told");
    }
    void whatNoScenarioSaysIsNoted()
    {
        QFETCH(QStringList, more);
        QFETCH(QString, note);
        QVERIFY(hasNote(runOf(small_gpt + more), note));
    }

    void modulesForFurtherTokensAreRead_data()
    {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<qint64>("modules");
        QTest::newRow("two") << QStringList{"mtp_num_layers 2"} << qint64{2};
        QTest::newRow("none") << QStringList{"mtp_num_layers None"} << qint64{0};
        QTest::newRow("not told") << QStringList{} << qint64{0};
    }
    void modulesForFurtherTokensAreRead()
    {
        QFETCH(QStringList, more);
        QFETCH(qint64, modules);
        const MegatronRun run = runOf(small_gpt + more);
        QCOMPARE(run.scenario.model.mtp_layers, modules);
        QCOMPARE(std::ranges::count(run.figures, "model.mtp_layers", &ArgumentFigure::key),
                 modules > 0 ? 1 : 0);
        QVERIFY(!hasNote(run, "mtp_num_layers"));
    }

    void whatIsMissingOrDoesNotComeOutIsSaid()
    {
        Arguments without = small_gpt;
        without.removeAt(1);
        const auto no_width = megatronRun(listed(without), {});
        QVERIFY(!no_width && !tellModel(listed(without)));
        QCOMPARE(no_width.error().sentence, "the arguments tell no hidden_size");
        const auto odd = megatronRun(listed(small_gpt + Arguments{"tensor_model_parallel_size 3"}), {});
        QVERIFY(!odd);
        QCOMPARE(odd.error().sentence,
                 "the arguments are of 8 ranks, which stages and groups of 3 do not divide");
    }

    // A command line lists what is set alone: what Megatron-LM and Megatron-DeepSpeed do by default differs.
    void aCommandLineHasItsProgramsDefaults()
    {
        const Arguments command{"num_layers 24",   "hidden_size 1024", "num_attention_heads 16",
                                "seq_length 1024", "nproc_per_node 8", "nnodes 2",
                                "num_experts 8"};
        const Scenario megatron = runOf(command + Arguments{"bf16 True"}).scenario;
        QCOMPARE(megatron.parallel.data, std::int64_t{16});
        QCOMPARE(megatron.model.experts.per_token, std::int64_t{2});
        QCOMPARE(megatron.model.experts.capacity_factor, 0.0);
        QVERIFY(megatron.training.flash_attention); // Transformer Engine's
        const Scenario deepspeed = runOf(command + Arguments{"fp16 True", "deepspeed True"}).scenario;
        QCOMPARE(deepspeed.model.experts.per_token, std::int64_t{1});
        QCOMPARE(deepspeed.model.experts.capacity_factor, 1.0);
        QVERIFY(!deepspeed.training.flash_attention);
        QVERIFY(!megatronRun(listed(command + Arguments{"tensor_model_parallel_size 3"}), {}));
    }

    void nothingThatALogMayHoldIsTakenForANumber_data()
    {
        QTest::addColumn<QString>("value");
        for (const char* value : {"-1", "0", "1e300", "nan", "inf", "12abc", "", "0x10", "[", "[]", "None"})
            QTest::newRow(value) << QString{value};
    }
    void nothingThatALogMayHoldIsTakenForANumber()
    {
        QFETCH(QString, value);
        const MegatronRun run =
            runOf(small_gpt
                  + Arguments{"kv_channels " + value, "tensor_model_parallel_size " + value,
                              "num_experts " + value, "virtual_pipeline_model_parallel_size " + value,
                              "moe_layer_freq " + value, "pipeline_model_parallel_layout " + value});
        QCOMPARE(run.scenario.model.head_dim, std::int64_t{64});
        QCOMPARE(run.scenario.parallel.tensor, std::int64_t{1});
        QCOMPARE(run.scenario.model.experts.count, std::int64_t{0});
        QVERIFY(validate(run.scenario).empty());
    }
};

QTEST_GUILESS_MAIN(TestMegatronRun)
#include "tst_megatron_run.moc"
