#include "app/cli/progress_line.h"

#include "core/base/format.h"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace shardscope
{

namespace
{

using namespace std::chrono_literals;
constexpr auto quiet = 500ms;
constexpr auto between = 80ms;
constexpr const char* to_empty_line = "\r\033[K";

} // namespace

ProgressLine::ProgressLine() : m_is_seen{isatty(STDERR_FILENO) != 0}, m_next{Clock::now() + quiet} {}

ProgressLine::~ProgressLine()
{
    if (m_has_text)
        std::fputs(to_empty_line, stderr);
}

void ProgressLine::show(std::string_view text)
{
    const Clock::time_point now = Clock::now();
    if (!m_is_seen || now < m_next)
        return;
    m_next = now + between;
    m_has_text = true;
    std::fputs(to_empty_line, stderr);
    std::fwrite(text.data(), 1, text.size(), stderr);
}

bool ProgressLine::show(const ImportProgress& progress)
{
    if (m_is_seen && progress.bytes_total > 0)
        show(std::to_string(progress.files_done) + " of " + std::to_string(progress.files_total) + " files, "
             + formatBytes(static_cast<double>(progress.bytes_done)) + " of "
             + formatBytes(static_cast<double>(progress.bytes_total)));
    return true;
}

} // namespace shardscope
