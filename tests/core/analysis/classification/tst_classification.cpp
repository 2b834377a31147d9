#include <QTest>

#include "core/analysis/classification/classification.h"
#include "core/trace/trace_builder.h"

using namespace shardscope;

class TestClassification : public QObject
{
    Q_OBJECT

    static QString text(Kind kind)
    {
        return QString::fromUtf8(word(kind).data(), static_cast<qsizetype>(word(kind).size()));
    }

private slots:
    void patternsMatchNames_data()
    {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("matches");
        QTest::newRow("anywhere") << "nccl"
                                  << "ncclDevKernel_AllReduce()" << true;
        QTest::newRow("whatever the case") << "NCCL"
                                           << "void ncclKernel" << true;
        QTest::newRow("not there") << "nccl"
                                   << "sm90_gemm" << false;
        QTest::newRow("from the start") << "^gloo:"
                                        << "gloo:send" << true;
        QTest::newRow("not from the start") << "^gloo:"
                                            << "my gloo:send" << false;
        QTest::newRow("to the end") << "^mesh_tp$"
                                    << "mesh_tp" << true;
        QTest::newRow("not to the end") << "^mesh_tp$"
                                        << "mesh_tp_ep" << false;
        QTest::newRow("end repeated") << "tp$"
                                      << "tp_tp" << true;
        QTest::newRow("star") << "all*shot"
                              << "all_reduce_one_shot_kernel" << true;
        QTest::newRow("star in order") << "shot*all"
                                       << "all_reduce_one_shot" << false;
        QTest::newRow("star and end") << "all*shot$"
                                      << "all_reduce_one_shot" << true;
    }
    void patternsMatchNames()
    {
        QFETCH(QString, pattern);
        QFETCH(QString, name);
        const NamePattern compiled{pattern.toStdString()};
        QTEST(compiled.matches(lowerCase(name.toStdString())), "matches");
    }

