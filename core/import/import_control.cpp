#include "core/import/import_control.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace shardscope
{

namespace
{

// While the caller's thread waits for others.
constexpr auto progress_interval = std::chrono::milliseconds(40);

} // namespace

ImportControl::ImportControl(const ImportOptions& options, std::int64_t bytes_total, int files_total)
    : m_options(options),
      m_threads(std::clamp(options.threads > 0 ? static_cast<unsigned>(options.threads)
                                               : std::thread::hardware_concurrency(),
                           1U, 64U)),
      m_bytes_total(bytes_total),
      m_files_total(files_total)
{
}

bool ImportControl::goOn(std::size_t thread)
{
    if (thread == 0 && m_options.on_progress && !isStopped()) {
        const ImportProgress progress{std::min(m_bytes_done.load(), m_bytes_total), m_bytes_total,
                                      m_files_done.load(), m_files_total};
        if (!m_options.on_progress(progress))
            m_stopped = true;
    }
    return !isStopped();
}

void ImportControl::runShared(std::size_t thread, const std::function<bool(std::size_t)>& step)
{
    std::list<Job>::iterator job;
    {
        const std::lock_guard lock(m_mutex);
        job = m_jobs.insert(m_jobs.end(), Job{&step, 0, true, nullptr});
    }
    m_changed.notify_all();
    takeSteps(*job, thread);
    std::unique_lock lock(m_mutex);
    job->is_open = false;
    while (!m_changed.wait_for(lock, progress_interval, [&] { return job->helpers == 0; })) {
        lock.unlock();
        goOn(thread);
        lock.lock();
    }
    const std::exception_ptr failure = job->failure;
    m_jobs.erase(job);
    lock.unlock();
    if (failure)
        std::rethrow_exception(failure);
}

// An exception must not leave the job while others are in it, nor end a helper's thread.
void ImportControl::takeSteps(Job& job, std::size_t thread)
{
    try {
        while ((*job.step)(thread)) {
        }
    } catch (...) {
        const std::lock_guard lock(m_mutex);
        job.is_open = false;
        if (!job.failure)
            job.failure = std::current_exception();
    }
}

void ImportControl::runFiles(int count, const std::function<void(std::size_t, int)>& task)
{
    // Other threads may be through with small files before this one asks for the first time.
    if (!goOn(0))
        return;
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t thread = 1; thread < m_threads; ++thread)
                others.emplace_back([this, thread, count, &task] { work(thread, count, task); });
        } catch (const std::exception&) { // no thread, or no memory for one: those that run do all
        }
        work(0, count, task);
    }
    if (m_failure)
        std::rethrow_exception(m_failure);
}

void ImportControl::work(std::size_t thread, int count, const std::function<void(std::size_t, int)>& task)
{
    for (int file = m_next_file++; file < count; file = m_next_file++) {
        std::exception_ptr failure;
        try {
            task(thread, file);
        } catch (...) {
            failure = std::current_exception();
        }
        {
            const std::lock_guard lock(m_mutex);
            ++m_files_done;
            if (failure)
                m_failure = failure;
        }
        m_changed.notify_all();
        goOn(thread);
    }
    std::unique_lock lock(m_mutex);
    while (m_files_done < count) {
        if (help(thread, lock))
            continue;
        m_changed.wait_for(lock, progress_interval);
        lock.unlock();
        goOn(thread);
        lock.lock();
    }
}

// Joins one of the files that are being read. False when there is none that wants help.
bool ImportControl::help(std::size_t thread, std::unique_lock<std::mutex>& lock)
{
    const auto job = std::ranges::find_if(m_jobs, &Job::is_open);
    if (job == m_jobs.end())
        return false;
    ++job->helpers;
    lock.unlock();
    takeSteps(*job, thread);
    lock.lock();
    --job->helpers;
    job->is_open = false;
    m_changed.notify_all();
    return true;
}

} // namespace shardscope
