#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace shardscope
{

// Runs work(0) to work(count - 1) at the same time, the first on this thread; where the system starts no more
// threads, others too. Comes back when all are done; what one of them threw first is thrown here.
template<class Work>
void runSideBySide(std::size_t count, const Work& work)
{
    std::exception_ptr failure;
    std::mutex mutex; // guards the failure
    const auto guarded = [&](std::size_t i) {
        try {
            work(i);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure)
                failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> others;
        std::size_t started = 1;
        try {
            for (; started < count; ++started)
                others.emplace_back(guarded, started);
        } catch (const std::exception&) { // no thread, or no memory for one
        }
        if (count > 0)
            guarded(0);
        for (; started < count; ++started)
            guarded(started);
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace shardscope
