#include "bench/kineto_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

namespace shardscope
{

namespace
{

constexpr int process = 41237;
constexpr int device = 0;
constexpr int layers = 32;
constexpr int compute_stream = 7;
constexpr int communication_stream = 20;

constexpr std::array<std::string_view, 12> operators{
    "aten::linear",     "aten::addmm",       "aten::t",
    "aten::as_strided", "aten::empty",       "aten::copy_",
    "aten::gelu",       "aten::matmul",      "aten::layer_norm",
    "aten::reshape",    "aten::dropout_add", "autograd::engine::evaluate_function: AddmmBackward0"};
constexpr std::array<std::string_view, 8> frames{"torch/nn/modules/module.py(1553): _wrapped_call_impl",
                                                 "torch/nn/modules/linear.py(116): forward",
                                                 "torch/_ops.py(1061): __call__",
                                                 "torch/autograd/function.py(574): apply",
                                                 "<built-in function linear>",
                                                 "nn.Module: ColumnParallelLinear_17",
                                                 "transformer/layer.py(220): forward",
                                                 "train.py(88): step"};
constexpr std::array<std::string_view, 4> kernels{
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize2x1x1_execute_segment_k_off_"
    "kernel",
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, "
    "at::native::GeluType)::{lambda()#2}, at::detail::Array<char*, 2> >(int, at::detail::Array<char*, 2>)",
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, "
    "c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16*)",
    "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
    "cutlass::bfloat16_t> "
    ">(flash::Flash_fwd_params)"};

// Where the text goes, plain or compressed.
class Output
{
public:
    Output(const std::filesystem::path& path, bool gzip) : m_file(gzopen(path.c_str(), gzip ? "wb6" : "wbT"))
    {
        if (m_file == nullptr)
            throw std::runtime_error("the benchmark's file cannot be written: " + path.string());
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output()
    {
        flush();
        gzclose(m_file);
    }

    [[gnu::format(printf, 2, 3)]] void add(const char* format, ...)
    {
        std::array<char, 2048> text{};
        std::va_list values;
        va_start(values, format);
        const int length = std::vsnprintf(text.data(), text.size(), format, values);
        va_end(values);
        m_text.append(text.data(), static_cast<std::size_t>(length));
        m_bytes += length;
        if (m_text.size() > (std::size_t{1} << 20))
            flush();
    }
    std::int64_t bytes() const { return m_bytes; }

private:
    void flush()
    {
        if (!m_text.empty() && gzwrite(m_file, m_text.data(), static_cast<unsigned>(m_text.size())) <= 0)
            std::fputs("the benchmark's file cannot be written: is the disk full?\n", stderr);
        m_text.clear();
    }

    gzFile m_file;
    std::string m_text;
    std::int64_t m_bytes = 0;
};

// Writes the events of one rank; times are microseconds since the profiler began.
class Run
{
public:
    explicit Run(Output& out) : m_out(out) {}

    void head();
    void step();
    void tail() { m_out.add("\n  ],\n  \"traceName\": \"./rank0.pt.trace.json\"\n}\n"); }
    std::int64_t events() const { return m_events; }

private:
    int below(int limit) { return static_cast<int>(m_random() % static_cast<unsigned>(limit)); }
    void layer(int number, int thread);
    void call(int thread, bool is_communication);
    void begin(const char* phase, const char* category, std::string_view name, int pid, int tid, double ts,
               double dur);
    void end() { m_out.add("\n    }\n  }"); }
    void frame(int thread, double duration);
    void operation(int thread, double duration, bool has_shapes);
    void arrow(const char* phase, int pid, int tid, double ts);
    void kernel(bool is_communication);

