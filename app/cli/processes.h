#pragma once

#include <string>
#include <vector>

namespace shardscope
{

// The processes that work on one command together: those of mpirun where MPI was found at build time, else
// this one alone. To be made once.
class Processes
{
public:
    Processes();
    Processes(const Processes&) = delete;
    Processes& operator=(const Processes&) = delete;
    ~Processes();

    int index() const { return m_index; } // the first one is 0
    int count() const { return m_count; }
    // What each process gives, by process, on the first one; nothing on the others.
    std::vector<std::string> gather(std::string own) const;

private:
    int m_index = 0;
    int m_count = 1;
};

} // namespace shardscope
