#include "core/analysis/classification/kernel_class.h"

#include <QTest>

using namespace shardscope;

class TestKernelClass : public QObject
{
    Q_OBJECT
private slots:
    // Names as profilers of several years and vendors wrote them.
    void namesTellTheClass_data()
    {
        QTest::addColumn<KernelClass>("expected");
        const auto row = [](const char* name, KernelClass expected) { QTest::newRow(name) << expected; };
        row("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn", KernelClass::matrix);
        row("void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_128x128_32x5_tn_align8>(...)",
            KernelClass::matrix);
        row("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", KernelClass::matrix);
        row("Cijk_Ailk_Bljk_BBS_BH_Bias_AS_SAV_UserArgs_MT256x256x64", KernelClass::matrix);
        row("volta_scudnn_128x64_relu_interior_nn_v1", KernelClass::matrix);
        row("void cudnn::cnn::wgrad_alg0_engine<float, 512, 6, 5, 3, 3, 3, false, 512>(...)",
            KernelClass::matrix);
        row("aten::addmm", KernelClass::matrix);
        row("void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, "
            "cutlass::bfloat16_t>>(...)",
            KernelClass::attention);
        row("fmha_cutlassF_bf16_aligned_64x128_rf_sm80", KernelClass::attention);
        row("void (anonymous namespace)::scaled_upper_triang_masked_softmax_warp_forward<c10::Half>(...)",
            KernelClass::reduction);
        row("void cuApplyLayerNorm<c10::Half, float, c10::Half>(...)", KernelClass::reduction);
        row("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(...)", KernelClass::reduction);
        row("triton_red_fused__to_copy_mean_3", KernelClass::reduction);
        row("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(...)",
            KernelClass::elementwise);
        row("void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
            "at::native::CUDAFunctor_add<c10::Half>>>(...)",
            KernelClass::elementwise);
        row("triton_poi_fused_add_gelu_7", KernelClass::elementwise);
        row("void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>(...)",
            KernelClass::elementwise);
        row("triton__0d1d2d3d4de", KernelClass::other);
        row("void split_embedding_codegen_forward_unweighted_kernel<c10::Half>(...)", KernelClass::other);
    }
    void namesTellTheClass()
    {
        QFETCH(KernelClass, expected);
        QCOMPARE(static_cast<int>(kernelClassOf(QTest::currentDataTag())), static_cast<int>(expected));
    }
};

QTEST_APPLESS_MAIN(TestKernelClass)
#include "tst_kernel_class.moc"
