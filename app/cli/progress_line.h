#pragma once

#include "core/import/importer.h"

#include <chrono>
#include <string_view>

namespace shardscope
{

// One line of standard error that says how far something is, written over and gone when this ends. Nothing
// where standard error is no terminal, nothing in the first half second, and no more than a dozen times a
// second. Not for several threads at once.
class ProgressLine
{
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(std::string_view text);
    // "3 of 8 files, 1.2 GiB of 4 GiB", for ImportOptions::on_progress: goes on, always.
    bool show(const ImportProgress& progress);
    bool isSeen() const { return m_is_seen; }

private:
    using Clock = std::chrono::steady_clock;
    bool m_is_seen;
    bool m_has_text = false;
    Clock::time_point m_next;
};

} // namespace shardscope
