#pragma once

#include <QFile>
#include <QString>

// A trace of PyTorch's profiler with two steps, 1 and 2: each launches a kernel "gemm", of 50 us and of
// 150 us, and the steps are marked for 100 us and 200 us.
inline bool writeTwoSteps(const QString& path)
{
    QFile file{path};
    return file.open(QIODevice::WriteOnly)
           && file.write(
                  R"({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 1, "tid": 1, "ts": 100, "dur": 200},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 10, "dur": 5,
 "args": {"correlation": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 110, "dur": 5,
 "args": {"correlation": 2}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 50,
 "args": {"device": 0, "stream": 7, "correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 120, "dur": 150,
 "args": {"device": 0, "stream": 7, "correlation": 2}}
]})") > 0;
}
