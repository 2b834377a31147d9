#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace shardscope
{

// Runs work(0) to work(count - 1) at the same time, the first on this thread.
template<class Work>
void runSideBySide(std::size_t count, const Work& work)
{
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < count; ++i)
        others.emplace_back([&work, i] { work(i); });
    if (count > 0)
        work(0);
    for (std::thread& other : others)
        other.join();
}

} // namespace shardscope
