#include "core/trace/column.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace shardscope
{

namespace
{

constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

// What is lost at the end of the last page must not count.
constexpr bool isLarge(std::size_t bytes)
{
    return bytes >= 2 * large_page_bytes;
}

} // namespace

void* allocateColumn(std::size_t bytes)
{
    if (!isLarge(bytes))
        return ::operator new(bytes);
    void* const memory = ::operator new (bytes, std::align_val_t{large_page_bytes});
#if defined(__linux__)
    madvise(memory, bytes / large_page_bytes * large_page_bytes, MADV_HUGEPAGE); // only a wish
#endif
    return memory;
}

void freeColumn(void* memory, std::size_t bytes)
{
    if (isLarge(bytes))
        ::operator delete (memory, std::align_val_t{large_page_bytes});
    else
        ::operator delete(memory);
}

} // namespace shardscope
