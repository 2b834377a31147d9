#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace shardscope
{

// Memory for a column, of any content. Where it is large it lies in large pages, if the system has them: to
// be given pages of 4 KiB one by one takes longer than to fill them.
void* allocateColumn(std::size_t bytes);
void freeColumn(void* memory, std::size_t bytes);

template<class T>
struct ColumnMemory {
    using value_type = T;

    ColumnMemory() = default;
    template<class U>
    explicit ColumnMemory(const ColumnMemory<U>&)
    {
    }
    T* allocate(std::size_t count) { return static_cast<T*>(allocateColumn(count * sizeof(T))); }
    void deallocate(T* memory, std::size_t count) { freeColumn(memory, count * sizeof(T)); }
    // resize() leaves what is new as it is: whoever asks for it writes all of it.
    template<class U>
    void construct(U* place)
    {
        ::new (static_cast<void*>(place)) U;
    }
    template<class U, class... Arguments>
    void construct(U* place, Arguments&&... arguments)
    {
        ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
    friend bool operator==(const ColumnMemory&, const ColumnMemory&) { return true; }
};

template<class T>
using Column = std::vector<T, ColumnMemory<T>>;

} // namespace shardscope