    void shippedRulesKnowCommunicationKernels_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("communication");
        for (const char* name : {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                                 "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)",
                                 "ncclSymkDevKernel_AllGather_LL",
                                 "rcclGenericKernel",
                                 "HcclAllReduce",
                                 "void deep_ep::intranode::dispatch<4, 768>(int)",
                                 "void dpsk::ep::combine",
                                 "void fast::ep::internode::notify_dispatch",
                                 "nvshmem_barrier_kernel",
                                 "mscclKernel_Sum_half",
                                 "mscclpp::allreduce7",
                                 "void vllm::cross_device_reduce_1stage<__half, 8>(vllm::RankData*)",
                                 "allreduce_fusion_kernel_oneshot_lamport",
                                 "allreduce_one_shot_push",
                                 "all_reduce_two_shot_kernel",
                                 "multimem_all_reduce_kernel",
                                 "symm_mem_all_gather",
                                 "ll128_push_kernel",
                                 "one_shot_all_reduce_kernel",
                                 "two_shot_all_reduce_kernel",
                                 "userbuffers_fp16_sum_inplace_gpu_rr_rs_oop",
                                 "kuserbuffers_pushsendrecv",
                                 "c10d::symmetric_memory::barrier_kernel(unsigned int**, int)",
                                 "flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8>",
                                 "tensorrt_llm::kernels::twoShotAllReduceKernel<half, 8>",
                                 "quickreduce::allreduce_prototype_twoshot<__half>",
                                 "hybrid_ep::dispatch_kernel",
                                 "void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>",
                                 "_ZN4mori3moe24EpCombineIntraNodeKernelItLb0EEEvT_",
                                 "EpCombineInterNodeV1Kernel_bf16",
                                 "uccl::internode_ll::dispatch<true>",
                                 "moeA2ADispatchKernel",
                                 "oneccl_reduce_base<float, 2, 16>"})
            QTest::newRow(name) << name << true;
        for (const char* name :
             {"sm90_xmma_gemm_bf16bf16_bf16f32", "void at::native::reduce_kernel<512, 1>",
              "Memcpy DtoD (Device -> Device)", "vectorized_gather_kernel", "fusedStepDispatchKernel",
              "void StepCombine<float>", "moe_align_block_size_kernel", "void moe::dispatch_tokens<4>",
              "flashinfer::norm::RMSNormKernel", "symmetric_quantize_kernel"})
            QTest::newRow(name) << name << false;
    }
    void shippedRulesKnowCommunicationKernels()
    {
        QFETCH(QString, name);
        QTEST(ClassificationRules::shipped().isCommunication(name.toStdString()), "communication");
    }

    void shippedRulesKnowGroups_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("kind");
        // megatron/core/parallel_state.py
        QTest::newRow("tp") << "TENSOR_MODEL_PARALLEL_GROUP"
                            << "tp";
        QTest::newRow("pp") << "PIPELINE_MODEL_PARALLEL_GROUP"
                            << "pp";
        QTest::newRow("dp") << "DATA_PARALLEL_GROUP"
                            << "dp";
        QTest::newRow("dp with cp") << "DATA_PARALLEL_GROUP_WITH_CP"
                                    << "dp";
        QTest::newRow("a part of dp") << "INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP"
                                      << "dp";
        QTest::newRow("cp") << "CONTEXT_PARALLEL_GROUP"
                            << "cp";
        QTest::newRow("emb") << "EMBEDDING_GROUP"
                             << "emb";
        QTest::newRow("mp") << "MODEL_PARALLEL_GROUP"
                            << "mp";
        QTest::newRow("ep") << "EXPERT_MODEL_PARALLEL_GROUP"
                            << "ep";
        QTest::newRow("edp") << "EXPERT_DATA_PARALLEL_GROUP"
                             << "edp";
        QTest::newRow("a part of edp") << "INTRA_PARTIAL_EXPERT_DATA_PARALLEL_GROUP"
                                       << "edp";
        QTest::newRow("norm with experts") << "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP"
                                           << "mp";
        QTest::newRow("two dimensions at once") << "TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP"
                                                << "unknown";
        // torch.distributed.device_mesh
        QTest::newRow("mesh tp") << "mesh_tp"
                                 << "tp";
        QTest::newRow("mesh dp") << "mesh_dp_shard_cp"
                                 << "dp";
        QTest::newRow("the dimension alone") << "pp"
                                             << "pp";
        QTest::newRow("the dimension and a number") << "tp:0"
                                                    << "tp";
        QTest::newRow("default group") << "default_pg"
                                       << "unknown";
        QTest::newRow("a number") << "7"
                                  << "unknown";
    }
    void shippedRulesKnowGroups()
    {
        QFETCH(QString, name);
        QTEST(text(ClassificationRules::shipped().kindOfGroup(name.toStdString())), "kind");
    }

    void shippedRulesKnowNames_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("kind");
        QTest::newRow("recorded annotation") << "ptdp::emb.all_reduce|step|mb None|layer None|wte_grad|32768"
                                             << "emb";
        QTest::newRow("FSDP") << "FSDP::all_gather (layers.3)"
                              << "dp";
        QTest::newRow("DeepEP") << "void deep_ep::internode_ll::dispatch<true>"
                                << "ep";
        QTest::newRow("mori") << "mori::moe::EpCombineIntraNodeKernel<__hip_bfloat16>"
                              << "ep";
        QTest::newRow("UCCL between nodes") << "void uccl::internode_ll::combine<true>"
                                            << "ep";
        QTest::newRow("UCCL of any group") << "void uccl::allReduceKernel<float>"
                                           << "unknown";
        QTest::newRow("Transformer Engine") << "userbuffers_fp16_sum_inplace_gpu_rw_ag"
                                            << "tp";
        QTest::newRow("a step") << "ProfilerStep#3"
                                << "unknown";
        QTest::newRow("a pass around calls of every kind") << "pipeline_parallel forward"
                                                           << "unknown";
        QTest::newRow("NCCL") << "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"
                              << "unknown";
    }
    void shippedRulesKnowNames()
    {
        QFETCH(QString, name);
        QTEST(text(ClassificationRules::shipped().kindOf(name.toStdString())), "kind");
    }

    void rulesOfTheUserDecide()
    {
        const auto rules = ClassificationRules::parse(
            "# mine\ncommunication my_ring\nkind tp ^left\n  kind dp left  \ngroup cp left\n");
        QVERIFY(rules);
        QVERIFY(rules.value().isCommunication("void MY_RING_kernel()"));
        QVERIFY(!rules.value().isCommunication("ncclKernel"));
        QCOMPARE(rules.value().kindOf("left side"), Kind::tp);
        QCOMPARE(rules.value().kindOf("the left"), Kind::dp);
        QCOMPARE(rules.value().kindOfGroup("left side"), Kind::cp);
    }

    void brokenRulesAreExplained_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("part");
        QTest::newRow("unknown verb") << "communication a\nkernel b\n"
                                      << "line 2";
        QTest::newRow("unknown kind") << "kind zp x"
                                      << "\"zp\" is no kind";
        QTest::newRow("no pattern") << "communication"
                                    << "a pattern is missing";
        QTest::newRow("kind without pattern") << "kind tp"
                                              << "a pattern is missing";
    }
    void brokenRulesAreExplained()
    {
        QFETCH(QString, text);
        QFETCH(QString, part);
        const auto rules = ClassificationRules::parse(text.toStdString());
        QVERIFY(!rules);
        const auto sentence = QString::fromStdString(rules.error().sentence);
        QVERIFY2(sentence.contains(part), qPrintable(sentence));
    }

    void eventsOfAGpuTraceAreClassifiedByCategory_data()
    {
        QTest::addColumn<QString>("category");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("expected");
        const auto row = [](const char* category, const char* name, EventClass expected) {
            QTest::addRow("%s %s", category, name) << category << name << static_cast<int>(expected);
        };
        row("kernel", "gemm", EventClass::compute);
        row("Kernel", "gemm", EventClass::compute);
        row("kernel", "ncclKernel", EventClass::communication);
        row("gpu_memcpy", "Memcpy HtoD", EventClass::memory);
        row("Memset", "Memset (Device)", EventClass::memory);
        row("cpu_op", "aten::mm", EventClass::cpu);
        row("Operator", "aten::mm", EventClass::cpu);
        row("cuda_runtime", "cudaLaunchKernel", EventClass::runtime);
        row("Runtime", "cudaLaunchKernel", EventClass::runtime);
        row("user_annotation", "nccl:all_reduce", EventClass::annotation);
        row("gpu_user_annotation", "nccl:all_reduce", EventClass::annotation);
        row("Trace", "PyTorch Profiler (0)", EventClass::other);
    }
    void eventsOfAGpuTraceAreClassifiedByCategory()
    {
        QFETCH(QString, category);
        QFETCH(QString, name);
        TraceBuilder builder;
        const auto stream = builder.addTrack("0", "7", true);
        const auto other = builder.addTrack("1", "1");
        builder.addEvent(stream, 0, 10, "gemm", "kernel");
        builder.addEvent(other, 0, 10, name.toStdString(), category.toStdString());
        const auto store = builder.finish();
        const EventClasses classes{*store, ClassificationRules::shipped()};
        QVERIFY(classes.onGpu());
        QTEST(static_cast<int>(classes.of(EventIndex{1})), "expected");
    }

    void aKernelWithACollectivesSizesIsCommunication()
    {
        TraceBuilder builder;
        const auto stream = builder.addTrack("0", "7", true);
        CollectiveCall call;
        call.event = builder.addEvent(stream, 0, 10, "vendor_ring_kernel", "kernel");
        builder.addCollective(call);
        const auto store = builder.finish();
        const EventClasses classes{*store, ClassificationRules::shipped()};
        QVERIFY(classes.of(EventIndex{0}) == EventClass::communication);
    }

    // Operators that dispatch a call, or wait while it runs, are not compute; those inside them are.
    void withoutGpuOperatorsAreComputeUnlessTheyWait()
    {
        TraceBuilder builder;
        const auto main_thread = builder.addTrack("9", "1");
        const auto gloo_thread = builder.addTrack("9", "4");
        builder.addEvent(main_thread, 0, 100, "Reduce", "cpu_op");          // waits for the call
        builder.addEvent(main_thread, 10, 20, "aten::zeros", "cpu_op");     // inside, before it
        builder.addEvent(main_thread, 40, 5, "c10d::allreduce_", "cpu_op"); // hands it over
        builder.addEvent(main_thread, 200, 50, "aten::mm", "cpu_op");       // overlapped by the second call
        builder.addEvent(main_thread, 300, 10, "ProfilerStep#1", "user_annotation");
        builder.addEvent(main_thread, 320, 10, "ProfilerStep#2", "cpu_op"); // a mark all the same
        builder.addEvent(gloo_thread, 42, 50, "gloo:all_reduce", "user_annotation");
        builder.addEvent(gloo_thread, 210, 50, "gloo:all_reduce", "user_annotation");
        const auto store = builder.finish();
        const EventClasses classes{*store, ClassificationRules::shipped()};
        QVERIFY(!classes.onGpu());
        const std::array expected{EventClass::cpu,           EventClass::compute,      EventClass::cpu,
                                  EventClass::compute,       EventClass::annotation,   EventClass::cpu,
                                  EventClass::communication, EventClass::communication};
        for (std::uint32_t i = 0; i < expected.size(); ++i)
            QCOMPARE(static_cast<int>(classes.of(EventIndex{i})), static_cast<int>(expected[i]));
    }
};

QTEST_APPLESS_MAIN(TestClassification)
#include "tst_classification.moc"
