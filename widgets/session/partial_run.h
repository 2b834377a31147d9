#pragma once

#include "widgets/session/content.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace shardscope
{

// What has been read of a run while its import goes on: traces that are complete, and the beginnings of
// others. Several threads may add at once.
class PartialRun
{
public:
    void addBeginning(const TraceFile& file);
    // A complete trace takes the place of its beginning.
    void add(const TraceFile& file);
    // What is there, when it has grown enough since it was asked for last that drawing it anew does not cost
    // more than reading; else null.
    std::shared_ptr<const MeasuredRun> toShow();
    // All that is there; null without any. Traces of which only the beginning was read say so.
    std::shared_ptr<const MeasuredRun> whatCame() const;

private:
    struct Part {
        TraceFile file;
        bool is_whole = false;
    };
    std::int64_t events() const;
    std::shared_ptr<MeasuredRun> run() const;

    mutable std::mutex m_mutex;
    std::map<std::string, Part> m_parts; // by path
    std::int64_t m_shown_events = 0;
};

} // namespace shardscope
