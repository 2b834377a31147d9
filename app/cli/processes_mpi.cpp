#include "app/cli/processes.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace shardscope
{

namespace
{

constexpr std::int64_t piece_bytes = std::int64_t{1} << 30; // MPI counts with int

// Whether a launcher has started this process: initialising MPI without one costs time and daemons.
bool isLaunched()
{
    constexpr std::array signs{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    return std::ranges::any_of(signs, [](const char* sign) { return std::getenv(sign) != nullptr; });
}

template<class Move>
void byPieces(std::string& bytes, Move move)
{
    const auto size = static_cast<std::int64_t>(bytes.size());
    for (std::int64_t at = 0; at < size; at += piece_bytes)
        move(bytes.data() + at, static_cast<int>(std::min(piece_bytes, size - at)));
}

std::string receive(int from)
{
    std::int64_t size = 0;
    MPI_Recv(&size, 1, MPI_INT64_T, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    byPieces(bytes, [from](char* piece, int count) {
        MPI_Recv(piece, count, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    return bytes;
}

void send(std::string bytes)
{
    const auto size = static_cast<std::int64_t>(bytes.size());
    MPI_Send(&size, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD);
    byPieces(bytes, [](char* piece, int count) { MPI_Send(piece, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD); });
}

} // namespace

Processes::Processes()
{
    if (!isLaunched())
        return;
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &m_index);
    MPI_Comm_size(MPI_COMM_WORLD, &m_count);
}

Processes::~Processes()
{
    int is_running = 0;
    MPI_Initialized(&is_running);
    if (is_running != 0)
        MPI_Finalize();
}

std::vector<std::string> Processes::gather(std::string own) const
{
    if (m_index != 0) {
        send(std::move(own));
        return {};
    }
    std::vector<std::string> all;
    all.push_back(std::move(own));
    for (int other = 1; other < m_count; ++other)
        all.push_back(receive(other));
    return all;
}

} // namespace shardscope
