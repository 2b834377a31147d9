#pragma once

#include "core/import/importer.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace shardscope
{

// The threads of one import: each reads a file of its own while there are files left, then helps with those
// that are still being read. Thread 0 is the caller's; only it reports progress.
class ImportControl
{
public:
    ImportControl(const ImportOptions& options, std::int64_t bytes_total, int files_total);

    std::size_t threads() const { return m_threads; }
    bool isStopped() const { return m_stopped.load(std::memory_order_relaxed); }
    // To be asked after every piece of input. False: stop reading.
    bool goOn(std::size_t thread);
    // The same for whoever does not know on which thread it runs.
    bool goOnHere() { return goOn(std::this_thread::get_id() == m_caller ? 0 : 1); }
    // Bytes on disk that have been used.
    void addBytes(std::int64_t bytes) { m_bytes_done.fetch_add(bytes, std::memory_order_relaxed); }

    // Runs step(thread) on this thread, and on those that have nothing else to do, until it answers false.
    // Comes back when no thread is in it any more; what a step threw on any of them is thrown here.
    void runShared(std::size_t thread, const std::function<bool(std::size_t)>& step);

    // Runs task(thread, index) once for each of `count` files. What a task threw is thrown when all are done.
    void runFiles(int count, const std::function<void(std::size_t, int)>& task);

private:
    struct Job {
        const std::function<bool(std::size_t)>* step = nullptr;
        int helpers = 0;
        bool is_open = true;
        std::exception_ptr failure;
    };

    void takeSteps(Job& job, std::size_t thread);
    void work(std::size_t thread, int count, const std::function<void(std::size_t, int)>& task);
    bool help(std::size_t thread, std::unique_lock<std::mutex>& lock);

    const ImportOptions& m_options;
    std::thread::id m_caller = std::this_thread::get_id();
    std::size_t m_threads;
    std::int64_t m_bytes_total;
    int m_files_total;
    std::atomic<bool> m_stopped = false;
    std::atomic<std::int64_t> m_bytes_done = 0;
    std::atomic<int> m_files_done = 0;
    std::atomic<int> m_next_file = 0;
    std::mutex m_mutex; // guards the jobs
    std::condition_variable m_changed;
    std::list<Job> m_jobs;
    std::exception_ptr m_failure; // of a task
};

} // namespace shardscope