    Output& m_out;
    std::mt19937 m_random{20240901};
    std::int64_t m_events = 0;
    std::int64_t m_correlation = 1000;
    std::int64_t m_python_id = 0;
    std::int64_t m_steps = 0;
    double m_now = 4963042347283.125;
    double m_gpu_free = 0.0;
};

void Run::head()
{
    m_out.add(
        "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"NVIDIA "
        "H100 80GB "
        "HBM3\", \"totalGlobalMem\": 84942979072,\n      \"computeMajor\": 9, \"computeMinor\": 0\n    }\n  "
        "],\n"
        "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8, \"pg_count\": 1},\n"
        "  \"record_shapes\": 1,\n  \"with_stack\": 1,\n  \"displayTimeUnit\": \"ms\",\n"
        "  \"baseTimeNanoseconds\": 1727000000000000000,\n  \"traceEvents\": [\n");
    m_out.add("  {\n    \"name\": \"process_name\", \"ph\": \"M\", \"ts\": %.3f, \"pid\": %d, \"tid\": 0,\n  "
              "  \"args\": {\n"
              "      \"name\": \"python3\"\n    }\n  }",
              m_now, process);
    ++m_events;
}

void Run::begin(const char* phase, const char* category, std::string_view name, int pid, int tid, double ts,
                double dur)
{
    ++m_events;
    m_out.add(",\n  {\n    \"ph\": \"%s\", \"cat\": \"%s\", \"name\": \"%.*s\", \"pid\": %d, \"tid\": %d,\n  "
              "  \"ts\": %.3f, "
              "\"dur\": %.3f,\n    \"args\": {\n",
              phase, category, static_cast<int>(name.size()), name.data(), pid, tid, ts, dur);
}

void Run::frame(int thread, double duration)
{
    begin("X", "python_function", frames[static_cast<std::size_t>(below(frames.size()))], process, thread,
          m_now, duration);
    m_out.add("      \"Python parent id\": %lld, \"Python id\": %lld, \"Ev Idx\": %lld",
              static_cast<long long>(m_python_id > 0 ? m_python_id - 1 : 0),
              static_cast<long long>(m_python_id), static_cast<long long>(m_events));
    ++m_python_id;
    end();
}

void Run::operation(int thread, double duration, bool has_shapes)
{
    begin("X", "cpu_op", operators[static_cast<std::size_t>(below(operators.size()))], process, thread, m_now,
          duration);
    m_out.add("      \"External id\": %lld, \"Record function id\": 0",
              static_cast<long long>(m_correlation));
    if (has_shapes) {
        const int hidden = 1024 << below(4);
        m_out.add(", \"Concrete Inputs\": [\"\", \"\", \"\"], \"Input type\": [\"c10::BFloat16\", "
                  "\"c10::BFloat16\", "
                  "\"c10::BFloat16\"], \"Input Strides\": [[%d, %d, 1], [%d, 1], [1]], \"Input Dims\": "
                  "[[4096, 1, %d], "
                  "[%d, %d], [%d]]",
                  hidden, hidden, hidden, hidden, 4 * hidden, hidden, 4 * hidden);
    }
    m_out.add(", \"Ev Idx\": %lld", static_cast<long long>(m_events));
    end();
}

void Run::arrow(const char* phase, int pid, int tid, double ts)
{
    ++m_events;
    m_out.add(",\n  {\n    \"ph\": \"%s\", \"id\": %lld, \"pid\": %d, \"tid\": %d, \"ts\": %.3f,\n    "
              "\"cat\": \"ac2g\", "
              "\"name\": \"ac2g\"%s\n  }",
              phase, static_cast<long long>(m_correlation), pid, tid, ts,
              *phase == 'f' ? ", \"bp\": \"e\"" : "");
}

void Run::kernel(bool is_communication)
{
    const double duration = (is_communication ? 150.0 : 5.0) + below(200);
    const int stream = is_communication ? communication_stream : compute_stream;
    const std::string_view name =
        is_communication ? "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
                         : kernels[static_cast<std::size_t>(below(kernels.size()))];
    m_gpu_free = std::max(m_gpu_free, m_now + 6.0);
    arrow("f", device, stream, m_gpu_free);
    begin("X", "kernel", name, device, stream, m_gpu_free, duration);
    m_gpu_free += duration + 0.5;
    const auto correlation = static_cast<long long>(m_correlation);
    m_out.add("      \"External id\": %lld,\n      \"queued\": 0, \"device\": %d, \"context\": 1,\n      "
              "\"stream\": %d, "
              "\"correlation\": %lld,\n      \"registers per thread\": %d,\n      \"shared memory\": %d,\n   "
              "   \"blocks per "
              "SM\": %.6f,\n      \"warps per SM\": %.6f,\n      \"grid\": [%d, 1, 1],\n      \"block\": "
              "[%d, 1, 1],\n"
              "      \"est. achieved occupancy %%\": %d",
              correlation, device, stream, correlation, 16 + below(200), 16384 * below(4), below(1000) / 31.0,
              below(1000) / 15.0, 1 + below(2048), 32 << below(6), below(100));
    if (is_communication)
        m_out.add(",\n      \"Collective name\": \"allreduce\", \"In msg nelems\": %d, \"Out msg nelems\": "
                  "%d, \"Group size\": 8, "
                  "\"dtype\": \"BFloat16\", \"In split size\": \"[]\", \"Out split size\": \"[]\", \"Process "
                  "Group Name\": \"0\", "
                  "\"Process Group Description\": \"default_pg\", \"Process Group Ranks\": \"[0, 1, 2, 3, 4, "
                  "5, 6, 7]\"",
                  1 << 20, 1 << 20);
    end();
}

// One operator with its frames, launch and kernel.
void Run::call(int thread, bool is_communication)
{
    frame(thread, 20.0);
    m_now += 1.0;
    operation(thread, 18.0, true);
    m_now += 2.25;
    operation(thread, 12.0, below(2) == 0);
    m_now += 1.5;
    begin("X", "cuda_runtime", "cudaLaunchKernel", process, thread, m_now, 4.0);
    m_out.add("      \"External id\": %lld, \"cbid\": 211, \"correlation\": %lld",
              static_cast<long long>(m_correlation), static_cast<long long>(m_correlation));
    end();
    arrow("s", process, thread, m_now);
    kernel(is_communication);
    ++m_correlation;
    m_now += 17.0;
}

void Run::layer(int number, int thread)
{
    for (int depth = 0; depth < 5; ++depth)
        frame(thread, 200.0 - depth);
    for (int i = 0; i < 8; ++i)
        call(thread, i == 7 && number % 2 == 1);
}

void Run::step()
{
    const double start = m_now;
    for (int number = 0; number < layers; ++number)
        layer(number, process + (number < layers / 2 ? 0 : 1)); // the backward pass has a thread of its own
    begin("X", "user_annotation", "ProfilerStep#" + std::to_string(m_steps++), process, process, start,
          m_now - start);
    m_out.add("      \"External id\": %lld, \"Ev Idx\": %lld", static_cast<long long>(m_correlation),
              static_cast<long long>(m_events));
    end();
    m_now = std::max(m_now, m_gpu_free) + 10.0;
}

} // namespace

KinetoFileSize writeKinetoFile(const std::filesystem::path& path, std::int64_t bytes, bool gzip)
{
    Output out(path, gzip);
    Run run(out);
    run.head();
    while (out.bytes() < bytes)
        run.step();
    run.tail();
    return {out.bytes(), run.events()};
}

} // namespace shardscope
