#pragma once

namespace shardscope
{

// What a GPU, with the software of its time, reaches of its data sheet. The defaults are an A100's; presets
// hold each GPU's, with the fit's error. docs/accuracy.md says how they were found.
struct ComputeLaw {
    // Of peak_tflops, that a large product of matrices reaches.
    double gemm_efficiency = 0.804;
    // Tiles of the result are worked on in waves of one for each multiprocessor; this much of a wave is lost.
    double gemm_lost_waves = 0.311;
    double multiprocessors = 108.0;
    // Products in fp8 are this much faster than in 16 bits; 1: the GPU has no fp8, or nobody measured it.
    double fp8_speedup = 1.0;
    // Times in fp8 and those in 16 bits are of different systems: either is as sure as its band says, what
    // one gains on the other is not.
    bool formats_are_apart = false;
    // The same of fp32: on matrix units TF32 has half the rate; GPUs without it multiply far slower.
    double fp32_speedup = 0.5;
    // The same of bf16, which GPUs before the A100 multiply as fp32.
    double bf16_speedup = 1.0;
    // The data sheet's peak in fp4 over that in fp8, which is how much faster than in fp8 products in fp4 are
    // before what making the numbers costs (docs/accuracy.md, "Steps told in part"). 1: the GPU has no fp4.
    double fp4_over_fp8 = 1.0;
    double kernel_us = 5.92; // start of a kernel on the GPU
    // Of memory_bandwidth_GBps, that norms, activations, dropout and softmax reach.
    double memory_efficiency = 0.614;
    // Of peak_tflops, that a fused (flash) attention kernel reaches; only the past is counted. The second:
    // with a bias to the scores (alibi), which only slower kernels know.
    double attention_efficiency = 0.45;
    double biased_attention_efficiency = 0.31;
    double dispatch_us = 22.4; // of the processor, for each kernel: layers never take less
    // Where communication hides behind compute, compute slows down by this share of the time hidden.
    double overlap_contention = 0.792;
    // What stays of tensor-parallel communication that overlaps products; and the share of its time that a
    // pass loses while reduced gradients or gathered parameters travel beneath it.
    double tp_overlap_exposed = 0.25;
    double dp_overlap_exposed = 0.5;
    // Of published times of a source that the constants were found without, four of five lie within this
    // share of the predicted ones: of models of 1e9 parameters and more in 16 bits, of smaller ones, and
    // in fp8. 0: never compared. resources/presets/time_errors.json has them, docs/accuracy.md tells
    // more.
    double time_error = 0.0;
    double time_error_small = 0.0;
    double time_error_fp8 = 0.0;
    // Of runs that no published one is like: that of constants of another type of GPU.
    double time_error_unlike = 0.0;
    // The same of Li et al.'s formula with bandwidths from data sheets, as a factor less one, either way.
    double time_error_li = 0.0;
    double time_error_li_small = 0.0;
    // The constants are of a fit to the user's own iterations by the detailed model, and so are its bands.
    bool fitted = false;
    bool operator==(const ComputeLaw&) const = default;

    bool hasFp8() const { return fp8_speedup > 1.0; }
    bool hasFp4() const { return hasFp8() && fp4_over_fp8 > 1.0; }
};

} // namespace shardscope
